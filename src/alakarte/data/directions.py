"""Inputs along few directions: what is left of many inputs where few of their combinations hold most of them.

In: standardised rows and a unit per input. Out: `Directions`, a map from inputs to coordinates. A row's coordinates do
not depend, to the last bit, on the rows that it comes with: who was fitted is found again among the others.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Block, Rows, Work
from alakarte.execution.scratch import Scratch
from alakarte.records import Array

_TILE_ROWS = 64  # that are multiplied at once, padded: BLAS treats the edges of a matrix differently
_LEAST = 1e-10  # of the variance along the first direction: what has less is rounding


@dataclass(frozen=True)
class Directions:
    """u = x̂ A, one coordinate per direction."""

    axes: Array  # (d, m) A

    @property
    def n_directions(self) -> int:
        """m."""
        return int(self.axes.shape[1])

    def along(self, x: Array) -> Array:
        """Coordinates (rows, m) of standardised inputs (rows, d)."""
        out = np.empty((len(x), self.n_directions))
        tile = np.zeros((_TILE_ROWS, x.shape[1]))
        for start in range(0, len(x), _TILE_ROWS):
            part = x[start : start + _TILE_ROWS]
            tile[: len(part)], tile[len(part) :] = part, 0.0
            out[start : start + len(part)] = (tile @ self.axes)[: len(part)]
        return out

    def rows(self, rows: Rows, n_jobs: int = 1) -> ArrayRows:
        """All rows with their targets, along the directions, in memory."""
        work = Work(rows.n_inputs, n_jobs=n_jobs)
        return ArrayRows(rows.map_rows(_along, self.n_directions, self, work=work), *rows.targets())


def _along(scratch: Scratch, block: Block, directions: Directions) -> Array:
    return directions.along(block.x)


def leading_directions(some: Block, unit: Array, most: int) -> tuple[Directions, float]:
    """At most so many orthogonal directions of most variance of x̂ × unit (d,), and the scale of their coordinates.

    The scale is one for all, so that the mean variance of the coordinates is one: u = (x̂ × unit) V × scale. There are
    no directions where no input varies.
    """
    x = some.x * unit
    x = (x - np.average(x, axis=0, weights=some.weight)) * np.sqrt(some.weight / some.weight.sum())[:, None]
    variance, vectors = _leading(x, most)
    live = variance > _LEAST * max(variance.max(initial=0.0), np.finfo(float).tiny)
    if not live.any():
        return Directions(np.empty((len(unit), 0))), 1.0
    scale = 1 / float(np.sqrt(variance[live].mean()))
    return Directions(np.ascontiguousarray(unit[:, None] * vectors[:, live] * scale)), scale


def _leading(x: Array, most: int) -> tuple[Array, Array]:
    """Variances (m,), the largest first, and orthonormal directions (d, m), by the smaller of xᵀx and xxᵀ."""
    n, d = x.shape
    size = min(n, d)
    last = [max(size - most, 0), size - 1]
    variance, vectors = eigh(x.T @ x if d <= n else x @ x.T, subset_by_index=last)
    variance, vectors = variance[::-1], vectors[:, ::-1]
    if d > n:
        vectors = x.T @ vectors / np.sqrt(np.maximum(variance, np.finfo(float).tiny))
    return variance, vectors
