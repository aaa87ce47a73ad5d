"""Routines of SciPy's BLAS and LAPACK, called so that other threads run meanwhile and nothing is copied.

SciPy's own wrappers hold Python's global lock; these are the same functions, from its public table for C callers.
Arrays are float64 (`add_gram` and `times_symmetric`: float32 too); triangles are lower ones in Fortran's order.
"Columns" are matrices in Fortran's order, or blocks of one.
"""

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import cython_blas, cython_lapack

from alakarte.records import Array

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]


def _routine(table: Any, name: str, n_arguments: int) -> Callable[..., None]:
    """The function behind a capsule; every argument of BLAS is an address."""
    capsule = table.__pyx_capi__[name]
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)  # releases the lock while it runs
    return signature(_pointer(capsule, _name(capsule)))


_SYRK = {"d": _routine(cython_blas, "dsyrk", 10), "f": _routine(cython_blas, "ssyrk", 10)}
_SYMM = {"d": _routine(cython_blas, "dsymm", 12), "f": _routine(cython_blas, "ssymm", 12)}
_TRSM = _routine(cython_blas, "dtrsm", 11)
_TRMM = _routine(cython_blas, "dtrmm", 11)
_GEMM = _routine(cython_blas, "dgemm", 13)
_POTRF = _routine(cython_lapack, "dpotrf", 5)
_TRTRI = _routine(cython_lapack, "dtrtri", 6)
_LAUUM = _routine(cython_lapack, "dlauum", 5)
_REAL = {"d": ctypes.c_double, "f": ctypes.c_float}
_LETTER = {letter: ctypes.byref(ctypes.c_char(letter.encode())) for letter in "LRNT"}


def _by_address(*values: Any) -> list[Any]:
    """Letters, whole numbers and C numbers by reference, arrays by the address of their data."""
    return [value.ctypes.data if isinstance(value, np.ndarray) else _ADDRESS[type(value)](value) for value in values]


_ADDRESS: dict[type, Callable[[Any], Any]] = {  # some calls of small matrices take no longer than to look up these
    str: _LETTER.__getitem__,
    int: lru_cache(4096)(lambda number: ctypes.byref(ctypes.c_int(number))),  # BLAS reads sizes and never writes them
    ctypes.c_int: ctypes.byref,
    ctypes.c_double: ctypes.byref,
    ctypes.c_float: ctypes.byref,
}


def _square(matrix: Array, dtype: str = "d") -> int:
    """Size of a writable square matrix in Fortran's order, or an error instead of a crash."""
    k = len(matrix)
    if matrix.shape != (k, k) or matrix.dtype.char != dtype or not matrix.flags.f_contiguous:
        raise TypeError(f"need a square {dtype!r} matrix in Fortran's order, not {matrix.shape} {matrix.dtype}")
    return k


def _rows(array: Array, k: int, dtype: str) -> None:
    if array.ndim != 2 or array.shape[1] != k or array.dtype.char != dtype or not array.flags.c_contiguous:
        raise TypeError(f"need row-major {dtype!r} rows of length {k}, not {array.shape} {array.dtype}")


def add_gram(lower: Array, rows: Array, keep: float = 1.0) -> None:
    """lower ← keep·lower + rowsᵀ rows, for rows (r, k)."""
    kind = rows.dtype.char
    k, real = _square(lower, kind), _REAL[kind]
    _rows(rows, k, kind)
    if len(rows):
        _SYRK[kind](*_by_address("L", "N", k, len(rows), real(1), rows, k, real(keep), lower, k))


def times_symmetric(rows: Array, lower: Array, out: Array | None = None) -> Array:
    """rows (r, k) × S (k, k), S given by its lower triangle."""
    kind = rows.dtype.char
    k, real = _square(lower, kind), _REAL[kind]
    out = np.empty(rows.shape, rows.dtype) if out is None else out
    for part in (rows, out):
        _rows(part, k, kind)
    if len(rows):
        _SYMM[kind](*_by_address("L", "L", k, len(rows), real(1), lower, k, rows, k, real(0), out, k))
    return out


def solve_rows_lower(factor: Array, rows: Array, *, transposed: bool = False) -> Array:
    """Each row u of rows (r, k) becomes L⁻¹u, or L⁻ᵀu; in place."""
    k = _square(factor)
    _rows(rows, k, "d")
    if len(rows):
        trans = "T" if transposed else "N"
        _TRSM(*_by_address("L", "L", trans, "N", k, len(rows), ctypes.c_double(1), factor, k, rows, k))
    return rows


def _columns(*blocks: Array) -> list[int]:
    """Distance of two columns of each block, which BLAS calls its leading dimension."""
    for block in blocks:
        if block.ndim != 2 or block.dtype != np.float64 or (len(block) > 1 and block.strides[0] != block.itemsize):
            raise TypeError(f"need float64 columns, not {block.shape} {block.dtype} with strides {block.strides}")
    return [max(block.strides[1] // block.itemsize, len(block), 1) for block in blocks]


def factorise_lower(matrix: Array) -> int:
    """L of L Lᵀ over the lower triangle of columns (k, k); 0, or the order of the first minor not positive."""
    info = ctypes.c_int(0)
    _POTRF(*_by_address("L", len(matrix), matrix, *_columns(matrix), info))
    return info.value


def invert_triangle(factor: Array) -> int:
    """L⁻¹ over L in columns (k, k); 0, or where L is singular."""
    info = ctypes.c_int(0)
    _TRTRI(*_by_address("L", "N", len(factor), factor, *_columns(factor), info))
    return info.value


def square_triangle(factor: Array) -> None:
    """Lower triangle of LᵀL over L in columns (k, k)."""
    _LAUUM(*_by_address("L", len(factor), factor, *_columns(factor), ctypes.c_int(0)))


def times_triangle(
    block: Array, factor: Array, *, side: str = "L", transposed: bool = False, sign: float = 1.0
) -> None:
    """block ← sign·L·block (side "R": sign·block·L; `transposed`: with Lᵀ), columns."""
    steps, trans = _columns(factor, block), "T" if transposed else "N"
    shape = (len(block), block.shape[1])
    _TRMM(*_by_address(side, "L", trans, "N", *shape, ctypes.c_double(sign), factor, steps[0], block, steps[1]))


def solve_columns_right(block: Array, factor: Array) -> None:
    """block ← block·L⁻ᵀ, columns."""
    steps, shape = _columns(factor, block), (len(block), block.shape[1])
    _TRSM(*_by_address("R", "L", "T", "N", *shape, ctypes.c_double(1), factor, steps[0], block, steps[1]))


def add_columns_gram(lower: Array, block: Array, *, transposed: bool = False, sign: float = 1.0) -> None:
    """lower ← lower + sign·B Bᵀ (`transposed`: BᵀB), columns."""
    steps, r = _columns(block, lower), len(block) if transposed else block.shape[1]
    trans, one = "T" if transposed else "N", ctypes.c_double(1)
    _SYRK["d"](*_by_address("L", trans, len(lower), r, ctypes.c_double(sign), block, steps[0], one, lower, steps[1]))


def columns_times_symmetric(block: Array, lower: Array, out: Array) -> None:
    """out ← B S, columns, S given by its lower triangle."""
    steps, shape = _columns(lower, block, out), block.shape
    one, zero = ctypes.c_double(1), ctypes.c_double(0)
    _SYMM["d"](*_by_address("R", "L", *shape, one, lower, steps[0], block, steps[1], zero, out, steps[2]))


def subtract_product(out: Array, left: Array, right: Array) -> None:
    """out ← out − left·rightᵀ, columns."""
    steps, shape = _columns(left, right, out), (*out.shape, left.shape[1])
    minus, one = ctypes.c_double(-1), ctypes.c_double(1)
    _GEMM(*_by_address("N", "T", *shape, minus, left, steps[0], right, steps[1], one, out, steps[2]))
