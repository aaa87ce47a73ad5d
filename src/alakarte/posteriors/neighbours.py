"""Which rows are near: the k nearest points by Euclidean distance of scaled inputs, ties by row number.

In: rows and a scale per input. Out: `Neighbours`. The points are the one copy of the inputs that is made. A query's
answer does not depend on its company. Knows no kernels and no targets.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from alakarte.data.rows import Block, Rows, Work
from alakarte.execution.scratch import Scratch
from alakarte.execution.threads import run_together
from alakarte.posteriors.scan import nearest_by_scan
from alakarte.records import Array, Integers

_LEAF_ROWS = 128  # the fastest are 64, but the tree must stay small beside its points
_QUERY_ROWS = 512  # that a thread looks up at once
_TIES = 4096  # neighbours at one distance that are told apart by number; among more the tree decides


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Points (n, d), inputs times `scale` (d,), and the tree that finds them, or a scan of all of them."""

    points: Array  # (n, d)
    scale: Array  # (d,)
    scanned: bool = False  # the same neighbours; a tree is faster up to some twenty inputs that matter

    @cached_property
    def _squares(self) -> Array:
        """(n,) lengths of the points."""
        return np.asarray(np.einsum("ij,ij->i", self.points, self.points))

    @cached_property
    def _tree(self) -> Any:
        return cKDTree(self.points, leafsize=_LEAF_ROWS, balanced_tree=False, copy_data=False)

    def __getstate__(self) -> dict[str, Any]:
        """What cannot be made from the rest."""
        return {"points": self.points, "scale": self.scale, "scanned": self.scanned}

    @property
    def n_rows(self) -> int:
        """n."""
        return len(self.points)

    def nearest(self, queries: Array, k: int, n_jobs: int = 1) -> Integers:
        """(rows, k) the nearest rows of each query (rows, d), scaled; the nearest first, of equals the first row."""
        k = min(k, self.n_rows)
        parts = list(pairwise([*range(0, len(queries), _QUERY_ROWS), len(queries)]))
        find = partial(nearest_by_scan, self.points, self._squares) if self.scanned else partial(_nearest, self._tree)
        tasks = [partial(find, queries[start:stop], k) for start, stop in parts]
        return np.concatenate([np.empty((0, k), np.int64), *run_together(tasks, n_jobs)])

    def nearest_others(self, picked: Integers, k: int, weight: Array | None = None, n_jobs: int = 1) -> Integers:
        """(rows, k) the nearest of all rows but itself, for the rows `picked` (rows,); k is at most n − 1.

        A row of weight (n,) more than one is several rows: it stays among its own neighbours.
        """
        near = self.nearest(self.points[picked], min(k, self.n_rows - 1) + 1, n_jobs)
        left_out = near == picked[:, None]
        if weight is not None:
            left_out &= weight[picked, None] <= 1
        left_out[~left_out.any(axis=1), -1] = True  # nothing to leave out: the farthest goes
        others: Integers = near[~left_out].reshape(len(near), near.shape[1] - 1)
        return others

    def same(self, query: Array) -> Integers:
        """The rows at the very place of a query (d,), scaled, by number."""
        return np.sort(np.asarray(self._tree.query_ball_point(query, 0.0), dtype=np.int64))


def _nearest(tree: Any, queries: Array, k: int) -> Integers:
    """`Neighbours.nearest` of some queries: enough are fetched to see the end of the last tie."""
    fetched = min(k + 1, tree.n)
    distance, row = _query(tree, queries, fetched)
    out = row[:, :k].copy()
    open_ends = np.flatnonzero(distance[:, k - 1] == distance[:, -1]) if fetched > k else np.empty(0, np.int64)
    while open_ends.size and fetched < min(tree.n, _TIES):
        fetched = min(2 * fetched, tree.n)
        distance, row = _query(tree, queries[open_ends], fetched)
        out[open_ends] = row[:, :k]
        open_ends = open_ends[distance[:, k - 1] == distance[:, -1]]
    return out


def _query(tree: Any, queries: Array, k: int) -> tuple[Array, Integers]:
    """Distances and rows (rows, k), sorted by distance, then by row."""
    distance, row = tree.query(queries, k=np.arange(1, k + 1))
    order = np.lexsort((row, distance), axis=1)
    return np.take_along_axis(distance, order, 1), np.take_along_axis(row, order, 1)


def _scaled(scratch: Scratch, block: Block, scale: Array) -> Array:
    return block.x * scale


def neighbours_among(rows: Rows, scale: Array, n_jobs: int = 1) -> Neighbours:
    """All rows as points of a metric with one scale (d,) per input, wherever the rows live."""
    points = rows.map_rows(_scaled, rows.n_inputs, scale, work=Work(rows.n_inputs, n_jobs=n_jobs))
    return Neighbours(points, scale)
