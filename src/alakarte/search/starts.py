"""Starting points: the kernel's own, with the noise of the likelihood, clipped to the bounds. Paper, section 5.1."""

from dataclasses import dataclass

from alakarte.execution.randomness import Streams
from alakarte.process.problem import Problem
from alakarte.records import Array, Summary
from alakarte.search.policy import ROWS_TO_SPARE


@dataclass(frozen=True)
class Start:
    """All that a start is."""

    theta: Array
    hold_noise_down: bool = False  # in its first steps: "all is noise" is too near an optimum
    free_centres: bool = False  # no parameter is slow: needs 12 rows per parameter [E22]


def make_starts(problem: Problem, summary: Summary, n_starts: int, streams: Streams, n_rows: int) -> list[Start]:
    """So many starts of a problem that is to be learned from `n_rows`.

    Start i has its own stream, so that more starts never change the earlier ones. Every other one holds noise down, and
    where rows are many half of them free the centres: the evidence decides.
    """
    kernel, layout, draws = problem.kernel, problem.layout, problem.draws
    enough = n_rows >= ROWS_TO_SPARE * layout.size
    starts = []
    for index in range(n_starts):
        values = kernel.start(draws.shape, summary, draws, streams(index), (index + 0.5) / n_starts)
        theta = layout.clip(layout.pack(values | problem.likelihood.start()))
        starts.append(Start(theta, hold_noise_down=index % 2 == 0, free_centres=enough and index % 4 >= 2))
    return starts
