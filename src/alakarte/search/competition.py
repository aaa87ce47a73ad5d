"""Several kernels learned side by side in parts of the time: first steps of all, the long run of those with hope.

In: the plans of the menu. Out: `Candidate`s, the best first, and the search on the inputs that they were learned from.
"""

from dataclasses import replace
from functools import partial
from typing import TypeAlias

import alakarte.search.policy as policy
from alakarte.execution.threads import run_together
from alakarte.search.candidates import Candidate, expected_scores, menu, ranked
from alakarte.search.compare import compare
from alakarte.search.context import Search
from alakarte.search.cost import comparing_flops
from alakarte.search.learn import Learned, WarmStart, begin, climb, learn, side_by_side
from alakarte.search.learn_sum import learn_sum
from alakarte.search.plan import Plan, Stage
from alakarte.search.prune import pruned
from alakarte.search.tails import draw_in_tails

Contestant: TypeAlias = tuple[Plan, Learned]


def learn_candidates(search: Search, plans: list[Plan], warm: WarmStart | None) -> tuple[Search, list[Candidate]]:
    """All candidates, best first; as many as the time allows, one at least. One alone is not compared."""
    if search.settings.kernel is not None:
        alone = _learn_alone(search, plans[0], warm)
        return search, [Candidate(*alone, None, compressed=search.compressed)]
    search, learned = _learn_long(search, _begin(search, plans))
    learned = _in_time(search, learned)
    try:
        return search, ranked(compare(search, learned))
    except KeyboardInterrupt:
        search.budget.interrupted = True
        return search, compare(search, [_best(search, learned)])


def _learn_alone(search: Search, plan: Plan, warm: WarmStart | None) -> Contestant:
    """A kernel given by name; a sum by its parts, unless it goes on from an earlier fit."""
    if not plan.parts:
        return plan, learn(search, plan, warm)
    if warm is None:
        return learn_sum(search, plan)
    plan = plan.with_parts([replace(p, n_components=q) for p, q in zip(plan.parts, warm[0].shape.parts, strict=True)])
    return plan, learn(search, plan, warm)


def time_to_compare(search: Search, n_candidates: int) -> float:
    """Seconds that the comparison of so many candidates on all rows will take."""
    closed = menu(search)[0].keeps_closed_form
    flops = comparing_flops(search.rows.n_rows, search.compare_columns, closed=closed)
    return n_candidates * search.budget.seconds(flops)


def _begin(search: Search, plans: list[Plan]) -> list[Contestant]:
    """The first steps of every candidate, as many as the time allows."""
    begun: dict[str, Contestant] = {}
    with search.budget.part(policy.TIME_TO_SCREEN, time_to_compare(search, 1)):
        for plan in plans:
            if begun and search.budget.is_over():
                break
            _, simpler = begun.get(plan.kernel.nests or "", (None, None))
            try:
                begun[plan.kernel.name] = plan, begin(search, plan, simpler=simpler)
            except KeyboardInterrupt:
                if not begun:  # nothing to keep
                    raise
                search.budget.interrupted = True
    return list(begun.values())


def _learn_long(search: Search, begun: list[Contestant]) -> tuple[Search, list[Contestant]]:
    """The long run of those with hope, rung by rung; the others as they are."""
    few, total = search.rows.n_rows <= policy.FEW_ROWS, search.rows.total
    climbing, dropped = _within(search, begun, float("inf") if few else policy.HOPELESS * total)
    behind_at_most = (policy.DROPPED if few else policy.DROPPED_OF_MANY) * total**0.5
    n_rungs = max(len(_rungs(search, *each)) for each in climbing)
    for rung in range(n_rungs):
        with search.budget.part(policy.TIME_TO_LEARN / (n_rungs - rung), time_to_compare(search, len(begun))):
            climbing = _climb(search, climbing, rung)
            if rung == 0:
                search, climbing = _draw_in_tails(search, climbing)
            alone = rung == n_rungs - 2 and not few  # the last rung costs most, and no average follows
            if rung == 0 and any(_waits(search, kernel) for _, kernel in climbing):
                nats = _hope(search, climbing)
            else:
                nats = 0.0 if alone else behind_at_most
            climbing, behind = _within(search, climbing, nats)
            dropped += behind
    return search, climbing + dropped


def _draw_in_tails(search: Search, climbing: list[Contestant]) -> tuple[Search, list[Contestant]]:
    """`draw_in_tails`, or everything as it was, if the user interrupts."""
    try:
        return draw_in_tails(search, climbing)
    except KeyboardInterrupt:
        search.budget.interrupted = True
        return search, climbing


def _waits(search: Search, learned: Learned) -> bool:
    """Whether a closed form climbs after free frequencies: an exact pattern leaves it no hope, and they are cheap."""
    return learned.problem.is_closed and search.waves is not None and search.rows.n_rows > policy.FEW_ROWS


def _hope(search: Search, climbing: list[Contestant]) -> float:
    """Nats that kernels may be behind the best before closed forms climb: fewer where free frequencies lead."""
    _, best = _best(search, climbing)
    return (policy.HOPELESS if best.problem.is_closed else policy.NO_PATTERN) * search.rows.total


def _rungs(search: Search, plan: Plan, learned: Learned) -> list[Stage]:
    """Those of the plan; a mixture of features takes a few steps first: far behind then, it gets no long run."""
    rungs = plan.rungs(learned.problem.layout.size)
    if _waits(search, learned):
        return [replace(rungs[0], n_rows=0), *rungs]
    if learned.problem.is_closed or not plan.kernel.has_components:
        return rungs
    return [replace(rungs[0], max_iter=min(rungs[0].max_iter, policy.TRIAL_ITERATIONS)), *rungs]


def _within(search: Search, learned: list[Contestant], nats: float) -> tuple[list[Contestant], list[Contestant]]:
    """Those whose score on all rows is expected to be at most so many nats behind the best, and the others."""
    scores = expected_scores(search, [kernel for _, kernel in learned])
    least = max(scores) - nats
    near = [pair for pair, score in zip(learned, scores, strict=True) if score >= least]
    return near, [pair for pair, score in zip(learned, scores, strict=True) if score < least]


def _climb(search: Search, climbing: list[Contestant], rung: int) -> list[Contestant]:
    """All of them on the rows of the next rung; small: one per thread; large: one at a time on all threads."""
    stages = [_rungs(search, plan, kernel)[rung:][:1] for plan, kernel in climbing]
    at_once = side_by_side(search, [kernel for _, kernel in climbing])
    order = sorted(range(len(climbing)), key=lambda index: -climbing[index][1].problem.layout.size)  # the longest first
    climbed = dict(enumerate(climbing))

    def one(index: int) -> None:
        plan, kernel = climbing[index]
        for stage in stages[index]:  # ladders may differ in length
            if stage.n_rows:
                climbed[index] = pruned(plan, climb(search, plan, kernel, stage))

    try:
        run_together([partial(one, index) for index in order], at_once, search.budget.interrupt)
    except KeyboardInterrupt:  # what is not finished stays as it was
        search.budget.interrupted = True
    return [climbed[index] for index in range(len(climbing))]


def _in_time(search: Search, learned: list[Contestant]) -> list[Contestant]:
    """All, if there is time to compare them on all rows; else the best on the rows that they were learned from."""
    if time_to_compare(search, len(learned)) <= search.budget.left():
        return learned
    return [_best(search, learned)]


def _best(search: Search, learned: list[Contestant]) -> Contestant:
    """The best on the rows that they were learned from."""
    scores = expected_scores(search, [kernel for _, kernel in learned])
    return learned[scores.index(max(scores))]
