"""Rows on a Dask cluster: a task per lane walks its blocks where they lie; large sums are added there, small ones here.

In: pieces of the table, each the value of a task that the cluster can compute again. Out: `ClusterRows`. Sums travel as
triangles; some rows come to the driver where a stage learns from them. The bits are those of an array.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.cluster_pieces import Piece, Pieces, Targets
from alakarte.data.compress import Tails
from alakarte.data.pieces import sum_of_weights
from alakarte.data.rows import Block, Rows, Work, add_sums, block_edges, lane_edges
from alakarte.data.standardise import Scaling
from alakarte.data.triangles import Packed, added, packed, unpacked
from alakarte.execution.checkpoint import Checkpoint
from alakarte.execution.cluster_sums import NOTHING, Memory, add_up
from alakarte.execution.scratch import Scratch, ScratchPool
from alakarte.execution.threads import one_blas_thread
from alakarte.execution.tree import Node, results_of, total_of
from alakarte.records import Array, Integers

ON_DRIVER = 16e6  # bytes of all lanes' sums up to which they are added there: further tasks would take longer


@dataclass(frozen=True)
class ClusterRows(Rows):
    """Standardised as they are visited; with targets of the pieces, or with others that the driver holds."""

    pieces: Pieces
    scaling: Scaling
    total_weight: float
    other: Targets | None = None
    scratch: ScratchPool = field(default_factory=ScratchPool, repr=False, compare=False)
    checkpoint: Checkpoint = field(default_factory=Checkpoint, repr=False, compare=False)
    told: str = ""

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
        return self.pieces.n_targets if self.other is None else self.other[0].shape[1]

    @property
    def total(self) -> float:
        """N."""
        return self.total_weight

    def _other(self, part: Any) -> Targets | None:
        """Targets and weights of some rows, where the driver holds them."""
        return None if self.other is None else (self.other[0][part], self.other[1][part])

    def map_sum(
        self, function: Callable[..., None], zero: Callable[[], list[Array]], *arguments: Any, work: Work
    ) -> list[Array]:
        """Sums over all blocks: see `Rows.map_sum`."""
        name = self.checkpoint.name_of_pass(self, function, arguments)
        zeros = zero()
        n_bytes = sum(part.nbytes for part in zeros)
        lanes = lane_edges(self.n_rows, n_bytes)
        known = self.checkpoint.recall_sums(name)
        for node, sums in known.items():
            if len(results_of(node, len(lanes) - 1)) == len(lanes) - 1:
                return sums
        shapes = [(part.shape, part.dtype, "F" if part.flags.f_contiguous else "C") for part in zeros]
        calls = []
        for low, high in pairwise(lanes.tolist()):
            first, held = self.pieces.within(low, high)
            edges = block_edges(low, high, work.block_rows) - first
            calls.append((edges, self._other(slice(low, high)), *held))
        shared = (function, arguments, self.scaling, shapes, np.geterr())
        if not self.checkpoint.remembers and n_bytes * len(calls) <= ON_DRIVER:
            parts = self.pieces.cluster.run(_sum_lane, calls, shared)
            return total_of([_unpacked(sums) for sums in parts], add_sums)
        memory = self._memory(name, known)
        total = _unpacked(add_up(self.pieces.cluster, _sum_lane, calls, _add_packed, shared, memory))
        if self.checkpoint.remembers:
            self.checkpoint.keep_sums(name, {((len(calls) - 1).bit_length(), 0): total})
        return total

    def _memory(self, name: str, known: dict[Node, list[Array]]) -> Memory:
        """The checkpoint's, of a pass of that name of which it knows some sums."""
        checkpoint = self.checkpoint
        if not checkpoint.remembers:
            return NOTHING

        def keep(sums: dict[Node, list[Packed]], nodes: list[Node]) -> None:
            known.update({node: _unpacked(parts) for node, parts in sums.items()})
            for node in set(known) - set(nodes):
                del known[node]
            for part in chain(*known.values()):
                part.flags.writeable = False  # the checkpoint needs no copy
            checkpoint.keep_sums(name, known)

        return Memory({node: [packed(part) for part in sums] for node, sums in known.items()}, checkpoint.is_time, keep)

    def fill_rows(self, out: Array, function: Callable[..., Array], *arguments: Any, work: Work) -> None:
        """What a function says of each row: see `Rows.fill_rows`. Blocks that lie in two pieces come to the driver."""
        edges = block_edges(0, self.n_rows, work.block_rows)
        runs = _whole_blocks(edges, self.pieces.edges)
        calls = []
        for run in runs:
            first, [piece] = self.pieces.within(run[0], run[-1])
            calls.append((run - first, self._other(slice(run[0], run[-1])), piece))
        shared = (function, arguments, self.scaling, np.geterr())
        for run, part in zip(runs, self.pieces.cluster.run(_fill_blocks, calls, shared), strict=True):
            out[run[0] : run[-1]] = part
        for low, high in _seams(edges, self.pieces.edges):
            out[low:high] = function(Scratch(), self.take(np.arange(low, high, dtype=np.int64)).whole(), *arguments)

    def take(self, picked: Integers) -> ArrayRows:
        """Rows `picked` (k,), ascending, standardised, in the driver's memory."""
        x, y, weight = self.pieces.take(picked)
        y, weight = self._other(picked) or (y, weight)
        return ArrayRows(x, y, weight, scaling=self.scaling).standardised()

    def whole(self) -> Block:
        """All rows standardised, in the driver's memory."""
        return self.take(np.arange(self.n_rows, dtype=np.int64)).whole()

    def targets(self) -> Targets:
        """All targets (n, T), standardised, and weights (n,), in the driver's memory."""
        y, weight = self.other or self.pieces.targets()
        return self.scaling.target(y), weight

    def compressed(self, tails: Tails) -> "ClusterRows":
        """The same rows with the tails of their inputs compressed."""
        return replace(self, scaling=replace(self.scaling, tails=tails))

    def with_targets(self, y: Array, weight: Array) -> "ClusterRows":
        """The same inputs with other targets (n, T), standardised, and weights (n,), which the driver holds."""
        scaling, total = self.scaling.with_plain_targets(y.shape[1]), sum_of_weights(weight)
        checkpoint, told = self._of_others(y, weight)
        parts: dict[str, Any] = {"scaling": scaling, "total_weight": total, "checkpoint": checkpoint, "told": told}
        return replace(self, other=(y, weight), **parts)

    def remembered(self, checkpoint: Checkpoint) -> "ClusterRows":
        """The same rows, whose passes a checkpoint knows."""
        return replace(self, checkpoint=checkpoint)


def _whole_blocks(edges: Integers, pieces: Integers) -> list[Integers]:
    """Edges of the blocks that lie within each piece, of pieces that hold some."""
    runs = [edges[(edges >= start) & (edges <= stop)] for start, stop in pairwise(pieces)]
    return [run for run in runs if len(run) > 1]


def _seams(edges: Integers, pieces: Integers) -> list[tuple[int, int]]:
    """Blocks (low, high) that lie in two pieces."""
    return [(low, high) for low, high in pairwise(edges.tolist()) if ((pieces > low) & (pieces < high)).any()]


def _joined(pieces: tuple[Piece, ...], low: int, high: int) -> Piece:
    """Rows from `low` to `high` of some pieces that follow each other; of one piece without a copy."""
    if len(pieces) == 1:
        x, y, weight = pieces[0]
    else:
        x, y, weight = (np.concatenate(each) for each in zip(*pieces, strict=True))
    return x[low:high], y[low:high], weight[low:high]


def _rows(scaling: Scaling, pieces: tuple[Piece, ...], low: int, high: int, other: Targets | None) -> ArrayRows:
    """Rows from `low` to `high` of some pieces, with their targets or with others."""
    x, y, weight = _joined(pieces, low, high)
    return ArrayRows(x, *(other or (y, weight)), scaling=scaling)


def _sum_lane(shared: Any, edges: Integers, other: Targets | None, *pieces: Piece) -> list[Packed]:
    """Runs on a worker: the sums of a lane with these edges of blocks, in rows of the pieces; triangles packed."""
    function, arguments, scaling, shapes, errors = shared
    rows = _rows(scaling, pieces, edges[0], edges[-1], other)
    sums, scratch = [np.zeros(shape, dtype, order) for shape, dtype, order in shapes], Scratch()
    with one_blas_thread(), np.errstate(**errors):
        for start, stop in pairwise(edges - edges[0]):
            function(sums, scratch, rows.block(start, stop), *arguments)
    return [packed(part) for part in sums]


def _unpacked(sums: list[Packed]) -> list[Array]:
    return [unpacked(part) for part in sums]


def _add_packed(sums: list[Packed], others: list[Packed]) -> list[Packed]:
    """Runs on a worker: the sums of lanes that follow each other."""
    return [added(part, other) for part, other in zip(sums, others, strict=True)]


def _fill_blocks(shared: Any, edges: Integers, other: Targets | None, piece: Piece) -> Array:
    """Runs on a worker: what a function says of the rows of some blocks of a piece."""
    function, arguments, scaling, errors = shared
    rows, scratch = _rows(scaling, (piece,), edges[0], edges[-1], other), Scratch()
    with one_blas_thread(), np.errstate(**errors):
        parts = [
            np.array(function(scratch, rows.block(start, stop), *arguments))
            for start, stop in pairwise(edges - edges[0])
        ]
    return np.concatenate(parts)
