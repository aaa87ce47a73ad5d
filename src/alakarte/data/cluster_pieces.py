"""The table on a Dask cluster, in pieces, each the value of a task that the cluster can compute again.

In: futures of pieces. Out: `Pieces`, and columns of them for what is computed per piece. Does not know how they were
read, nor what is learned from them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from alakarte.data.pieces import over_pieces
from alakarte.execution.cluster import Cluster
from alakarte.execution.threads import one_blas_thread
from alakarte.records import Array, Integers

Piece = tuple[Array, Array, Array]  # inputs (rows, variables), targets (rows, T), weights (rows,), in the user's units
Targets = tuple[Array, Array]  # (rows, T), (rows,) weights


@dataclass(frozen=True)
class Pieces:
    """The table on the cluster."""

    cluster: Cluster
    futures: tuple[Any, ...]  # of Piece
    edges: Integers  # where they begin and end
    n_targets: int

    @property
    def n_rows(self) -> int:
        """n."""
        return int(self.edges[-1])

    def take(self, picked: Integers) -> Piece:
        """Rows `picked` (k,), ascending, in the driver's memory."""
        calls = []
        for future, (start, stop) in zip(self.futures, pairwise(self.edges), strict=True):
            low, high = np.searchsorted(picked, (start, stop))
            calls.append((future, picked[low:high] - start))
        x, y, weight = (np.concatenate(each) for each in zip(*self.cluster.run(_rows_of_piece, calls), strict=True))
        return x, y, weight

    def targets(self) -> Targets:
        """All targets (n, T) and weights (n,), in the driver's memory."""
        parts = self.cluster.run(_targets_of_piece, [(future,) for future in self.futures])
        y, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
        return y, weight

    def changed(self, change: Callable[..., Targets], *arguments: Any) -> "Pieces":
        """The same inputs with as many other targets, and weights: change(x, y, weight, *arguments), where they lie."""
        shared = self.cluster.submit_shared((change, arguments))
        return replace(
            self, futures=tuple(self.cluster.submit(_changed_piece, shared, future) for future in self.futures)
        )

    def within(self, low: int, high: int) -> tuple[int, list[Any]]:
        """The number of the first row of the pieces that hold rows from `low` to `high`, and these."""
        held = [i for i, (start, stop) in enumerate(pairwise(self.edges)) if start < high and stop > low]
        return int(self.edges[held[0]]), [self.futures[i] for i in held]


@dataclass(frozen=True)
class ClusterColumns:
    """Columns of the table on the cluster, for what is computed per piece: inputs (0), targets (1) or weights (2)."""

    pieces: Pieces
    part: int
    picked: slice | None = None  # of the columns; None: all

    def __getitem__(self, place: tuple[slice, slice]) -> "ClusterColumns":
        """The rows' columns `place[1]`."""
        assert place[0] == slice(None)
        assert self.picked is None
        return replace(self, picked=place[1])

    def __len__(self) -> int:
        return self.pieces.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        """(n, T) of targets."""
        return len(self), self.pieces.n_targets


@over_pieces.register
def _over_cluster(values: ClusterColumns, weight: Any, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """One task per piece; the weights are those of the piece."""
    place = values.part, values.picked
    calls = [(future, place, function, *arguments) for future in values.pieces.futures]
    return values.pieces.cluster.run(_of_piece, calls, said="pieces of the table summed up")


def _of_piece(
    shared: None, piece: Piece, place: tuple[int, slice | None], function: Callable[..., Any], *arguments: Any
) -> Any:
    part, picked = place
    values = piece[part] if picked is None else piece[part][:, picked]
    return function(values, piece[2], *arguments)


def _changed_piece(shared: tuple[Callable[..., Targets], tuple[Any, ...]], piece: Piece) -> Piece:
    """Runs on a worker: the inputs of a piece with other targets and weights."""
    change, arguments = shared
    with one_blas_thread():
        return piece[0], *change(*piece, *arguments)


def _rows_of_piece(shared: None, piece: Piece, picked: Integers) -> Piece:
    """Runs on a worker: some rows of a piece."""
    x, y, weight = piece
    return x[picked], y[picked], weight[picked]


def _targets_of_piece(shared: None, piece: Piece) -> Targets:
    return piece[1], piece[2]
