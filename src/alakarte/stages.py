"""How many rows are learned from, stage by stage: few to screen starts, more for the long run, most for the last steps.

In: the settings and the number of rows. Out: `Stage`s and random subsets, each within the next. Reads no clock.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.data.blocks import Rows

SCREEN_ROWS = 1000
SMALL_ROWS = 8000  # up to here the long run sees all rows
MAIN_ROWS = 4000  # of more
LAST_ROWS = 10_000
MAIN_ITERATIONS = 60  # where there are more rows than these
SECOND_ITERATIONS = 15
SECOND_ITERATIONS_OF_ALL = 60  # where the long run saw all rows
LAST_ITERATIONS = 5
PAYS = 5e-4  # nats a row from ten iterations: less than this, and a stage before the last is over


@dataclass(frozen=True)
class Stage:
    """Rows, iterations at most, and the nats that ten iterations must gain."""

    n_rows: int
    max_iter: int
    tol: float


def first_stages(settings, n_rows: int) -> list[Stage]:
    """Screening, and the long run from the best start."""
    if settings.n_learning_rows != "auto" or settings.expansion == "exact":
        size = n_rows if settings.n_learning_rows in ("auto", None) else min(settings.n_learning_rows, n_rows)
        few, long = size, Stage(size, settings.max_iter, settings.tol)
    else:
        few, long = min(SCREEN_ROWS, n_rows), Stage(n_rows, settings.max_iter, settings.tol)
        if n_rows > SMALL_ROWS:
            long = Stage(MAIN_ROWS, min(MAIN_ITERATIONS, settings.max_iter), max(settings.tol, PAYS * MAIN_ROWS))
    return [Stage(few, settings.max_iter_restart, settings.tol), long]


def second_stage(settings, n_rows: int, level: int = 0) -> Stage:
    """The long run once more with more frequencies; higher levels have more rows and steps."""
    size = n_rows if n_rows <= SMALL_ROWS else min(MAIN_ROWS << 2 * level, n_rows)
    steps = max(SECOND_ITERATIONS << level, SECOND_ITERATIONS_OF_ALL if n_rows <= SMALL_ROWS else 0)
    return Stage(size, min(steps, settings.max_iter), max(settings.tol, PAYS * size))


def last_stage(settings, n_rows: int, level: int = 0) -> Stage | None:
    """A few steps on most rows, where the long run saw fewer."""
    if settings.n_learning_rows != "auto" or settings.expansion == "exact" or n_rows <= SMALL_ROWS:
        return None
    size = min(LAST_ROWS << 2 * level, n_rows)
    return Stage(size, min(LAST_ITERATIONS, settings.max_iter), max(settings.tol, PAYS * size))


def row_subsets(rows: Rows, sizes: list[int], rng) -> list[Rows]:
    """Random rows, standardised in memory, each set within the next; all rows where a size says so."""
    part = max((size for size in sizes if size < rows.n_rows), default=0)
    order = rng.choice(rows.n_rows, size=part, replace=False) if part else None
    return [rows if size >= rows.n_rows else rows.subset(np.sort(order[:size])) for size in sizes]
