"""From rows to a fitted process, on one page: learn kernels on few rows, compare them on all, keep the best.

In: a `Search`. Out: `Fit`. Each step returns what it was given where it does not apply. Kernels are compared by their
evidence less half a nat per number learned, at equal columns, or in closed form where that is cheap. A kernel given by
name goes alone. docs/how_a_fit_goes.md has the numbers.
"""

from dataclasses import dataclass

import alakarte.search.policy as policy
from alakarte.posteriors.average import average_of
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.build import build_posterior
from alakarte.posteriors.rows import row_posterior
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.objective import nlml, row_space
from alakarte.search.candidates import Candidate, indistinguishable, menu, ranked
from alakarte.search.compare import compare
from alakarte.search.context import Search
from alakarte.search.cost import comparing_flops, most_columns, posterior_bytes, posterior_flops
from alakarte.search.free_frequencies import try_free_frequencies
from alakarte.search.grow import grow
from alakarte.search.learn import Learned, WarmStart, begin, learn, learn_long
from alakarte.search.plan import Plan
from alakarte.search.refine import refine_contenders, try_compressed_inputs
from alakarte.search.time_left import spend_time_left


@dataclass(frozen=True)
class Fit:
    """What a search has found."""

    search: Search
    ranking: list[Candidate]  # the best first
    tuned: TunedProcess  # of the best, on all rows
    growth_reason: str  # why it has no more columns
    posterior: Posterior
    averaged: list[int]  # ranks of the kernels in the posterior

    @property
    def best(self) -> Candidate:
        """The kernel that won, or that was given by name."""
        return self.ranking[0]


def fit(search: Search, warm: WarmStart | None = None) -> Fit:
    """Learn, choose, refine, grow; `warm` is where an earlier fit of the same kernel ended."""
    tell_estimate(search)
    with search.budget.share(policy.TIME_TO_CHOOSE, _time_to_compare(search, 1)):
        ranking = learn_candidates(search, menu(search), warm)
        ranking = refine_contenders(search, ranking)
        search, ranking = try_compressed_inputs(search, ranking)
    ranking = spend_time_left(search, ranking)
    grown = grow(search, ranking[0])
    ranking, grown = try_free_frequencies(search, ranking, grown)
    averaged = indistinguishable(search, ranking)
    posterior, averaged = _posterior(ranking, grown.tuned, averaged)
    return Fit(search, ranking, grown.tuned, grown.reason, posterior, averaged)


def learn_candidates(search: Search, plans: list[Plan], warm: WarmStart | None) -> list[Candidate]:
    """All candidates, best first; as many as the time allows, one at least. One alone is not compared."""
    if search.settings.kernel is not None:
        [plan] = plans
        return [Candidate(plan, learn(search, plan, warm), None, compressed=search.compressed)]
    begun = _begin(search, plans)
    learned = _learn_long(search, begun)
    return ranked(compare(search, _in_time(search, learned)))


def _time_to_compare(search: Search, n_candidates: int) -> float:
    return search.budget.seconds(comparing_flops(search.rows.n_rows, n_candidates))


def _begin(search: Search, plans: list[Plan]) -> list[tuple[Plan, Learned]]:
    """The first steps of every candidate, as many as the time allows; the most promising first."""
    begun: list[tuple[Plan, Learned]] = []
    with search.budget.share(policy.TIME_TO_SCREEN, _time_to_compare(search, 1)):
        for plan in plans:
            if begun and search.budget.is_over():
                break
            begun.append((plan, begin(search, plan)))
    return sorted(begun, key=lambda pair: _screened_nlml(pair[1]))


def _screened_nlml(learned: Learned) -> float:
    """Per row, after the first steps."""
    return learned.run.nlml / learned.screened_total


def _learn_long(search: Search, begun: list[tuple[Plan, Learned]]) -> list[tuple[Plan, Learned]]:
    """The long run of each that has hope."""
    learned: list[tuple[Plan, Learned]] = []
    least = _screened_nlml(begun[0][1])
    for rank, (plan, first_steps) in enumerate(begun):
        if learned and search.budget.is_over():
            break
        share = policy.TIME_TO_LEARN / (len(begun) - rank)
        with search.budget.share(share, _time_to_compare(search, rank + 1)):
            behind = _screened_nlml(first_steps) - least
            hopeless = search.rows.n_rows > policy.FEW_ROWS and behind > policy.HOPELESS
            learned.append((plan, first_steps if hopeless else learn_long(search, plan, first_steps)))
    return learned


def _in_time(search: Search, learned: list[tuple[Plan, Learned]]) -> list[tuple[Plan, Learned]]:
    """All, if there is time to compare them on all rows; else the best on the rows that they were learned from."""
    if _time_to_compare(search, len(learned)) <= search.budget.left():
        return learned
    return [min(learned, key=lambda pair: pair[1].nlml_per_row)]


def _posterior(ranking: list[Candidate], tuned: TunedProcess, averaged: list[int]) -> tuple[Posterior, list[int]]:
    """The posterior of the best, or the average of several, and the ranks in it."""
    if len(averaged) > 1:
        try:
            processes = [ranking[rank].tuned.process for rank in averaged]
            members = tuple(row_posterior(process, row_space(process)) for process in processes)
            return average_of(members, tuple(ranking[rank].n_parameters for rank in averaged)), averaged
        except KeyboardInterrupt:
            pass  # the best alone
    return build_posterior(tuned.process, _accurate_nlml(ranking[0].learned, tuned), tuned.sums), averaged[:1]


def _accurate_nlml(learned: Learned, tuned: TunedProcess) -> float:
    """Of the rows, by residuals rather than by the difference of sums, where there is an expansion."""
    problem = tuned.process.problem
    if tuned.process.expansion is None:
        return tuned.nlml
    if problem.rows is learned.problem.rows and tuned.theta is learned.run.theta:
        return learned.run.nlml
    return nlml(problem, tuned.theta, tuned.sums)


def tell_estimate(search: Search) -> None:
    """Columns at most, flops and bytes of a fit, if all stages run their full length; for the user to read."""
    plans, n_rows = menu(search), search.rows.n_rows
    columns = max(plan.shape.n_frequencies * plan.kernel.columns_per_frequency for plan in plans)
    work = comparing_flops(n_rows, len(plans)) + sum(_learning_flops(plan) for plan in plans)
    if any(plan.growing and not plan.keeps_closed_form for plan in plans):
        work += plans[-1].refinement_flops(0)
        columns = most_columns(n_rows, patient=search.budget.patient)
    elif any(plan.keeps_closed_form for plan in plans):
        columns = n_rows
    work += posterior_flops(n_rows, columns)
    search.progress.plan(n_rows, columns, work, posterior_bytes(columns))


def _learning_flops(plan: Plan) -> float:
    """Of the first stages of a kernel."""
    n_parameters = sum(p.size for p in plan.kernel.parameters(plan.shape))
    closed = plan.learns_closed_form(n_parameters)
    screening, long = plan.screening_stage(), plan.learning_stage(n_parameters)
    first = plan.settings.n_restarts * screening.max_iter * plan.evaluation_flops(screening.n_rows, closed=closed)
    return first + long.max_iter * plan.evaluation_flops(long.n_rows, closed=closed)
