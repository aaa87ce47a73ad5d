"""Numba functions on arrays: the fast transform and its waves, with the names of `reference.py`."""
