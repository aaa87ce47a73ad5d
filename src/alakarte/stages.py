"""How many rows are learned from, stage by stage: few to screen starts, more for the long run, most for the last steps.

In: the settings and the number of rows. Out: `Stage`s and random subsets, each within the next. Reads no clock.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.data.blocks import Rows

SCREEN_ROWS = 2000
MAIN_ROWS = 8000
LAST_ROWS = 50_000
LAST_ITERATIONS = 15
PAYS = 2e-4  # nats a row from ten iterations: less than this, and a stage before the last is over


@dataclass(frozen=True)
class Stage:
    """Rows, iterations at most, and the nats that ten iterations must gain."""

    n_rows: int
    max_iter: int
    tol: float


def row_stages(settings, n_rows: int) -> list[Stage]:
    """The screening stage, then at least one more."""
    last = {"auto": LAST_ROWS, None: n_rows}.get(settings.n_learning_rows, settings.n_learning_rows)
    last = min(last, n_rows)
    if settings.n_learning_rows != "auto" or settings.expansion == "exact":
        sizes = [last, last]
    else:
        sizes = [min(size, last) for size in (SCREEN_ROWS, MAIN_ROWS, LAST_ROWS)]
        sizes = sizes if sizes[2] > sizes[1] else sizes[:2]
    stages = [Stage(sizes[0], settings.max_iter_restart, settings.tol)]
    for size in sizes[1:]:
        short = settings.n_learning_rows == "auto" and not size == n_rows <= MAIN_ROWS
        tol = max(settings.tol, PAYS * size) if short else settings.tol
        stages.append(Stage(size, settings.max_iter, tol))
    if len(stages) > 2:
        stages[-1] = Stage(sizes[-1], min(LAST_ITERATIONS, settings.max_iter), stages[-1].tol)
    return stages


def row_subsets(rows: Rows, sizes: list[int], rng) -> list[Rows]:
    """Random rows, standardised in memory, each set within the next; all rows where a size says so."""
    part = max((size for size in sizes if size < rows.n_rows), default=0)
    order = rng.choice(rows.n_rows, size=part, replace=False) if part else None
    return [rows if size >= rows.n_rows else rows.subset(np.sort(order[:size])) for size in sizes]
