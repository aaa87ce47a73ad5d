"""Cholesky factors that do not fail: the one door to LAPACK's potrf, potri and triangular solves.

In: a symmetric matrix, positive definite up to rounding. Out: its lower factor. NaN is reported, never passed on.
"""

import numpy as np
from scipy.linalg import lapack, solve_triangular

from alakarte.errors import IllConditioned


def cholesky(matrix: np.ndarray) -> np.ndarray:
    """Lower factor L of `matrix` (k, k), which is overwritten; rounding below zero is met by the least jitter."""
    diagonal = matrix.diagonal().copy()
    scale = float(np.abs(diagonal).max(initial=0.0))
    if not np.isfinite(scale):
        raise IllConditioned("matrix with NaN or infinity")
    symmetric = matrix.T  # symmetric, and in the order LAPACK reads without a copy
    factor, info = lapack.dpotrf(symmetric, lower=1, clean=1)
    jitter = np.finfo(float).eps * scale * len(matrix)
    while info > 0 and jitter <= 1e-4 * scale:
        shifted = symmetric.copy(order="F")
        shifted.flat[:: len(matrix) + 1] = diagonal + jitter
        factor, info = lapack.dpotrf(shifted, lower=1, clean=1, overwrite_a=1)
        jitter *= 10
    if info != 0 or not np.isfinite(factor.diagonal()).all():
        raise IllConditioned("matrix is not positive definite")
    return factor


def solve_lower(factor, right, *, transposed=False):
    """L⁻¹ right, or L⁻ᵀ right."""
    return solve_triangular(factor, right, lower=True, trans=int(transposed), check_finite=False)


def solve(factor, right):
    """(L Lᵀ)⁻¹ right."""
    return solve_lower(factor, solve_lower(factor, right), transposed=True)


def inverse(factor) -> np.ndarray:
    """(L Lᵀ)⁻¹, both triangles."""
    lower, info = lapack.dpotri(factor, lower=1)
    if info != 0:
        raise IllConditioned("matrix is singular")
    full = lower + lower.T
    full.flat[:: len(full) + 1] -= lower.diagonal()
    return full


def log_determinant(factor) -> float:
    """log |L Lᵀ|."""
    return 2 * float(np.log(factor.diagonal()).sum())
