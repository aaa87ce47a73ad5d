"""Symmetric matrices: Cholesky factors that do not fail, solves, inverses and products, by BLAS and LAPACK.

In: a symmetric matrix, positive definite up to rounding. Out: its lower factor. NaN is reported, never passed on.
"""

from functools import partial

import numpy as np
from scipy.linalg import eigh

from alakarte.errors import IllConditioned
from alakarte.execution.threads import run_together
from alakarte.linalg.blas import (
    add_columns_gram,
    factorise_lower,
    invert_triangle,
    solve_columns_right,
    solve_rows_lower,
    square_triangle,
    subtract_product,
    times_triangle,
)
from alakarte.records import Array

_TILE = 128
_HALVES = 512  # smaller matrices are not worth cutting for two threads,
_SMALL_TRIANGLE = 128  # but LAPACK's own inverse of a triangle is slow from here on


def cholesky(matrix: Array, n_jobs: int = 1, out: Array | None = None) -> Array:
    """Lower factor L of a symmetric `matrix` (k, k); what stands above L's diagonal is undefined.

    Of a matrix in Fortran's order only the lower triangle is read. Rounding below zero is met by the least jitter. The
    factor is written to `out` (k, k), in Fortran's order, where that is given. That may be `matrix` itself: then there
    is nothing left to add jitter to, and rounding below zero is an error.
    """
    k = len(matrix)
    columns = matrix if matrix.flags.f_contiguous else matrix.T  # LAPACK's order, without a copy
    scale = float(np.abs(matrix.diagonal()).max(initial=0.0))
    if not np.isfinite(scale):
        raise IllConditioned("matrix with NaN or infinity")
    factor = np.empty((k, k), order="F") if out is None else out
    in_place = np.may_share_memory(factor, columns)
    if not in_place:
        factor[...] = columns
    info = _factorise(factor, n_jobs)
    jitter = np.finfo(float).eps * scale * k
    while info > 0 and not in_place and 0 < jitter <= 1e-4 * scale:
        factor[...] = columns
        np.einsum("ii->i", factor)[...] += jitter
        info = _factorise(factor, n_jobs)
        jitter *= 10
    if info != 0 or not np.isfinite(factor.diagonal()).all():
        raise IllConditioned("matrix is not positive definite")
    return factor


def _factorise(A: Array, n_jobs: int) -> int:
    """L over A, cut in halves, the same for any number of threads: L₁₁, A₂₁ L₁₁⁻ᵀ, then the factor of the rest."""
    k = len(A)
    if k < _HALVES:
        return factorise_lower(A)
    half, middle = k // 2, k // 2 + (k - k // 2) // 2
    first, upper, lower = A[:half, :half], A[half:middle, :half], A[middle:, :half]
    info = _factorise(first, n_jobs)
    if info:
        return info
    run_together([lambda: solve_columns_right(upper, first), lambda: solve_columns_right(lower, first)], n_jobs)

    def diagonal() -> None:
        add_columns_gram(A[half:middle, half:middle], upper, sign=-1.0)
        add_columns_gram(A[middle:, middle:], lower, sign=-1.0)

    run_together([diagonal, lambda: subtract_product(A[middle:, half:middle], lower, upper)], n_jobs)
    info = _factorise(A[half:, half:], n_jobs)
    return info and half + info


def square_root(matrix: Array) -> Array:
    """R with R Rᵀ = `matrix` (k, k): Cholesky's, or, where rounding left it indefinite, eigenvalues cut at zero."""
    try:
        return np.tril(cholesky(matrix))
    except IllConditioned:
        values, vectors = eigh(matrix)
        root: Array = vectors * np.sqrt(np.maximum(values, 0))
        return root


def mirror(matrix: Array) -> None:
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


def solve_lower(factor: Array, right: Array, *, transposed: bool = False) -> Array:
    """L⁻¹ right, or L⁻ᵀ right."""
    columns = np.array(right.T, dtype=np.float64, order="C", ndmin=2)  # one right-hand side per row
    solve_rows_lower(np.asfortranarray(factor), columns, transposed=transposed)
    return columns.T.reshape(right.shape)


def solve(factor: Array, right: Array) -> Array:
    """(L Lᵀ)⁻¹ right."""
    columns, factor = np.array(right.T, dtype=np.float64, order="C", ndmin=2), np.asfortranarray(factor)
    for transposed in (False, True):
        solve_rows_lower(factor, columns, transposed=transposed)
    return columns.T.reshape(right.shape)


def inverse(factor: Array, n_jobs: int = 1, *, overwrite: bool = False) -> Array:
    """(L Lᵀ)⁻¹ = TᵀT, T = L⁻¹: its lower triangle, in Fortran's order; the same for any number of threads."""
    T = factor if overwrite else factor.copy(order="F")
    _invert(T, n_jobs)
    _square(T, n_jobs)
    return T


def _invert(T: Array, n_jobs: int) -> None:
    """L⁻¹ over L: the halves of the diagonal first, then B = −T₂₂ L₂₁ T₁₁."""
    k = len(T)
    if k < _SMALL_TRIANGLE:
        if invert_triangle(T) != 0:
            raise IllConditioned("matrix is singular")
        return
    half, quarter, middle = k // 2, k // 4, k // 2 + (k - k // 2) // 2
    first, last, B = T[:half, :half], T[half:, half:], T[half:, :half]
    above_and_below, left_and_right = [T[half:middle, :half], T[middle:, :half]], [B[:, :quarter], B[:, quarter:]]
    if k < _HALVES:
        n_jobs, above_and_below, left_and_right = 1, [B], [B]
    run_together([lambda: _invert(first, 1), lambda: _invert(last, 1)], n_jobs)
    run_together([partial(times_triangle, part, first, side="R") for part in above_and_below], n_jobs)
    run_together([partial(times_triangle, part, last, sign=-1.0) for part in left_and_right], n_jobs)


def _square(T: Array, n_jobs: int) -> None:
    """TᵀT over T: T₁₁ᵀT₁₁ + BᵀB, T₂₂ᵀB and T₂₂ᵀT₂₂."""
    k = len(T)
    if k < _HALVES:
        square_triangle(T)
        return
    half = k // 2
    first, last, B = T[:half, :half], T[half:, half:], T[half:, :half]
    mixed = B.copy(order="F")
    corner = last.copy(order="F")

    def left() -> None:
        square_triangle(first)
        add_columns_gram(first, mixed, transposed=True)

    def right() -> None:
        square_triangle(last)
        times_triangle(B, corner, transposed=True)

    run_together([left, right], n_jobs)


def log_determinant(factor: Array) -> float:
    """log |L Lᵀ|."""
    return 2 * float(np.log(factor.diagonal()).sum())
