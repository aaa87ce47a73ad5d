"""Rows in memory, or in a memory map: the table as the user gave it is never copied where it is large.

In: arrays, standardised or with their scaling. Out: `ArrayRows`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from alakarte.data.compress import Tails
from alakarte.data.pieces import in_a_row, sum_of_weights
from alakarte.data.rows import Block, Rows, Work, add_sums, block_edges, lane_edges
from alakarte.data.standardise import Scaling
from alakarte.execution.checkpoint import Checkpoint
from alakarte.execution.scratch import ScratchPool
from alakarte.execution.threads import results_in_order, run_together
from alakarte.execution.tree import Tree
from alakarte.records import Array, Integers


@dataclass(frozen=True)
class ArrayRows(Rows):
    """Inputs (n, d), targets (n, T), weights (n,).

    Standardised already, or with a `scaling` in the user's units: then blocks are standardised as they are visited,
    and the columns of x are the user's variables.
    """

    x: Array
    y: Array
    weight: Array
    block_rows: int | None = None  # by the number of columns if None
    scaling: Scaling | None = None
    scratch: ScratchPool = field(default_factory=ScratchPool, repr=False, compare=False)
    checkpoint: Checkpoint = field(default_factory=Checkpoint, repr=False, compare=False)
    told: str = ""

    @property
    def n_rows(self) -> int:
        """n, distinct rows."""
        return int(self.x.shape[0])

    @property
    def n_inputs(self) -> int:
        """d, the number of inputs."""
        return int(self.x.shape[1]) if self.scaling is None else self.scaling.x_mean.size

    @property
    def n_targets(self) -> int:
        """T, the number of targets."""
        return int(self.y.shape[1])

    @property
    def total(self) -> float:
        """N, the sum of weights."""
        return sum_of_weights(self.weight)

    def block(self, start: int, stop: int) -> Block:
        """Standardised rows from `start` to `stop`."""
        x, y, weight = self.x[start:stop], self.y[start:stop], in_a_row(self.weight[start:stop])
        if self.scaling is None:
            return Block(x, y, weight)
        return Block(self.scaling.inputs(x), self.scaling.target(y), weight)

    def whole(self) -> Block:
        """All rows standardised, in memory."""
        return self.block(0, self.n_rows)

    def targets(self) -> tuple[Array, Array]:
        """All targets (n, T), standardised, and weights (n,)."""
        return (self.y if self.scaling is None else self.scaling.target(self.y)), in_a_row(self.weight)

    def excess_log_slope(self) -> float:
        """In nats: what a transform of these targets has beyond its mean in the fit, of rows not standardised yet."""
        return 0.0 if self.scaling is None else self.scaling.excess_log_slope(self.y, self.weight)

    def standardised(self) -> "ArrayRows":
        """The same rows with their standardised values in memory."""
        if self.scaling is None:
            return self
        block = self.whole()
        return replace(self, x=block.x, y=block.y, weight=block.weight, scaling=None)

    def take(self, picked: Integers) -> "ArrayRows":
        """Rows `picked` (k,), ascending, standardised, in memory."""
        some = replace(self, x=self.x[picked], y=self.y[picked], weight=self.weight[picked], checkpoint=Checkpoint())
        return some.standardised()

    def compressed(self, tails: Tails) -> "ArrayRows":
        """The same rows with the tails of their inputs compressed."""
        if self.scaling is None:
            return replace(self, x=tails.compress(self.x))
        return replace(self, scaling=replace(self.scaling, tails=tails))

    def with_targets(self, y: Array, weight: Array) -> "ArrayRows":
        """The same inputs with other targets (n, T), standardised, and weights (n,)."""
        scaling = None if self.scaling is None else self.scaling.with_plain_targets(y.shape[1])
        checkpoint, told = self._of_others(y, weight)
        return replace(self, y=y, weight=weight, scaling=scaling, checkpoint=checkpoint, told=told)

    def remembered(self, checkpoint: Checkpoint) -> "ArrayRows":
        """The same rows, whose passes a checkpoint knows."""
        return replace(self, checkpoint=checkpoint)

    def fill_rows(self, out: Array, function: Callable[..., Array], *arguments: Any, work: Work) -> None:
        """What a function says of each row: see `Rows.fill_rows`."""
        edges = block_edges(0, self.n_rows, self.block_rows or work.block_rows)
        errors = np.geterr()

        def visit(start: int, stop: int) -> None:
            with np.errstate(**errors), self.scratch.borrow() as scratch:  # threads do not inherit the first
                out[start:stop] = function(scratch, self.block(start, stop), *arguments)

        run_together([partial(visit, start, stop) for start, stop in pairwise(edges)], work.n_jobs)

    def map_sum(
        self, function: Callable[..., None], zero: Callable[[], list[Array]], *arguments: Any, work: Work
    ) -> list[Array]:
        """Sums over all blocks: see `Rows.map_sum`."""
        name = self.checkpoint.name_of_pass(self, function, arguments)
        lanes = lane_edges(self.n_rows, sum(part.nbytes for part in zero()))
        block_rows = self.block_rows or work.block_rows
        errors = np.geterr()

        def visit(index: int) -> None:
            sums = zero()
            with np.errstate(**errors), self.scratch.borrow() as scratch:  # threads do not inherit the first
                for start, stop in pairwise(block_edges(lanes[index], lanes[index + 1], block_rows)):
                    function(sums, scratch, self.block(start, stop), *arguments)
            tree.put((0, index), sums)

        tree = Tree(len(lanes) - 1, add_sums)
        for node, known in self.checkpoint.recall_sums(name).items():
            tree.put(node, known)
        tasks = [partial(visit, index) for index in tree.missing()]
        for _ in results_in_order(tasks, work.n_jobs) if tasks else ():
            if self.checkpoint.remembers:
                with tree.lock:
                    if self.checkpoint.is_time() or not tree.missing():
                        self.checkpoint.keep_sums(name, tree.waiting)
        return tree.total()
