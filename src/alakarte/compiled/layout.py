"""Arrays in the one layout the compiled functions take: row-major, one dtype.

In: arrays as the caller has them. Out: the same memory where it fits, a copy where it does not; for the fast transform
its draws as starts in tiles, which `fastfood.py` explains; for closed forms a `Table` of rows, for many small ones
`LocalBlock`. Loads no Numba.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from alakarte.execution.scratch import aligned
from alakarte.records import Array, Integers


def row_major(dtype: DTypeLike, *arrays: Array) -> tuple[Array, ...]:
    """Return `arrays` row-major and of one dtype, copied only where they are not."""
    return tuple(np.ascontiguousarray(array, dtype=dtype) for array in arrays)


@contextmanager
def writable(array: Array, *shape: int) -> Iterator[Array]:
    """Lend a row-major array to write into: `array` itself, or a stand-in that is copied into it at the end.

    Compiled code writes wherever it is told to, so that a wrong shape would destroy other memory.
    """
    if array.shape != shape:
        raise ValueError(f"an array to write into has shape {array.shape}, the result needs {shape}")
    if array.flags.c_contiguous:
        yield array
    else:
        stand_in = np.empty(array.shape, array.dtype)
        yield stand_in
        array[...] = stand_in


def cut_tiles(
    x: Array,
    input_scale: Array,
    signs: Array,
    permutation: Integers,
    gaussians: Array,
    factor: Array,
    position: Integers,
) -> tuple[Any, ...]:
    """Prepare what both directions need: ones, tiles, and the draws flat, with entries as starts in a tile."""
    n_stacks, p = signs.shape
    n_entries = p * max(1, min(n_stacks, 128 // p))  # small stacks share a tile: alone, each step's latency would show
    (x,) = row_major(x.dtype, x)
    lanes = 64 // x.itemsize
    first_scale = np.zeros((n_stacks, p), x.dtype)
    first_scale[:, : x.shape[1]] = input_scale * signs[:, : x.shape[1]]  # the rest of pad(x) stays 0
    gaussians, factor = row_major(x.dtype, gaussians.reshape(-1), factor.reshape(-1))
    position = np.asarray(position, dtype=np.int64)
    edge = np.searchsorted(position, np.arange(0, n_stacks * p + n_entries, n_entries))
    kept = position % n_entries * lanes
    ones, tiles = np.ones(n_entries + lanes, x.dtype), aligned((5, n_entries * lanes), x.dtype)
    row, column = np.empty(lanes, np.int64), np.arange(n_entries) * lanes
    draws = first_scale.reshape(-1), tile_starts(permutation, n_entries, lanes), gaussians, factor
    return x, p, ones, tiles, row, column, *draws, kept, edge, factor[position]


def tile_starts(permutation: Integers, n_entries: int, lanes: int) -> Integers:
    """Turn entries of each stack (stacks, p) into starts in the tile that holds the stack (stacks · p,)."""
    n_stacks, p = permutation.shape
    first = np.arange(n_stacks)[:, None] * p % n_entries
    starts: Integers = ((first + permutation) * lanes).astype(np.int64).reshape(-1)
    return starts


class Table(NamedTuple):
    """Rows as the loops read them, with cosines and sines of ζ = μᵀx; none without centres.

    Where a spectrum maps inputs, each component's Ax (Q·d columns) stands after the d inputs themselves.
    """

    rows: Array  # (n, d), or (n, d + Q·d)
    row_waves: tuple[Array, Array]  # (n, Q) each
    columns: Array  # the transpose of rows
    column_waves: tuple[Array, Array]  # (Q, n) each
    n_inputs: int  # d


def prepare(x: Array, centre: Array | None, input_map: Array | None = None) -> Table:
    """A table from x (n, d), μ (Q, d) and A (Q, d, d), or None."""
    d = x.shape[1]
    if input_map is not None:
        mapped = [(x * row).sum(axis=1) for each in input_map for row in each]  # as below
        x = np.column_stack([x, *mapped])
    rows, columns = row_major(np.float64, x, x.T)
    if centre is None:
        return Table(rows, (np.empty((len(x), 0)),) * 2, columns, (np.empty((0, 0)),) * 2, d)
    inputs = np.ascontiguousarray(rows[:, :d])
    zeta = np.stack([(inputs * each).sum(axis=1) for each in centre])  # BLAS's bits depend on the number of rows
    cosine, sine = np.cos(zeta), np.sin(zeta)
    row_cosine, row_sine = row_major(np.float64, cosine.T, sine.T)
    return Table(rows, (row_cosine, row_sine), columns, (cosine, sine), d)


def table_scale(input_scale: Array | None, input_map: Array | None) -> Array:
    """The scale of each component for the columns of a table: a (Q, d), or one for the columns of its own Ax."""
    if input_map is None:
        assert input_scale is not None, "a closed form has an input scale or an input map"
        return input_scale
    n_components, d = input_map.shape[:2]
    return np.hstack([np.zeros((n_components, d)), np.repeat(np.eye(n_components), d, axis=1)])


class LocalKernel(NamedTuple):
    """k(τ) = Σ_q v_q² g_q(‖a_q∘τ‖²) cos μ_qᵀτ."""

    dof: Integers  # (Q,) of each profile g
    variance: Array  # (Q,) v²
    scale: Array  # (Q, d) a
    centre: Array  # (Q, d) μ; (0, 0) without centres


class LocalBlock(NamedTuple):
    """Queries and what is near them."""

    query: Array  # (B, d)
    x: Array  # (B, k, d)
    y: Array  # (B, k, T)
    noise: Array  # (B, k)
