"""From rows to a fitted process, on one page: learn kernels on few rows, compare them on all, keep the best.

In: a `Search`. Out: `Fit`. Each step returns what it was given where it does not apply. Kernels are compared by their
evidence less half a nat per number learned, at equal columns, or in closed form where that is cheap. A kernel given by
name goes alone. docs/how_a_fit_goes.md has the numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import alakarte.search.policy as policy
from alakarte.posteriors.average import average_of
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.build import build_posterior
from alakarte.posteriors.calibration import UNCALIBRATED, Calibration
from alakarte.posteriors.rows import row_posterior
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.objective import row_space
from alakarte.search.calibrate import calibrate
from alakarte.search.candidates import Candidate, indistinguishable, menu
from alakarte.search.competition import learn_candidates, time_to_compare
from alakarte.search.context import Search
from alakarte.search.estimate import tell_estimate
from alakarte.search.free_frequencies import try_free_frequencies
from alakarte.search.grow import grow
from alakarte.search.learn import Learned, WarmStart
from alakarte.search.refine import refine_contenders
from alakarte.search.rough import fit_neighbours, time_for_neighbours, try_neighbours
from alakarte.search.time_left import spend_time_left
from alakarte.search.trends import with_trends
from alakarte.search.waves import look_for_waves

State = TypeVar("State")


@dataclass(frozen=True)
class Fit:
    """What a search has found."""

    search: Search
    ranking: list[Candidate]  # the best first
    tuned: TunedProcess  # of the best, on all rows
    growth_reason: str  # why it has no more columns
    posterior: Posterior
    averaged: list[int]  # ranks of the kernels in the posterior
    left_out: tuple[float, ...] = ()  # log loss per row of rows left out, where kernels are ranked by that
    regression: Learned | None = None  # what regression learned of the best, where another likelihood learned further
    calibration: Calibration = UNCALIBRATED  # of normal noise

    @property
    def best(self) -> Candidate:
        """The kernel that won, or that was given by name."""
        return self.ranking[0]

    @property
    def warm_start(self) -> WarmStart:
        """Where another fit of the best kernel may begin."""
        learned = self.regression or self.best.learned
        return learned.problem.draws, learned.run.theta


def fit(search: Search, warm: WarmStart | None = None) -> Fit:
    """Learn, choose, refine, grow; `warm` is where an earlier fit of the same kernel ended."""
    if search.settings.expansion == "local":
        ranking, tuned, posterior = fit_neighbours(search, warm)
        posterior, calibration = _calibrated(search, ranking[0], posterior)
        return Fit(search, ranking, tuned, "neighbours need none", posterior, [0], calibration=calibration)
    search = look_for_waves(search)
    with search.budget.without(time_for_neighbours(search)):
        search, ranking = choose(search, warm)
        ranking = keep(search, ranking, with_trends)
        ranking = keep(search, ranking, spend_time_left)
        grown = grow(search, ranking[0])
        ranking, grown = keep(search, (ranking, grown), lambda search, state: try_free_frequencies(search, *state))
        averaged = indistinguishable(search, ranking)
        posterior, averaged = _posterior(ranking, grown.tuned, averaged)
    ranking, tuned, posterior = keep(search, (ranking, grown.tuned, posterior), try_neighbours)
    posterior, calibration = _calibrated(search, ranking[0], posterior)
    return Fit(search, ranking, tuned, grown.reason, posterior, averaged, calibration=calibration)


def choose(search: Search, warm: WarmStart | None = None) -> tuple[Search, list[Candidate]]:
    """Learn the kernels of the menu, compare them on all rows, and learn the best further."""
    tell_estimate(search)
    with search.budget.part(_time_to_choose(search), time_to_compare(search, 1)):
        search, ranking = learn_candidates(search, menu(search), warm)
        return search, keep(search, ranking, refine_contenders)


def _time_to_choose(search: Search) -> float:
    """The part of `max_time` for the choice of a kernel: all, where no columns are to grow."""
    return 1.0 if menu(search)[0].keeps_closed_form else policy.TIME_TO_CHOOSE


def keep(search: Search, state: State, step: Callable[[Search, State], State]) -> State:
    """What a step makes of a state; the state as it was, if the user interrupts the step."""
    try:
        return step(search, state)
    except KeyboardInterrupt:
        search.budget.interrupted = True
        return state


def _calibrated(search: Search, best: Candidate, posterior: Posterior) -> tuple[Posterior, Calibration]:
    """By rows left out, unless the user interrupts."""
    return keep(search, (posterior, UNCALIBRATED), lambda search, state: calibrate(search, best, state[0]))


def _posterior(ranking: list[Candidate], tuned: TunedProcess, averaged: list[int]) -> tuple[Posterior, list[int]]:
    """The posterior of the best, or the average of several, and the ranks in it."""
    if len(averaged) > 1:
        try:
            kernels = [ranking[rank].tuned for rank in averaged]
            members = tuple(row_posterior(each.process, each.solved or row_space(each.process)) for each in kernels)
            learned = tuple(ranking[rank].n_parameters for rank in averaged)
            even = ranking[0].plan.begins_from_waves
            return average_of(members, learned, even=even), averaged
        except KeyboardInterrupt:
            pass  # the best alone
    if tuned.solved is not None:
        return row_posterior(tuned.process, tuned.solved), averaged[:1]
    return build_posterior(tuned.process, _known_nlml(ranking[0].learned, tuned), tuned.sums), averaged[:1]


def _known_nlml(learned: Learned, tuned: TunedProcess) -> float | None:
    """Of the rows; None where only sums have told it, to their rounding."""
    problem = tuned.process.problem
    if tuned.process.expansion is None:
        return tuned.nlml
    if problem.rows is learned.problem.rows and tuned.theta is learned.run.theta:
        return learned.run.nlml
    return None
