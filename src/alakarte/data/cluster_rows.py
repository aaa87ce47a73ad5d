"""Rows on a Dask cluster: one task per lane walks its blocks where they lie, and lanes are added in their order.

In: pieces of the table, each the value of a task that the cluster can compute again. Out: `ClusterRows`. Sums travel as
triangles; some rows come to the driver where a stage learns from them. The bits are those of an array.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.compress import Tails
from alakarte.data.pieces import over_pieces
from alakarte.data.rows import Block, Rows, Work, add_lane, block_edges, lane_edges
from alakarte.data.standardise import Scaling
from alakarte.errors import Unavailable
from alakarte.execution.checkpoint import Checkpoint
from alakarte.execution.cluster import Cluster
from alakarte.execution.digest import digest
from alakarte.execution.scratch import Scratch, ScratchPool
from alakarte.execution.threads import one_blas_thread
from alakarte.records import Array, Integers

Piece = tuple[Array, Array, Array]  # inputs (rows, variables), targets (rows, T), weights (rows,), in the user's units


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

    def within(self, low: int, high: int) -> tuple[list[Any], int]:
        """The pieces that hold rows from `low` to `high`, and the number of the first row in them."""
        held = [i for i, (start, stop) in enumerate(pairwise(self.edges)) if start < high and stop > low]
        return [self.futures[i] for i in held], int(self.edges[held[0]])


@dataclass(frozen=True)
class ClusterColumns:
    """Columns of the table on the cluster, for what is computed per piece: inputs (0) or targets (1)."""

    pieces: Pieces
    part: int

    def __len__(self) -> int:
        return self.pieces.n_rows


@over_pieces.register
def _over_cluster(values: ClusterColumns, weight: Any, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """One task per piece; the weights are those of the piece."""
    calls = [(future, values.part, function, *arguments) for future in values.pieces.futures]
    return values.pieces.cluster.run(_of_piece, calls)


def _of_piece(shared: None, piece: Piece, part: int, function: Callable[..., Any], *arguments: Any) -> Any:
    return function(piece[part], piece[2], *arguments)


@dataclass(frozen=True)
class ClusterRows(Rows):
    """Standardised as they are visited."""

    pieces: Pieces
    scaling: Scaling
    total_weight: float
    scratch: ScratchPool = field(default_factory=ScratchPool, repr=False, compare=False)
    checkpoint: Checkpoint = field(default_factory=Checkpoint, repr=False, compare=False)

    @property
    def n_rows(self) -> int:
        """n."""
        return self.pieces.n_rows

    @property
    def n_inputs(self) -> int:
        """d."""
        return self.scaling.x_mean.size

    @property
    def n_targets(self) -> int:
        """T."""
        return self.pieces.n_targets

    @property
    def total(self) -> float:
        """N."""
        return self.total_weight

    def map_sum(
        self, function: Callable[..., None], zero: Callable[[], list[Array]], *arguments: Any, work: Work
    ) -> list[Array]:
        """Sums over all blocks: see `Rows.map_sum`."""
        name = digest(self, function, arguments) if self.checkpoint.remembers else ""
        n_known, total = self.checkpoint.recall_sums(name)
        lanes = lane_edges(self.n_rows, sum(part.nbytes for part in zero()))
        shared = (function, zero, arguments, self.scaling, work.block_rows, np.geterr())
        calls = []
        for low, high in list(pairwise(lanes.tolist()))[n_known:]:
            held, first = self.pieces.within(low, high)
            calls.append((low, high, first, *held))
        for sums in self.pieces.cluster.run(_sum_lane, calls, shared) if calls else ():
            total = add_lane(total, [unpacked(part) for part in sums])
        if self.checkpoint.remembers and calls and total is not None:
            self.checkpoint.keep_sums(name, len(lanes) - 1, total, finished=True)
        assert total is not None
        return total

    def take(self, picked: Integers) -> ArrayRows:
        """Rows `picked` (k,), ascending, standardised, in the driver's memory."""
        calls = []
        for future, (start, stop) in zip(self.pieces.futures, pairwise(self.pieces.edges), strict=True):
            low, high = np.searchsorted(picked, (start, stop))
            calls.append((future, picked[low:high] - start))
        parts = self.pieces.cluster.run(_rows_of_piece, calls)
        x, y, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
        return ArrayRows(x, y, weight, scaling=self.scaling).standardised()

    def whole(self) -> Block:
        """All rows standardised, in the driver's memory."""
        return self.take(np.arange(self.n_rows, dtype=np.int64)).whole()

    def targets(self) -> tuple[Array, Array]:
        """All targets (n, T), standardised, and weights (n,), in the driver's memory."""
        block = self.whole()
        return block.y, block.weight

    def compressed(self, tails: Tails) -> "ClusterRows":
        """The same rows with the tails of their inputs compressed."""
        return replace(self, scaling=replace(self.scaling, tails=tails))

    def fill_rows(self, out: Array, function: Callable[..., Array], *arguments: Any, work: Work) -> None:
        """Not on a cluster: one number per row would have to come to the driver at every step."""
        raise Unavailable(
            "This posterior works row by row, which rows on a Dask cluster do not: give X.compute(), or use "
            "GPRegressor(likelihood='gaussian') with the expansion 'auto' or 'fastfood'."
        )

    def with_targets(self, y: Array, weight: Array) -> "Rows":
        """Not on a cluster: see `fill_rows`."""
        raise Unavailable(
            "Likelihoods other than 'gaussian' hold a number per row on the driver: give X.compute() instead of a "
            "collection of Dask."
        )


def _joined(pieces: tuple[Piece, ...], low: int, high: int) -> Piece:
    """Rows from `low` to `high` of some pieces that follow each other; of one piece without a copy."""
    if len(pieces) == 1:
        x, y, weight = pieces[0]
    else:
        x, y, weight = (np.concatenate(each) for each in zip(*pieces, strict=True))
    return x[low:high], y[low:high], weight[low:high]


def _sum_lane(shared: Any, low: int, high: int, first: int, *pieces: Piece) -> list[Any]:
    """Runs on a worker: the sums of a lane, triangles packed; the pieces begin at row `first`."""
    function, zero, arguments, scaling, block_rows, errors = shared
    rows = ArrayRows(*_joined(pieces, low - first, high - first), scaling=scaling)
    sums, scratch = zero(), Scratch()
    with one_blas_thread(), np.errstate(**errors):
        for start, stop in pairwise(block_edges(low, high, block_rows) - low):
            function(sums, scratch, rows.block(start, stop), *arguments)
    return [packed(part) for part in sums]


def _rows_of_piece(shared: None, piece: Piece, picked: Integers) -> Piece:
    """Runs on a worker: some rows of a piece."""
    x, y, weight = piece
    return x[picked], y[picked], weight[picked]


@dataclass(frozen=True)
class Triangle:
    """A lower triangle, column by column."""

    size: int
    values: Array  # (size (size + 1) / 2,)


def packed(part: Array) -> Array | Triangle:
    """Half of a matrix whose upper triangle is zero; others as they are."""
    if part.ndim != 2 or part.shape[0] != part.shape[1] or not part.flags.f_contiguous or np.triu(part, 1).any():
        return part
    return Triangle(len(part), np.concatenate([part[j:, j] for j in range(len(part))] or [np.zeros(0)]))


def unpacked(part: Array | Triangle) -> Array:
    """The matrix again."""
    if not isinstance(part, Triangle):
        return np.array(part, order="K")  # what came over the wire is not writable
    matrix = np.zeros((part.size, part.size), order="F")
    start = 0
    for j in range(part.size):
        stop = start + part.size - j
        matrix[j:, j] = part.values[start:stop]
        start = stop
    return matrix
