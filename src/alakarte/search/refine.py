"""The best candidates learned further: with more frequencies, where they pay, and on more rows.

In: candidates. Out: the same, or better ones: what it was before stays, if that has as much evidence.
"""

from dataclasses import replace

import alakarte.search.policy as policy
from alakarte.search.candidates import Candidate, after_doublings, contenders, ranked
from alakarte.search.compare import compare, with_columns
from alakarte.search.context import Search
from alakarte.search.learn import Learned, learn_further


def refine_contenders(search: Search, ranking: list[Candidate]) -> list[Candidate]:
    """The ranking with its best one or two refined."""
    if search.settings.kernel is not None:
        return refine(search, ranking)
    near = contenders(search, ranking)[: policy.CONTENDERS]
    return ranked(refine(search, near)) + ranking[len(near) :]


def refine(search: Search, candidates: list[Candidate], doublings: int = 0) -> list[Candidate]:
    """Candidates after further stages; with doubled columns, more of everything."""
    if not search.budget.is_over():
        candidates = [_compared(search, candidate) for candidate in candidates]
    further = [_further(search, candidate, doublings) for candidate in candidates]
    refined = [replace(candidate, learned=learned) for candidate, learned in zip(candidates, further, strict=True)]
    moved = [i for i, c in enumerate(candidates) if c.compared is not None and further[i] is not c.learned]
    if moved:
        # with the columns that it was learned with, at least: fewer would favour what was learned with fewer
        columns = search.affordable(max(search.compare_columns, policy.SECOND_COLUMNS << doublings))
        better = compare(search, [(candidates[i].plan, further[i]) for i in moved], columns)
        for i, candidate in zip(moved, better, strict=True):
            refined[i] = max(candidates[i], candidate, key=lambda c: c.score)
    return [after_doublings(candidate, doublings) for candidate in refined]


def _compared(search: Search, candidate: Candidate) -> Candidate:
    """A kernel given by name has not been compared with others: its process on all rows, where columns are open."""
    if candidate.compared is not None or not candidate.plan.growing:
        return candidate
    return compare(search, [(candidate.plan, candidate.learned)])[0]


def _further(search: Search, candidate: Candidate, doublings: int) -> Learned:
    """What is learned by further stages, or what was learned before."""
    if candidate.doublings >= doublings or candidate.learned.problem.is_closed or search.budget.is_over():
        return candidate.learned
    learned = _with_more_frequencies(search, candidate, doublings)
    stage = candidate.plan.last_stage(learned.problem.n_basis, doublings)
    if stage is None or stage.n_rows <= learned.problem.rows.n_rows or search.budget.is_over():
        return learned
    problem = learned.problem.on(search.subsets.first(stage.n_rows))
    return learn_further(search, candidate.plan, learned, problem, learned.run.theta, stage)


def _with_more_frequencies(search: Search, candidate: Candidate, doublings: int) -> Learned:
    """The second stage, where more columns pay; on some of the rows only under `max_time`, where more rows follow."""
    learned, plan, columns = candidate.learned, candidate.plan, policy.SECOND_COLUMNS << doublings
    if candidate.compared is None or not plan.growing or learned.problem.n_basis >= columns:
        return learned
    stage = plan.second_stage(doublings)
    if doublings == 0 and stage.n_rows < plan.n_rows and plan.settings.progressive:
        return learned
    after = candidate.compared.nlml / search.rows.total
    if abs(learned.nlml_per_row - after) <= policy.MORE:
        return learned
    problem = with_columns(learned.problem, columns, search.stream("more", plan, columns))
    problem = problem.on(search.subsets.first(stage.n_rows))
    return learn_further(search, plan, learned, problem, candidate.compared.theta, stage)
