"""How work is done, whatever the work is: threads, buffers, random streams, time, progress."""
