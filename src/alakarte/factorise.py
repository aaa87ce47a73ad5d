"""Cholesky factors that do not fail: the one door to LAPACK's potrf, potri and triangular solves.

In: a symmetric matrix, positive definite up to rounding. Out: its lower factor. NaN is reported, never passed on.
"""

import numpy as np
from scipy.linalg import eigh, lapack, solve_triangular

from alakarte.errors import IllConditioned

_TILE = 256


def cholesky(matrix: np.ndarray) -> np.ndarray:
    """Lower factor L of a symmetric `matrix` (k, k), which is overwritten; what stands above L's diagonal is undefined.

    Rounding below zero is met by the least jitter.
    """
    k = len(matrix)
    diagonal = matrix.diagonal().copy()
    scale = float(np.abs(diagonal).max(initial=0.0))
    if not np.isfinite(scale):
        raise IllConditioned("matrix with NaN or infinity")
    columns = matrix if matrix.flags.f_contiguous else matrix.T  # LAPACK's order, without a copy
    factor, info = lapack.dpotrf(columns, lower=1, clean=0, overwrite_a=1)
    jitter = np.finfo(float).eps * scale * k
    while info > 0 and 0 < jitter <= 1e-4 * scale:
        mirror(factor.T)  # the upper triangle still holds the matrix
        factor.flat[:: k + 1] = diagonal + jitter
        factor, info = lapack.dpotrf(factor, lower=1, clean=0, overwrite_a=1)
        jitter *= 10
    if info != 0 or not np.isfinite(factor.diagonal()).all():
        raise IllConditioned("matrix is not positive definite")
    return factor


def square_root(matrix: np.ndarray) -> np.ndarray:
    """R with R Rᵀ = `matrix` (k, k): Cholesky's, or, where rounding left it indefinite, eigenvalues cut at zero."""
    try:
        return np.tril(cholesky(matrix.copy()))
    except IllConditioned:
        values, vectors = eigh(matrix)
        return vectors * np.sqrt(np.maximum(values, 0))


def mirror(matrix: np.ndarray) -> None:
    """Copy the lower triangle of `matrix` (k, k) to the upper one, in tiles that fit the cache."""
    k = len(matrix)
    for i in range(0, k, _TILE):
        for j in range(0, i, _TILE):
            matrix[j : j + _TILE, i : i + _TILE] = matrix[i : i + _TILE, j : j + _TILE].T
        tile = matrix[i : i + _TILE, i : i + _TILE]
        tile[...] = np.tril(tile) + np.tril(tile, -1).T


def solve_lower(factor, right, *, transposed=False):
    """L⁻¹ right, or L⁻ᵀ right."""
    return solve_triangular(factor, right, lower=True, trans=int(transposed), check_finite=False)


def solve(factor, right):
    """(L Lᵀ)⁻¹ right."""
    return solve_lower(factor, solve_lower(factor, right), transposed=True)


def inverse(factor) -> np.ndarray:
    """(L Lᵀ)⁻¹, both triangles."""
    full, info = lapack.dpotri(factor, lower=1)
    if info != 0:
        raise IllConditioned("matrix is singular")
    mirror(full)
    return full


def log_determinant(factor) -> float:
    """log |L Lᵀ|."""
    return 2 * float(np.log(factor.diagonal()).sum())
