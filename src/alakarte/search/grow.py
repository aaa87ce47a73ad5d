"""The process on all rows that the posterior is built from, with as many fresh frequencies as the evidence pays for.

In: the best candidate. Out: `Grown`. Kernels whose parameters are their frequencies keep those.
"""

from dataclasses import dataclass

import alakarte.search.policy as policy
from alakarte.process.noise_and_gain import TunedProcess, gain_of_last_doubling
from alakarte.process.problem import Problem, process_at
from alakarte.search.candidates import Candidate
from alakarte.search.compare import as_learned, tune_one, with_columns
from alakarte.search.context import Search
from alakarte.search.cost import posterior_flops


@dataclass(frozen=True)
class Grown:
    """A process on all rows, and why it has no more columns."""

    tuned: TunedProcess
    reason: str = ""


def grow(search: Search, best: Candidate) -> Grown:
    """As it was learned, with a given number of frequencies, or with as many as pay."""
    learned, plan, wanted = best.learned, best.plan, best.plan.posterior_frequencies
    problem, theta = learned.problem.on(search.rows), learned.run.theta
    if problem.is_closed and (wanted is None or plan.keeps_closed_form):
        reason = "the closed form needs none"
        if wanted is None and learned.problem.rows is search.rows:
            return Grown(TunedProcess(process_at(problem, theta), theta, learned.run.nlml, None), reason)
        return Grown(best.compared or as_learned(problem, theta), reason)
    if wanted is None:
        if learned.problem.rows is search.rows:
            return Grown(TunedProcess(process_at(problem, theta), theta, learned.run.nlml, None))
        return Grown(tune_one(problem, theta, search.budget))
    if isinstance(wanted, int):
        fresh = problem.with_fresh_frequencies(wanted, search.stream("posterior", plan, wanted))
        return Grown(tune_one(fresh, theta, search.budget))
    return _while_it_pays(search, best.compared or _first(search, best, problem), problem)


def _first(search: Search, best: Candidate, problem: Problem) -> TunedProcess:
    """The process at the columns where kernels are compared, if there was no time for it before."""
    columns = search.compare_columns
    fresh = with_columns(problem, columns, search.stream("compare", best.plan, columns))
    return tune_one(fresh, best.learned.run.theta, search.budget)


def _in_time(search: Search, columns: int) -> int:
    """So many columns, or as many as there is time for."""
    budget, n_rows = search.budget, search.rows.n_rows
    while columns and budget.seconds(posterior_flops(n_rows, columns)) > budget.left():
        columns = int(0.9 * columns)
    return columns


def _while_it_pays(search: Search, best: TunedProcess, problem: Problem) -> Grown:
    """At once as many columns as are expected to pay, once more if it turns out that more do."""
    budget, total = search.budget, search.rows.total
    most = search.most_columns
    while True:
        if budget.interrupted:
            return Grown(best, "interrupted")
        paying = _columns_that_pay(best, policy.GROWTH * total)
        columns = _in_time(search, min(paying, most))
        if columns < policy.GROWTH_STEP * best.n_basis:
            return Grown(best, _why_no_more(best, paying, most))
        try:
            fresh = with_columns(problem, columns, search.streams("grow", columns))
            larger = tune_one(fresh, best.theta, budget)
        except KeyboardInterrupt:
            budget.interrupted = True
            continue
        gained = best.nlml - larger.nlml
        search.progress.say(
            f"{problem.kernel.name}: {larger.n_basis} columns: log evidence {'+' if gained > 0 else ''}{gained:.1f}"
        )
        if gained < policy.GROWTH * total:
            return Grown(best, f"{larger.n_basis} columns gain {max(gained, 0):.1f} nats")
        best = larger


def _columns_that_pay(best: TunedProcess, nats: float) -> int:
    """Columns from which on a doubling gains fewer nats; twice as many where that cannot be told.

    What an expansion lacks falls as 1/D, so each doubling gains half of what the last one did.
    """
    gain = gain_of_last_doubling(best)
    return 2 * best.n_basis if gain is None else int(best.n_basis * max(gain, 0.0) / nats)


def _why_no_more(best: TunedProcess, paying: int, most: int) -> str:
    if paying < policy.GROWTH_STEP * best.n_basis:
        return "twice as many are expected to gain too little"
    if most < policy.GROWTH_STEP * best.n_basis:
        return f"{most} columns are the most that time and memory are spent on"
    return f"no time for more than {best.n_basis} columns"
