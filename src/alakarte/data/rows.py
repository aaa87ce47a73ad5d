"""What rows are to the rest of the house: visit every block, apply a function, add the results.

In: nothing; this is the interface. Out: `Rows`. Threads, files and machines are the same thing behind it. Lanes are cut
by the size of the table and of the sums and added along a fixed tree: the bits do not depend on who did the work.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from alakarte.data.compress import Tails
from alakarte.execution.checkpoint import Checkpoint
from alakarte.execution.digest import digest, stands_for
from alakarte.execution.scratch import ScratchPool
from alakarte.records import Array, Integers

LANES = 8  # as a rule
LANE_ROWS = 16384  # to make and add a lane's sum costs as much as some hundred rows
LARGEST_LANE = 2**22  # rows of larger tables have more lanes, for more workers to hold and to visit
TWO_LANES = 1024  # from here on two lanes pay on two threads
LANE_BYTES = 256e6  # all lanes' sums together, unless two exceed it,
BYTES_PER_ROW = 16  # or so many per row
SKETCHED = 100  # rows that stand for all of a table
BLOCK_ROWS = (1024, 2048)  # twice the columns, within these: small blocks stay in the cache, large ones feed BLAS


@dataclass(frozen=True)
class Work:
    """What decides how rows are cut: the columns that each row is turned into, their bytes, and the threads."""

    n_columns: int = 1024
    itemsize: int = 8
    n_jobs: int = 1

    @property
    def block_rows(self) -> int:
        """Rows of a block."""
        return int(np.clip(2 * self.n_columns, *BLOCK_ROWS) * (1 if self.itemsize == 8 else 1.5))


class Rows(ABC):
    """Training rows: standardised inputs (n, d), targets (n, T), weights (n,), wherever they live."""

    scratch: ScratchPool  # for those who work on all rows at once
    checkpoint: Checkpoint  # of passes over all rows
    told: str = ""  # a name of targets and weights other than the table's, where a checkpoint tells them apart

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """n, distinct rows."""

    @property
    @abstractmethod
    def n_inputs(self) -> int:
        """d."""

    @property
    @abstractmethod
    def n_targets(self) -> int:
        """T."""

    @property
    @abstractmethod
    def total(self) -> float:
        """N, the sum of weights."""

    @abstractmethod
    def map_sum(
        self, function: Callable[..., None], zero: Callable[[], list[Array]], *arguments: Any, work: Work
    ) -> list[Array]:
        """Sums over all blocks.

        `zero()` makes arrays of zeros; `function(sums, scratch, block, *arguments)` adds one `Block` to them.
        """

    @abstractmethod
    def fill_rows(self, out: Array, function: Callable[..., Array], *arguments: Any, work: Work) -> None:
        """Write what `function(scratch, block, *arguments)` says of each row of a `Block` to out (n, k)."""

    def map_rows(self, function: Callable[..., Array], n_values: int, *arguments: Any, work: Work) -> Array:
        """(n, n_values): what a function says of each row."""
        remembers = self.checkpoint.in_step
        name = self.checkpoint.name_of_pass(self, function, arguments) if remembers else ""
        known = self.checkpoint.recall(name)
        if known is not None:
            return known[0]
        out = np.empty((self.n_rows, n_values))
        self.fill_rows(out, function, *arguments, work=work)
        if remembers:
            self.checkpoint.keep(name, [out])
        return out

    @abstractmethod
    def with_targets(self, y: Array, weight: Array) -> "Rows":
        """The same inputs with other targets (n, T), standardised, and weights (n,)."""

    @abstractmethod
    def remembered(self, checkpoint: Checkpoint) -> "Rows":
        """The same rows, whose passes a checkpoint knows."""

    def _of_others(self, y: Array, weight: Array) -> tuple[Checkpoint, str]:
        """The checkpoint of the same inputs with other targets and weights, and the name of these: within a step."""
        if not self.checkpoint.in_step:
            return Checkpoint(), ""
        return self.checkpoint, digest(y, weight)

    @abstractmethod
    def whole(self) -> "Block":
        """All rows standardised, in memory."""

    @abstractmethod
    def targets(self) -> tuple[Array, Array]:
        """All targets (n, T), standardised, and weights (n,), in memory."""

    @abstractmethod
    def take(self, picked: Integers) -> "Rows":
        """Rows `picked` (k,), ascending, standardised, in memory."""

    @abstractmethod
    def compressed(self, tails: Tails) -> "Rows":
        """The same rows with the tails of their inputs compressed."""


@stands_for.register(Rows)
def _some_rows(rows: Rows) -> tuple[Any, ...]:
    """What tells rows from others: their number, their weight and some of them, evenly spread."""
    some = rows.take(np.linspace(0, rows.n_rows - 1, min(rows.n_rows, SKETCHED)).astype(np.int64)).whole()
    return rows.n_rows, rows.total, some.x, some.y, some.weight, rows.told


@dataclass(frozen=True)
class Block:
    """Some rows, standardised, in memory."""

    x: Array  # (rows, d)
    y: Array  # (rows, T)
    weight: Array  # (rows,)


def lane_edges(n_rows: int, sum_bytes: int) -> Integers:
    """Where lanes begin and end, for sums of so many bytes."""
    by_memory = max(2, int(max(LANE_BYTES, BYTES_PER_ROW * n_rows) // max(sum_bytes, 1)))
    by_rows = min(max(LANES, n_rows // LARGEST_LANE), max(2, n_rows // LANE_ROWS))
    n_lanes = min(by_rows, by_memory) if n_rows >= TWO_LANES else 1
    return np.linspace(0, n_rows, n_lanes + 1).astype(int)


def block_edges(low: int, high: int, block_rows: int) -> Integers:
    """Where the blocks of a lane begin and end."""
    return np.linspace(low, high, -(-(high - low) // block_rows) + 1).astype(int)


def add_sums(sums: list[Array], others: list[Array]) -> list[Array]:
    """Sums, grown by those of the lanes that follow."""
    for whole, part in zip(sums, others, strict=True):
        whole += part
    return sums
