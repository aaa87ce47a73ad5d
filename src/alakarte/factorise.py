"""Symmetric matrices: Cholesky factors that do not fail, solves, inverses and products, by BLAS and LAPACK.

In: a symmetric matrix, positive definite up to rounding. Out: its lower factor. NaN is reported, never passed on.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.linalg import eigh

from alakarte.blas import factorise_lower, invert_lower, solve_rows_lower, times_symmetric
from alakarte.errors import IllConditioned

_TILE = 128
_HALVES = 512  # smaller inverses are not worth cutting


def cholesky(matrix: np.ndarray) -> np.ndarray:
    """Lower factor L of a symmetric `matrix` (k, k); what stands above L's diagonal is undefined.

    Of a matrix in Fortran's order only the lower triangle is read. Rounding below zero is met by the least jitter.
    """
    k = len(matrix)
    columns = matrix if matrix.flags.f_contiguous else matrix.T  # LAPACK's order, without a copy
    scale = float(np.abs(matrix.diagonal()).max(initial=0.0))
    if not np.isfinite(scale):
        raise IllConditioned("matrix with NaN or infinity")
    factor = columns.copy(order="F")
    info = factorise_lower(factor)
    jitter = np.finfo(float).eps * scale * k
    while info > 0 and 0 < jitter <= 1e-4 * scale:
        factor = columns.copy(order="F")
        factor.flat[:: k + 1] += jitter
        info = factorise_lower(factor)
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
    columns = np.array(right.T, dtype=np.float64, order="C", ndmin=2)  # a right-hand side a row
    solve_rows_lower(np.asfortranarray(factor), columns, transposed=transposed)
    return columns.T.reshape(right.shape)


def solve(factor, right):
    """(L Lᵀ)⁻¹ right."""
    return solve_lower(factor, solve_lower(factor, right), transposed=True)


def inverse(factor, n_jobs: int = 1) -> np.ndarray:
    """(L Lᵀ)⁻¹, its lower triangle, in Fortran's order; the work is cut in halves, the same for any number of threads.

    With X = L₂₁ L₁₁⁻¹ and Q = (L₂₂ L₂₂ᵀ)⁻¹ the blocks are (L₁₁ L₁₁ᵀ)⁻¹ + Xᵀ Q X, −Q X and Q.
    """
    k = len(factor)
    if k < _HALVES:
        return _invert(factor.copy(order="F"))
    half = k // 2
    first, last = (np.asfortranarray(part) for part in (factor[:half, :half], factor[half:, half:]))
    X = np.ascontiguousarray(factor[half:, :half])
    mid = (k - half) // 2
    out = np.zeros((k, k), order="F")

    def top():
        out[:half, :half] = _invert(first.copy(order="F"))
        solve_rows_lower(first, X[:mid], transposed=True)

    def bottom():
        out[half:, half:] = _invert(last.copy(order="F"))
        solve_rows_lower(first, X[mid:], transposed=True)

    _together([top, bottom], n_jobs)
    Q, columns = np.asfortranarray(out[half:, half:]), np.ascontiguousarray(X.T)
    middle = half // 2

    def left(part):
        QX = times_symmetric(columns[part], Q).T  # (k − half, part)
        out[half:, part] = -QX
        out[part.start : half, part] += columns[part.start :] @ QX  # Xᵀ Q X from its diagonal on

    _together([lambda: left(slice(0, middle)), lambda: left(slice(middle, half))], n_jobs)
    return out


def _invert(factor):
    if invert_lower(factor) != 0:
        raise IllConditioned("matrix is singular")
    return factor


def _together(tasks, n_jobs):
    if n_jobs == 1:
        for task in tasks:
            task()
        return
    with ThreadPoolExecutor(len(tasks)) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result()


def log_determinant(factor) -> float:
    """log |L Lᵀ|."""
    return 2 * float(np.log(factor.diagonal()).sum())
