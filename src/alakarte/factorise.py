"""Symmetric matrices: Cholesky factors that do not fail, solves, inverses and products, by BLAS and LAPACK.

In: a symmetric matrix, positive definite up to rounding. Out: its lower factor. NaN is reported, never passed on.
"""

import numpy as np
from scipy.linalg import eigh, lapack, solve_triangular
from scipy.linalg.blas import dsymm, ssymm

from alakarte.errors import IllConditioned

_TILE = 128


def cholesky(matrix: np.ndarray) -> np.ndarray:
    """Lower factor L of a symmetric `matrix` (k, k); what stands above L's diagonal is undefined.

    Of a matrix in Fortran's order only the lower triangle is read. Rounding below zero is met by the least jitter.
    """
    k = len(matrix)
    columns = matrix if matrix.flags.f_contiguous else matrix.T  # LAPACK's order, without a copy
    scale = float(np.abs(matrix.diagonal()).max(initial=0.0))
    if not np.isfinite(scale):
        raise IllConditioned("matrix with NaN or infinity")
    factor, info = lapack.dpotrf(columns, lower=1, clean=0)
    jitter = np.finfo(float).eps * scale * k
    while info > 0 and 0 < jitter <= 1e-4 * scale:
        shifted = columns.copy(order="F")
        shifted.flat[:: k + 1] += jitter
        factor, info = lapack.dpotrf(shifted, lower=1, clean=0, overwrite_a=1)
        jitter *= 10
    if info != 0 or not np.isfinite(factor.diagonal()).all():
        raise IllConditioned("matrix is not positive definite")
    return factor


def square_root(matrix: np.ndarray) -> np.ndarray:
    """R with R Rᵀ = `matrix` (k, k): Cholesky's, or, where rounding left it indefinite, eigenvalues cut at zero."""
    try:
        return np.tril(cholesky(matrix))
    except IllConditioned:
        values, vectors = eigh(matrix)
        return vectors * np.sqrt(np.maximum(values, 0))


def mirror(matrix: np.ndarray) -> None:
    """Copy the lower triangle of `matrix` (k, k) to the upper one, in tiles that fit the cache."""
    k = len(matrix)
    if k <= 32:
        matrix[...] = np.tril(matrix) + np.tril(matrix, -1).T
        return
    half = k // 2
    mirror(matrix[:half, :half])
    mirror(matrix[half:, half:])
    for i in range(half, k, _TILE):
        for j in range(0, half, _TILE):
            columns = slice(j, min(j + _TILE, half))
            matrix[columns, i : i + _TILE] = matrix[i : i + _TILE, columns].T


def solve_lower(factor, right, *, transposed=False):
    """L⁻¹ right, or L⁻ᵀ right."""
    return solve_triangular(factor, right, lower=True, trans=int(transposed), check_finite=False)


def solve(factor, right):
    """(L Lᵀ)⁻¹ right."""
    return solve_lower(factor, solve_lower(factor, right), transposed=True)


def inverse(factor) -> np.ndarray:
    """(L Lᵀ)⁻¹, its lower triangle, in Fortran's order."""
    lower, info = lapack.dpotri(factor, lower=1)
    if info != 0:
        raise IllConditioned("matrix is singular")
    return lower


def times_symmetric(rows, lower, out=None) -> np.ndarray:
    """rows (r, k) × S (k, k), where the lower triangle of S in Fortran's order is `lower`; float32 or float64."""
    out = np.empty(rows.shape, rows.dtype) if out is None else out
    symm = ssymm if rows.dtype == np.float32 else dsymm
    symm(1.0, lower, rows.T, lower=1, c=out.T, overwrite_c=1)
    return out


def log_determinant(factor) -> float:
    """log |L Lᵀ|."""
    return 2 * float(np.log(factor.diagonal()).sum())
