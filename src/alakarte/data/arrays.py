"""Rows, visited block by block: add something of every block to a sum. Threads, and later machines, are the same thing.

In: arrays, standardised or with their scaling. Out: `Rows` with `map_sum`, the one way to go over the rows.
Rows are cut into a fixed number of lanes, each with a sum of its own, added in order at the end: the bits depend on the
table and the size of the sum, never on the number of threads.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from alakarte.compiled.layout import aligned
from alakarte.data.compress import Tails, find_tails
from alakarte.data.standardise import Scaling

BLOCK_ROWS = (1024, 2048)  # twice the columns, within these: small blocks stay in the cache, large ones feed BLAS
LANES = 8
LANE_ROWS = 16384  # to make and add a lane's sum costs as much as some hundred rows
TWO_LANES = 1024  # from here on two lanes pay on two threads
LANE_BYTES = 256e6  # all lanes' sums together, unless two exceed it


class Scratch:
    """Buffers used again for every block and every pass: fresh pages cost as much as the work on them."""

    def __init__(self):
        self.buffers = {}

    def array(self, name: str, shape: tuple[int, ...], dtype) -> np.ndarray:
        """An array (shape) with whatever it held last, zeros at first; valid until the same name is asked for again."""
        size = math.prod(shape)
        buffer = self.buffers.get(name)
        if buffer is None or buffer.size < size or buffer.dtype != dtype:
            buffer = self.buffers[name] = aligned((size,), dtype)
        return buffer[:size].reshape(shape)


@dataclass(frozen=True)
class Rows:
    """Training rows: inputs (n, d), targets (n, T), weights (n,).

    Standardised already, or with a `scaling` in the user's units: then blocks are standardised as they are visited, and
    a large table is never copied.
    """

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    block_rows: int | None = None  # by the number of columns if None
    scaling: Scaling | None = None
    spare: list[Scratch] = field(default_factory=list, repr=False, compare=False)  # lent to the lane that runs

    @contextmanager
    def scratch(self):
        """Buffers for the thread that asks, given back at the end."""
        try:
            lent = self.spare.pop()  # other threads may have taken all
        except IndexError:
            lent = Scratch()
        try:
            yield lent
        finally:
            self.spare.append(lent)

    @property
    def n_rows(self) -> int:
        """Distinct rows."""
        return self.x.shape[0]

    @property
    def total(self) -> float:
        """N, the sum of weights."""
        return float(self.weight.sum())

    def block(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Standardised x, y, weight of some rows."""
        x, y, weight = self.x[start:stop], self.y[start:stop], self.weight[start:stop]
        return (x, y, weight) if self.scaling is None else (self.scaling.inputs(x), self.scaling.target(y), weight)

    def whole(self) -> "Rows":
        """All rows standardised, in memory."""
        if self.scaling is None:
            return self
        return Rows(*self.block(0, self.n_rows), self.block_rows, spare=self.spare)

    def subset(self, picked) -> "Rows":
        """Rows `picked` (k,), ascending, standardised, in memory."""
        part = Rows(self.x[picked], self.y[picked], self.weight[picked], self.block_rows, self.scaling, self.spare)
        return part.whole()

    def tails(self) -> Tails:
        """Where the tails of the standardised inputs begin."""
        return find_tails(self.block(0, self.n_rows)[0], self.weight)

    def reach(self, tails: Tails) -> float:
        """How many edges from the median the farthest input lies."""
        ends = np.stack([self.x.min(axis=0), self.x.max(axis=0)])
        return tails.reach(ends if self.scaling is None else self.scaling.inputs(ends))

    def drawn_in(self, tails: Tails) -> "Rows":
        """The same rows with the tails of their inputs drawn in."""
        if self.scaling is None:
            return replace(self, x=tails.draw_in(self.x))
        return replace(self, scaling=replace(self.scaling, tails=tails))

    def map_sum(self, function: Callable, zero: Callable, *arguments, n_basis=1024, itemsize=8, n_jobs=1):
        """Sums over all blocks, of a size that suits `n_basis` columns of `itemsize` bytes: a list of arrays.

        `zero()` makes arrays of zeros; `function(sums, scratch, x, y, weight, *arguments)` adds one block to them.
        """
        first = zero()
        lanes = self._lanes(sum(part.nbytes for part in first))
        block_rows = self.block_rows or int(np.clip(2 * n_basis, *BLOCK_ROWS) * (1 if itemsize == 8 else 1.5))
        errors = np.geterr()

        def visit(index):
            sums = first if index == 0 else zero()
            low, high = lanes[index], lanes[index + 1]
            edges = np.linspace(low, high, -(-(high - low) // block_rows) + 1).astype(int)
            with np.errstate(**errors), self.scratch() as scratch:  # threads do not inherit the first
                for start, stop in pairwise(edges):
                    function(sums, scratch, *self.block(start, stop), *arguments)
            return sums

        n_lanes = len(lanes) - 1
        if n_jobs == 1 or n_lanes == 1:
            return _add(visit(index) for index in range(n_lanes))
        with ThreadPoolExecutor(min(n_jobs, n_lanes)) as pool:
            return _add(pool.map(visit, range(n_lanes)))

    def _lanes(self, sum_bytes: int) -> np.ndarray:
        """Edges of the lanes."""
        by_memory = max(2, int(LANE_BYTES // max(sum_bytes, 1)))
        n_lanes = min(LANES, by_memory, max(2, self.n_rows // LANE_ROWS)) if self.n_rows >= TWO_LANES else 1
        return np.linspace(0, self.n_rows, n_lanes + 1).astype(int)


def _add(parts) -> list[np.ndarray]:
    parts = iter(parts)
    total = next(parts)
    for sums in parts:
        for mine, other in zip(total, sums, strict=True):
            mine += other
    return total
