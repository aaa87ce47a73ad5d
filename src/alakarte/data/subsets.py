"""Rows to learn from: one random order for all stages and all kernels.

In: rows and a generator. Out: `Subsets`: the rows of each stage lie within those of the next, and kernels are learned
from the same rows.
"""

from dataclasses import dataclass, field

import numpy as np

from alakarte.data.compress import Tails
from alakarte.data.rows import Rows
from alakarte.records import Integers

ORDERED_ROWS = 1_000_000  # rows of more are not put in order


@dataclass(frozen=True)
class Subsets:
    """Rows in a random order."""

    rows: Rows
    order: Integers  # (k,) places in `rows`, k ≤ n
    taken: dict[int, Rows] = field(default_factory=dict, repr=False, compare=False)

    def first(self, size: int) -> Rows:
        """The first rows of that order, standardised, in memory; all rows as they are."""
        if size >= self.rows.n_rows:
            return self.rows
        if size not in self.taken:
            self.taken[size] = self.rows.take(np.sort(self.order[:size]))
        return self.taken[size]

    def compressed(self, tails: Tails) -> "Subsets":
        """The same order, the tails of inputs compressed."""
        return Subsets(self.rows.compressed(tails), self.order)


def shuffle(rows: Rows, rng: np.random.Generator, least: int = 0) -> Subsets:
    """A random order of at least so many rows, as far as there are any."""
    return Subsets(rows, rng.choice(rows.n_rows, min(rows.n_rows, max(least, ORDERED_ROWS)), replace=False))
