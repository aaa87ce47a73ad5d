"""Several kernels learned side by side in parts of the time: first steps of all, the long run of those with hope.

In: the plans of the menu. Out: `Candidate`s, the best first.
"""

import alakarte.search.policy as policy
from alakarte.search.candidates import Candidate, ranked
from alakarte.search.compare import compare
from alakarte.search.context import Search
from alakarte.search.cost import comparing_flops
from alakarte.search.learn import Learned, WarmStart, begin, learn, learn_long
from alakarte.search.plan import Plan


def learn_candidates(search: Search, plans: list[Plan], warm: WarmStart | None) -> list[Candidate]:
    """All candidates, best first; as many as the time allows, one at least. One alone is not compared."""
    if search.settings.kernel is not None:
        [plan] = plans
        return [Candidate(plan, learn(search, plan, warm), None, compressed=search.compressed)]
    begun = _begin(search, plans)
    learned = _in_time(search, _learn_long(search, begun))
    try:
        return ranked(compare(search, learned))
    except KeyboardInterrupt:
        search.budget.interrupted = True
        return compare(search, [_best(learned)])


def time_to_compare(search: Search, n_candidates: int) -> float:
    """Seconds that the comparison of so many candidates on all rows will take."""
    return search.budget.seconds(comparing_flops(search.rows.n_rows, n_candidates))


def _begin(search: Search, plans: list[Plan]) -> list[tuple[Plan, Learned]]:
    """The first steps of every candidate, as many as the time allows; the most promising first."""
    begun: list[tuple[Plan, Learned]] = []
    with search.budget.part(policy.TIME_TO_SCREEN, time_to_compare(search, 1)):
        for plan in plans:
            if begun and search.budget.is_over():
                break
            try:
                begun.append((plan, begin(search, plan)))
            except KeyboardInterrupt:
                if not begun:  # nothing to keep
                    raise
                search.budget.interrupted = True
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
        fraction = policy.TIME_TO_LEARN / (len(begun) - rank)
        with search.budget.part(fraction, time_to_compare(search, rank + 1)):
            behind = _screened_nlml(first_steps) - least
            hopeless = search.rows.n_rows > policy.FEW_ROWS and behind > policy.HOPELESS
            try:
                learned.append((plan, first_steps if hopeless else learn_long(search, plan, first_steps)))
            except KeyboardInterrupt:
                search.budget.interrupted = True
                learned.append((plan, first_steps))
    return learned


def _in_time(search: Search, learned: list[tuple[Plan, Learned]]) -> list[tuple[Plan, Learned]]:
    """All, if there is time to compare them on all rows; else the best on the rows that they were learned from."""
    if time_to_compare(search, len(learned)) <= search.budget.left():
        return learned
    return [_best(learned)]


def _best(learned: list[tuple[Plan, Learned]]) -> tuple[Plan, Learned]:
    """The best on the rows that they were learned from."""
    return min(learned, key=lambda pair: pair[1].nlml_per_row)
