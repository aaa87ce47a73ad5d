"""What is done with the time that the user gave and the search has not used: `max_time` is a wish for more, too.

In: a ranking. Out: a better one: more components, more frequencies, more rows, for as long as that pays.
"""

import alakarte.search.policy as policy
from alakarte.search.candidates import Candidate, after_doublings, contenders, indistinguishable, ranked
from alakarte.search.compare import compare
from alakarte.search.context import Search
from alakarte.search.cost import comparing_flops, free_frequencies, most_columns, posterior_flops
from alakarte.search.learn import climb, learn, learn_further
from alakarte.search.refine import refine
from alakarte.search.sizes import most_components


def spend_time_left(search: Search, ranking: list[Candidate]) -> list[Candidate]:
    """The ranking after more of everything, if there is time left and columns are open."""
    best, budget, n_rows = ranking[0], search.budget, search.rows.n_rows
    if best.compared is None or not best.plan.growing or not budget.patient or budget.is_over():
        return ranking
    reserve = budget.seconds(posterior_flops(n_rows, most_columns(n_rows, patient=True)))
    reserve = min(reserve, policy.TIME_TO_GROW * budget.left())
    tries_free = free_frequencies(n_rows, search.rows.n_inputs) > 0
    with budget.part(policy.TIME_TO_CHOOSE if tries_free else policy.TIME_FOR_MORE, reserve):
        while (larger := _more_components(search, ranking[0])) and larger.score > ranking[0].score:
            ranking = [larger, *ranking]
        for doublings in range(1, policy.DOUBLINGS):
            before = ranking[0].score
            ranking = _refine_in_time(search, ranking, doublings)
            if ranking[0].score == before or budget.is_over():
                break
        alike = indistinguishable(search, ranking)
        return ranked([_polish(search, c) if rank in alike else c for rank, c in enumerate(ranking)])


def _more_components(search: Search, best: Candidate) -> Candidate | None:
    """The best kernel with twice its components, if it has some, the rows bear them and the user left them open."""
    kernel, n_components = best.plan.kernel, 2 * best.plan.n_components
    if not kernel.has_components or search.settings.n_components is not None or search.budget.is_over():
        return None
    if most_components(kernel, best.plan.n_rows, search.scaling.n_variables, policy.ROWS_TO_SPARE) < n_components:
        return None
    plan = search.plan(kernel, n_components)
    return compare(search, [(plan, learn(search, plan))])[0]


def _refine_in_time(search: Search, ranking: list[Candidate], doublings: int) -> list[Candidate]:
    """The contenders refined with so many doublings, each if the time allows."""
    budget = search.budget
    for candidate in contenders(search, ranking):
        if budget.elapsed() + budget.seconds(candidate.plan.refinement_flops(doublings)) < budget.until:
            [refined] = refine(search, [candidate], doublings)
            ranking = ranked([refined if place is candidate else place for place in ranking])
    return ranking


def _polish(search: Search, candidate: Candidate) -> Candidate:
    """Further iterations on the rows and columns of the last stage, for as long as they pay and there is time."""
    learned, plan = candidate.learned, candidate.plan
    finished = learned.run.ending.converged and len(learned.runs) == 1
    if search.budget.is_over() or (finished and not learned.problem.is_closed):
        return candidate
    n_rows, columns = search.rows.n_rows, candidate.tuned.n_basis
    flops = comparing_flops(n_rows, columns, closed=learned.problem.is_closed)
    with search.budget.part(1.0, search.budget.seconds(flops)):
        if learned.only_screened:
            learned = climb(search, plan, learned, plan.rungs(learned.problem.layout.size)[0])
        else:
            stage = plan.priced(learned.problem.rows.n_rows, plan.settings.max_iter)
            learned = learn_further(search, plan, learned, learned.problem, learned.run.theta, stage)
    if learned is candidate.learned:  # no time: nothing that is new to compare
        return candidate
    [better] = compare(search, [(plan, learned)], columns)
    return after_doublings(better, candidate.doublings) if better.score > candidate.score else candidate
