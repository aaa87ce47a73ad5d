"""Trends of a series that go on: kernels of the menu turn back to the mean, or bend, a length-scale beyond the rows.

In: a ranking of closed forms. Out: the same with `Trend` added to kernels, where one input has few rows. The evidence
says little of what lies ahead, so a trend that is clearly there leads where little evidence speaks against it.
"""

import numpy as np

import alakarte.search.policy as policy
from alakarte.kernels.gm import GaussianMixture
from alakarte.kernels.matern import Matern
from alakarte.kernels.sum import Sum
from alakarte.kernels.trend import Trend
from alakarte.search.candidates import Candidate, ranked
from alakarte.search.compare import compare
from alakarte.search.context import Search
from alakarte.search.cost import comparing_flops
from alakarte.search.learn_sum import learn_sum


def with_trends(search: Search, ranking: list[Candidate]) -> list[Candidate]:
    """The ranking with a trend beside rough kernels, which may lead it; else with one beside waves, if these lead."""
    if not _is_series(search, ranking):
        return ranking
    waves = [c.score for c in ranking if c.plan.begins_from_waves]
    lead = max(waves, default=-np.inf) - max(c.score for c in ranking if not c.plan.begins_from_waves)
    root = search.rows.total**0.5
    if lead < policy.DROPPED_OF_MANY * root and _linear_part(search) >= policy.CLEAR_TREND:
        of_trend = _learned(search, Sum([Trend(), *(Matern(nu) for nu in policy.TREND_SMOOTHNESS)]))
        if of_trend and of_trend[0].score > ranking[0].score - policy.TREND_BEHIND * root:
            return [*of_trend, *ranking]
        ranking = ranked([*ranking, *of_trend])
    if ranking[0].plan.begins_from_waves:
        ranking = ranked([*ranking, *_learned(search, Trend() + GaussianMixture())])
    return ranking


def _is_series(search: Search, ranking: list[Candidate]) -> bool:
    """Whether kernels compete in closed form on few rows of one input."""
    compete = search.settings.kernel is None and len(ranking) > 1 and not search.budget.is_over()
    few = search.rows.n_inputs == 1 and search.rows.n_rows <= policy.FEW_ROWS
    return compete and few and ranking[0].tuned.process.problem.is_closed


def _linear_part(search: Search) -> float:
    """The part of the variance that a straight line explains."""
    block = search.rows.whole()
    w, x, y = block.weight / block.weight.sum(), block.x - block.weight @ block.x / block.weight.sum(), block.y
    y = y - w @ y
    of_lines = (w * x[:, 0]) @ y
    return float(of_lines @ of_lines / (w @ x[:, 0] ** 2) / np.sum(w @ y**2))


def _learned(search: Search, kernel: Sum) -> list[Candidate]:
    """A sum as a candidate, if there is time for it."""
    plan = search.plan(kernel)
    flops = policy.TREND_EVALUATIONS * comparing_flops(search.rows.n_rows, 0, closed=True)
    if search.budget.patient and search.budget.seconds(flops) > policy.TIME_TO_LOOK * search.budget.left():
        return []
    return compare(search, [learn_sum(search, plan)])
