"""A sum of kernels learned: each part apart, as if it were alone, then the weights of all, then everything.

In: a `Search` and the plan of a sum. Out: the plan without components that have vanished, and `Learned`. What a part
learns apart does not depend on the others: it has the random streams that it has alone.
"""

from dataclasses import replace
from functools import partial

import numpy as np

import alakarte.search.policy as policy
from alakarte.execution.threads import run_together
from alakarte.kernels.sum import Sum
from alakarte.process.computation import Computation
from alakarte.process.problem import Problem
from alakarte.records import Array, Values
from alakarte.search.context import Search
from alakarte.search.learn import Learned, climb, learn
from alakarte.search.plan import Plan
from alakarte.search.prune import pruned
from alakarte.search.run_stage import short_stage
from alakarte.search.set_up import set_up
from alakarte.search.starts import Start


def learn_sum(search: Search, plan: Plan) -> tuple[Plan, Learned]:
    """The parts apart, their weights together, then all parameters for as long as that pays."""
    parts = _learn_apart(search, plan)
    plan = plan.with_parts([part_plan for part_plan, _ in parts])
    learned = [part for _, part in parts]
    streams = search.streams.within("learn", plan.kernel.name, plan.n_components)
    problem = set_up(plan, search.rows, search.scaling, streams("draws"))
    if plan.learns_closed_form(problem.layout.size):
        problem = replace(problem, computation=Computation.CLOSED)
    stage = plan.rungs(problem.layout.size)[-1]
    problem = problem.on(search.subsets.first(stage.n_rows))
    starts = [_weighed(search, plan, problem, theta) for theta in _starts(plan, problem, learned)]
    trials = short_stage(search, plan, problem, starts, min(plan.settings.max_iter, plan.settings.max_iter_restart))
    best = min(trials, key=lambda run: run.objective)
    screened = [run for part in learned for run in part.screened]
    before = [run for part in learned for run in part.runs if not any(run is short for short in part.screened)]
    together = Learned(problem, best, screened, [*before, *trials], learned[0].screened_total)
    return plan, climb(search, plan, together, stage)


def _learn_apart(search: Search, plan: Plan) -> list[tuple[Plan, Learned]]:
    """Each part as it is learned alone; small: one per thread; a kernel that is there twice is learned once."""
    names = [repr(part.kernel) for part in plan.parts]
    different = [part for index, part in enumerate(plan.parts) if names[index] not in names[:index]]
    found: dict[str, tuple[Plan, Learned]] = {}

    def one(part: Plan) -> None:
        found[repr(part.kernel)] = pruned(part, learn(search, part))

    small = search.rows.n_rows <= policy.FEW_ROWS
    side_by_side = search.settings.n_jobs if small else 1
    with search.budget.part(policy.TIME_FOR_PARTS):
        run_together([partial(one, part) for part in different], side_by_side, search.budget.interrupt)
    return [found[name] for name in names]


def _starts(plan: Plan, problem: Problem, learned: list[Learned]) -> list[Array]:
    """The parts as they were learned: with equal weights, and each of them with most of the weight."""
    parts, n_parts = _stretched(plan, learned), len(learned)
    best = min(learned, key=lambda part: part.nlml_per_row)
    noise_variance = problem.noise.noise_variance(best.problem.layout.unpack(best.run.theta))
    rest = (1 - policy.FAVOURED) / (n_parts - 1)
    weights = [np.full(n_parts, 1 / n_parts)]
    weights += [np.where(np.arange(n_parts) == i, policy.FAVOURED, rest) for i in range(n_parts)]
    return [_theta(plan, problem, parts, part, noise_variance) for part in weights]


def _stretched(plan: Plan, learned: list[Learned]) -> list[Values]:
    """What each part has learned; copies of one kernel by several factors, else they would stay the same."""
    names, parts = [repr(part.kernel) for part in plan.parts], []
    for index, part in enumerate(learned):
        values = part.problem.layout.unpack(part.run.theta)
        shift = policy.COPIES[names[:index].count(names[index]) % len(policy.COPIES)]
        of_kernel = {p.name for p in plan.parts[index].kernel.parameters(plan.parts[index].shape)}
        parts.append({name: values[name] - shift * (name == "log_lengthscale") for name in of_kernel})
    return parts


def _theta(plan: Plan, problem: Problem, parts: list[Values], weights: Array, noise_variance: float) -> Array:
    """Theta of the sum whose parts have their variances multiplied by `weights`."""
    assert isinstance(plan.kernel, Sum)
    pairs = zip(parts, weights, strict=True)
    weighted = [part | {"log_amplitude": part["log_amplitude"] + 0.5 * np.log(weight)} for part, weight in pairs]
    values = problem.noise.with_noise_variance(plan.kernel.join(weighted), noise_variance)
    return problem.layout.clip(problem.layout.pack(values))


def _weighed(search: Search, plan: Plan, problem: Problem, theta: Array) -> Start:
    """Theta with the best amplitudes and noise, all else held."""
    names = "log_amplitude", *(p.name for p in problem.likelihood.parameters())
    layout = problem.layout.only(names, theta)
    held, start = replace(problem, layout=layout), Start(layout.pack(problem.layout.unpack(theta)))
    max_iter = min(policy.WEIGHT_ITERATIONS, plan.settings.max_iter)
    [run] = short_stage(search, plan, held, [start], max_iter)
    return Start(problem.layout.pack(layout.unpack(run.theta)))
