"""From rows to a fitted model: learn one kernel or taste several, refit on all rows, keep what the evidence prefers.

In: settings, rows, a seed, a budget. Out: `Fit`. Kernels are compared at equal columns on the same rows by
log evidence − ½ k log N, k the number of learned parameters: without that price the largest kernel would always win.
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.budget import Budget
from alakarte.data.blocks import Rows
from alakarte.data.standardise import Scaling
from alakarte.kernels.registry import resolve
from alakarte.learn import Learned, Settings, learn
from alakarte.objective import model_at, nlml
from alakarte.progress import Progress
from alakarte.refit import Refit, enlarge, flops, grow, grows, refit
from alakarte.sizes import choose_sizes, taste_columns

CANDIDATES = ("ard", "rbf", "pwl", "gm")
EXACT_CANDIDATES = ("ard", "rbf", "matern32")
TASTE_ROWS = 100_000


@dataclass(frozen=True)
class Tasted:
    """A kernel that was learned, and its posterior at the columns where kernels are compared."""

    settings: Settings
    learned: Learned
    at: Refit

    @property
    def score(self) -> float:
        """Log evidence − ½ k log N in standardised units."""
        k, N = self.learned.problem.layout.size, self.at.model.problem.rows.total
        return -self.at.value - 0.5 * k * np.log(N)

    @property
    def label(self) -> str:
        """Kernel and components."""
        Q = self.learned.problem.draws.shape.n_components
        return self.settings.kernel.name + (f" with Q = {Q}" if self.settings.kernel.has_components else "")


@dataclass(frozen=True)
class Fit:
    """All that a regressor keeps; `value` is the nlml on all rows."""

    settings: Settings
    learned: Learned
    final: Refit
    value: float
    ranking: list[Tasted]


def fit(settings: Settings, rows: Rows, scaling: Scaling, rng, progress: Progress, budget: Budget, warm=None) -> Fit:
    """Learn, choose, refit; `warm` is (draws, theta) of an earlier fit of the same kernel."""
    ranking, first = [], None
    if settings.kernel is None:
        ranking = taste(settings, rows, scaling, rng, progress, budget)
        settings, learned, first = ranking[0].settings, ranking[0].learned, ranking[0].at
        progress.say(f"chosen: {ranking[0].label}")
    else:
        settings = sized(settings, settings.kernel, rows)
        with budget.share(0.6, budget.seconds(flops(rows.n_rows, taste_columns(rows.n_rows)))):
            learned = learn(settings, rows, scaling, rng, progress, warm, budget)
    final = _final(settings, learned, first, rows, rng, progress, budget)
    whole = final.model.problem.rows is learned.problem.rows and final.model.problem.draws is learned.problem.draws
    value = learned.run.value if whole else nlml(final.model.problem, final.theta)  # in the accurate form
    return Fit(settings, learned, final, value, ranking)


def sized(settings: Settings, kernel, rows: Rows) -> Settings:
    """Settings of one kernel with its numbers of components and frequencies."""
    table = rows.n_rows, rows.x.shape[1]
    n_components, n_frequencies = choose_sizes(kernel, settings.n_components, settings.n_frequencies, *table)
    if settings.n_posterior_frequencies == "auto" and settings.n_frequencies is not None:
        settings = replace(settings, n_posterior_frequencies=None)  # the number that was asked for
    return replace(settings, kernel=kernel, n_components=n_components, n_frequencies=n_frequencies)


def taste(settings: Settings, rows: Rows, scaling: Scaling, rng, progress: Progress, budget: Budget) -> list[Tasted]:
    """All candidates, best first; as many as the time allows, one at least."""
    rows_rng, learn_rng, refit_rng = rng.spawn(3)
    some = rows
    if rows.n_rows > TASTE_ROWS:
        some = rows.subset(np.sort(rows_rng.choice(rows.n_rows, size=TASTE_ROWS, replace=False)))
    names = EXACT_CANDIDATES if settings.expansion == "exact" else CANDIDATES
    reserve = flops(rows.n_rows, taste_columns(rows.n_rows))
    tasted = []
    for index, name in enumerate(names):
        if tasted and budget.stop():
            break
        own = sized(settings, resolve(name), rows)
        with budget.share(0.6 / (len(names) - index), budget.seconds(reserve)):
            learned = learn(own, some, scaling, learn_rng.spawn(1)[0], progress, None, budget)
        tasted.append(Tasted(own, learned, _at_taste(own, learned, some, refit_rng.spawn(1)[0], budget)))
        progress.say(f"{tasted[-1].label}: score {tasted[-1].score:.1f}")
    return sorted(tasted, key=lambda one: -one.score)


def _at_taste(settings: Settings, learned: Learned, rows: Rows, rng, budget: Budget) -> Refit:
    problem, theta = replace(learned.problem, rows=rows), learned.run.theta
    if settings.expansion == "exact":
        return Refit(model_at(problem, theta), theta, nlml(problem, theta), None)
    return refit(enlarge(problem, taste_columns(rows.n_rows), rng), theta, budget)


def _final(settings: Settings, learned: Learned, first: Refit | None, rows, rng, progress, budget) -> Refit:
    """The posterior on all rows: as it was learned, with a given number of frequencies, or grown."""
    problem, theta, wanted = replace(learned.problem, rows=rows), learned.run.theta, settings.n_posterior_frequencies
    if settings.expansion == "exact" or wanted is None or not grows(settings.kernel):
        if settings.expansion == "exact" or learned.problem.rows is rows:
            return Refit(model_at(problem, theta), theta, learned.run.value, None)
        return refit(problem, theta, budget)
    refit_rng, grow_rng = rng.spawn(2)
    if wanted != "auto":
        return refit(enlarge(problem, wanted, refit_rng, each=True), theta, budget)
    if first is None or first.model.problem.rows is not rows:
        theta = theta if first is None else first.theta
        first = refit(enlarge(problem, taste_columns(rows.n_rows), refit_rng), theta, budget)
    return grow(first, problem, grow_rng, budget, progress.say)
