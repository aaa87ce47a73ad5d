"""Matrices: BLAS and LAPACK without copies, factors that do not fail."""
