"""Rows in, blocks out; nothing here knows a kernel."""
