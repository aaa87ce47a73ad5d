"""Predictions in tiles, so that a row's prediction does not depend, to the last bit, on its neighbours.

In: a function of a tile of rows. Out: its results for any number of rows. Tiles, factors and rows are padded: BLAS
treats the edges of a matrix differently by their position.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from alakarte.execution.scratch import Scratch
from alakarte.execution.threads import run_together
from alakarte.linalg.blas import solve_rows_lower
from alakarte.records import Array

TILE_ROWS = 128
MEAN_TILE_ROWS = 512  # the mean alone is cheap: a larger tile, less overhead
PAD = 64
LEAST_ROWS = 8  # a tile has a multiple of these: as many rows as BLAS takes at a time


def by_tiles(
    function: Callable[[Array, Scratch], Array],
    x: Array,
    tile_rows: int = TILE_ROWS,
    n_jobs: int = 1,
    *,
    padded: bool = True,
) -> Array:
    """function(tile, scratch) → (rows, …) for tiles of x, padded with zeros or not, stacked; threads share them."""
    edges = range(0, max(len(x), 1), tile_rows)  # no rows: one empty tile gives the shape

    def visit(starts: Sequence[int]) -> list[Array]:
        scratch, parts = Scratch(), []
        for start in starts:
            part = x[start : start + tile_rows]
            if not padded:
                parts.append(function(part, scratch))
                continue
            n_rows = -(-max(len(part), 1) // LEAST_ROWS) * LEAST_ROWS
            tile = scratch.array("tile", (n_rows, x.shape[1]), np.float64)
            tile[: len(part)], tile[len(part) :] = part, 0.0
            parts.append(np.array(function(tile, scratch)[: len(part)]))
        return parts

    n_jobs = min(n_jobs, len(edges))
    if n_jobs <= 1:
        return np.concatenate(visit(edges))
    size = -(-len(edges) // n_jobs)
    groups = run_together([partial(visit, edges[i : i + size]) for i in range(0, len(edges), size)], n_jobs)
    return np.concatenate([part for parts in groups for part in parts])


def padded(factor: Array) -> Array:
    """Lower factor (k, k) with a unit diagonal up to a multiple of PAD."""
    k = len(factor)
    size = -(-k // PAD) * PAD
    out = np.zeros((size, size), order="F")
    for start in range(0, k, PAD):  # what stands above the diagonal is not read
        stop = min(start + PAD, k)
        out[start:stop, start:stop] = np.tril(factor[start:stop, start:stop])
        out[stop:k, start:stop] = factor[stop:, start:stop]
    np.einsum("ii->i", out)[k:] = 1.0
    return out


def padded_rows(array: Array) -> Array:
    """`array` (k, …) with rows of zeros up to a multiple of PAD."""
    return np.pad(array, [(0, -len(array) % PAD)] + [(0, 0)] * (array.ndim - 1))


def whiten(factor: Array, psi: Array) -> Array:
    """L⁻¹ψᵀ (size, rows) for psi (rows, k) and a padded factor."""
    rows = np.zeros((len(psi), len(factor)))
    rows[:, : psi.shape[1]] = psi
    return solve_rows_lower(factor, rows).T
