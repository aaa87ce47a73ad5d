"""Kernels that compete: what is known of each, which of them go on, and which cannot be told apart.

In: kernels that were learned, and their evidence on all rows. Out: `Candidate`s, ranked and chosen from.
"""

from dataclasses import dataclass, replace

import alakarte.search.policy as policy
from alakarte.kernels.registry import resolve
from alakarte.posteriors.ranking import average_weights, score
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.search.context import Search
from alakarte.search.learn import Learned
from alakarte.search.plan import Plan


@dataclass(frozen=True)
class Candidate:
    """A kernel that was learned, and its process on all rows at the columns where kernels are compared."""

    plan: Plan
    learned: Learned
    compared: TunedProcess | None  # None before the first comparison
    doublings: int = -1  # of the columns that it was refined with; −1: not refined
    compressed: bool = False  # the tails of its inputs
    fixed: str = ""  # how long its length-scales are, in words, where they come from the inputs alone
    n_neighbors: int = 0  # that predictions are made from; 0: features or the closed form alone
    rough: Learned | None = None  # what neighbours have learned of that which features leave
    n_tied: int = 0  # entries of theta that follow from others
    log_density: float = float("nan")  # per row, of fresh rows, where features and neighbours were compared

    @property
    def label(self) -> str:
        """Its kernels, and whether there are neighbours."""
        name = self.plan.kernel.name
        if self.rough is not None:
            return f"{name} + near {self.rough.problem.kernel.name}"
        return f"near {name}" if self.n_neighbors else name

    @property
    def title(self) -> str:
        """As progress tells it: kernels whose length-scales are not learned say what they are."""
        return f"{self.label}, fixed at {self.fixed}" if self.fixed else self.label

    @property
    def tuned(self) -> TunedProcess:
        """Its process on all rows."""
        assert self.compared is not None, "this candidate has not been compared yet"
        return self.compared

    @property
    def n_parameters(self) -> int:
        """Numbers that were learned."""
        size = self.learned.problem.layout.size + (0 if self.rough is None else self.rough.problem.layout.size)
        return size - self.n_tied

    @property
    def score(self) -> float:
        """What it is ranked by."""
        return score(self.tuned.nlml, self.n_parameters)


def menu(search: Search) -> list[Plan]:
    """Kernels to choose from: those that need no expansion, where that is cheap, else features of others."""
    if search.settings.kernel is not None:
        return [search.plan(search.settings.kernel)]
    closed = [plan for name in policy.CLOSED_MENU if (plan := search.plan(resolve(name))).keeps_closed_form]
    plans = closed or [search.plan(resolve(name)) for name in policy.FEATURE_MENU]
    few = search.rows.n_rows <= policy.FEW_ROWS
    return _with_waves(search, [plan for plan in plans if few or plan.kernel.name not in policy.MENU_OF_FEW_ROWS])


def _with_waves(search: Search, plans: list[Plan]) -> list[Plan]:
    """The menu with kernels that begin from waves, where rows show any; `gm` and `mm` by features if need be."""
    if search.waves is None:
        return plans
    names = [plan.kernel.name for plan in plans]
    of_series = search.rows.n_inputs == 1 and search.rows.n_rows <= policy.FEW_ROWS and plans[0].keeps_closed_form
    waves = policy.WAVE_KERNELS if of_series else policy.WAVE_MENU
    more = [search.plan(resolve(name)) for name in waves if name not in names]
    return plans + [plan for plan in more if plan.kernel.has_closed_form or search.settings.expansion != "exact"]


def ranked(candidates: list[Candidate]) -> list[Candidate]:
    """The best first."""
    return sorted(candidates, key=lambda candidate: -candidate.score)


def expected_score(search: Search, learned: Learned) -> float:
    """The score on all rows, as far as those that it was learned from tell."""
    return score(learned.nlml_per_row * search.rows.total, learned.problem.layout.size)


def expected_scores(search: Search, learned: list[Learned]) -> list[float]:
    """Those of several kernels. Where rows show waves, as far as the fewest rows tell that one was learned from.

    Free frequencies learn from all rows while closed forms are still on a part of them, and the nearer rows are to one
    another, the better each is told: per row, many rows say less against a kernel than few.
    """
    fewest = min(kernel.problem.rows.n_rows for kernel in learned)
    if search.waves is not None:
        learned = [kernel.valued_on(search.subsets.first(fewest)) for kernel in learned]
    return [expected_score(search, kernel) for kernel in learned]


def contenders(search: Search, ranking: list[Candidate]) -> list[Candidate]:
    """Those not far behind the best, on the same inputs."""
    least = ranking[0].score - policy.DROPPED_OF_MANY * search.rows.total**0.5
    return [c for c in ranking if c.score > least and c.compressed == search.compressed]


def indistinguishable(search: Search, ranking: list[Candidate]) -> list[int]:
    """Ranks of the kernels to average: the best of few rows and those like it, in closed form on the same inputs."""
    best = ranking[0]
    if search.settings.kernel is not None or not best.tuned.process.problem.is_closed:
        return [0]
    if search.rows.n_rows > policy.FEW_ROWS or search.budget.is_over():
        return [0]
    alike = [
        rank
        for rank, candidate in enumerate(ranking)
        if candidate.tuned.process.problem.is_closed and candidate.compressed == search.compressed
    ]
    terms = [{term.name for term in ranking[rank].plan.kernel.terms} for rank in alike]
    of_waves = [rank for rank, names in zip(alike, terms, strict=True) if names & set(policy.WAVE_KERNELS)]
    if search.waves is not None and 0 in of_waves:
        return of_waves
    if "trend" in terms[0]:
        return [0]
    weights = average_weights([ranking[rank].score for rank in alike], search.rows.total)
    return [rank for rank, weight in zip(alike, weights, strict=True) if weight >= policy.LEAST_WEIGHT]


def after_doublings(candidate: Candidate, doublings: int) -> Candidate:
    """The same candidate after a refinement with so many doublings."""
    return replace(candidate, doublings=max(doublings, candidate.doublings))
