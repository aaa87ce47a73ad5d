"""How many rows are learned from, stage by stage: few to screen starts, more for the long run, all for the last steps.

In: the settings, the number of rows, flops. Out: `Stage`s, and `Shuffled` rows: one random order for all stages and all
kernels, so that each stage's rows lie within the next one's and kernels are learned from the same rows. Reads no clock.
"""

from dataclasses import dataclass, field

import numpy as np

from alakarte.data.arrays import Rows
from alakarte.data.compress import Tails
from alakarte.search.sizes import evaluation_flops

SCREEN_ROWS = 1000
SMALL_ROWS = 8000  # up to here the long run sees all rows
MAIN_ROWS = 4000  # of more
ROWS_EACH = 4  # a parameter, at least: kernels whose frequencies are parameters have thousands
MAIN_ITERATIONS = 80  # where there are more rows than these
SECOND_ITERATIONS = 15
SECOND_ITERATIONS_OF_ALL = 60  # where the long run saw all rows
LAST_ITERATIONS = 5
LAST_FLOPS = 4e11  # of the last stage: all rows where they suffice, as many as they suffice for else
ORDER_ROWS = 1_000_000  # rows of more are not put in order
PRICE = 5e-15  # nats a row that a flop must gain for a stage to go on
PATIENCE = 16  # the price is so much lower where the user gives time


@dataclass(frozen=True)
class Stage:
    """Rows, iterations at most, the nats that ten iterations must gain, and the nats that a flop must."""

    n_rows: int
    max_iter: int
    tol: float
    price: float = 0.0


def screening_stage(settings, n_rows: int) -> Stage:
    """A few steps from every start."""
    few = min(SCREEN_ROWS, n_rows) if settings.progressive else _given(settings, n_rows)
    return Stage(few, settings.max_iter_restart, settings.tol)


def long_stage(settings, n_rows: int, n_parameters: int) -> Stage:
    """The long run from the best start."""
    if not settings.progressive:
        return Stage(_given(settings, n_rows), settings.max_iter, settings.tol)
    if n_rows <= SMALL_ROWS:
        return priced(n_rows, settings.max_iter, settings.tol)
    if ROWS_EACH * n_parameters > MAIN_ROWS:
        return priced(min(ROWS_EACH * n_parameters, n_rows), settings.max_iter, settings.tol)
    return priced(MAIN_ROWS, min(MAIN_ITERATIONS, settings.max_iter), settings.tol)


def second_stage(settings, n_rows: int, level: int = 0) -> Stage:
    """The long run once more with more frequencies; higher levels have more rows and steps."""
    size = n_rows if n_rows <= SMALL_ROWS else min(MAIN_ROWS << 2 * level, n_rows)
    if settings.n_learning_rows != "auto":
        size = _given(settings, n_rows)
    steps = max(SECOND_ITERATIONS << level, SECOND_ITERATIONS_OF_ALL * (n_rows <= SMALL_ROWS))
    return priced(size, min(steps, settings.max_iter), settings.tol)


def last_stage(settings, n_rows: int, n_basis: int, level: int = 0) -> Stage | None:
    """A few steps on all rows, or as many as the flops allow, where the long run saw fewer."""
    if not settings.progressive or n_rows <= SMALL_ROWS:
        return None
    affordable = LAST_FLOPS * 16**level * n_rows / (LAST_ITERATIONS * evaluation_flops(n_rows, n_basis))
    return priced(min(max(int(affordable), MAIN_ROWS), n_rows), min(LAST_ITERATIONS, settings.max_iter), settings.tol)


def closed_last_stage(settings, n_rows: int) -> Stage:
    """A few steps on all rows without an expansion; a posterior that can do without has rows few enough for them."""
    return priced(n_rows, min(LAST_ITERATIONS, settings.max_iter), settings.tol)


def _given(settings, n_rows: int) -> int:
    """Rows that the user asked for, or all."""
    return n_rows if settings.n_learning_rows in ("auto", None) else min(settings.n_learning_rows, n_rows)


def priced(n_rows: int, max_iter: int, tol: float) -> Stage:
    """A stage that goes on for as long as it pays."""
    return Stage(n_rows, max_iter, tol, PRICE * n_rows)


@dataclass(frozen=True)
class Shuffled:
    """Rows in a random order."""

    rows: Rows
    order: np.ndarray
    taken: dict[int, Rows] = field(default_factory=dict, repr=False)

    def first(self, size: int) -> Rows:
        """The first rows of that order, standardised, in memory; all rows as they are."""
        if size >= self.rows.n_rows:
            return self.rows
        if size not in self.taken:
            self.taken[size] = self.rows.subset(np.sort(self.order[:size]))
        return self.taken[size]

    def drawn_in(self, tails: Tails) -> "Shuffled":
        """The same order, the tails of inputs drawn in."""
        return Shuffled(self.rows.drawn_in(tails), self.order)


def shuffle(rows: Rows, rng, least: int = 0) -> Shuffled:
    """A random order of at least so many rows, as far as there are any."""
    return Shuffled(rows, rng.choice(rows.n_rows, min(rows.n_rows, max(least, ORDER_ROWS)), replace=False))


def in_order(settings, rows: Rows, streams) -> Shuffled:
    """Rows as the stages take them; few rows as they are where every stage takes them all."""
    if settings.n_learning_rows is None and rows.n_rows <= SMALL_ROWS:
        return Shuffled(rows, np.arange(rows.n_rows))
    return shuffle(rows, streams("rows"), 0 if settings.n_learning_rows in ("auto", None) else settings.n_learning_rows)
