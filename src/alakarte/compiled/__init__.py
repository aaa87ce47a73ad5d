"""The inner loops in Numba, and their twins in NumPy."""
