"""A sum of kernels learned: each part apart, as if it were alone, then the weights of all, then everything.

In: a `Search` and the plan of a sum. Out: the plan without components that have vanished, and `Learned`. What a part
learns apart does not depend on the others: it has the random streams that it has alone.
"""

from dataclasses import replace
from functools import partial

import numpy as np

import alakarte.search.policy as policy
from alakarte.errors import IllConditioned
from alakarte.execution.threads import run_together
from alakarte.kernels.gm import SHIFTS
from alakarte.kernels.sum import Sum
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml
from alakarte.process.problem import Problem
from alakarte.records import Array, Values
from alakarte.search.context import Search
from alakarte.search.learn import Learned, climb, learn
from alakarte.search.optimise import Run
from alakarte.search.plan import Plan, Stage
from alakarte.search.prune import pruned
from alakarte.search.run_stage import long_run, problem_flops
from alakarte.search.set_up import set_up
from alakarte.search.stopping import NOT_BEGUN


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
    theta = _best(problem, _starts(plan, problem, learned))
    weighted = _weigh(search, plan, problem, theta, stage)
    screened = [run for part in learned for run in part.screened]
    before = [run for part in learned for run in part.runs if not any(run is short for short in part.screened)]
    together = Learned(problem, weighted, screened, [*before, weighted], learned[0].screened_total)
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
        shift = SHIFTS[names[:index].count(names[index]) % len(SHIFTS)]
        of_kernel = {p.name for p in plan.parts[index].kernel.parameters(plan.parts[index].shape)}
        stretched = values | {"log_lengthscale": values["log_lengthscale"] + shift}
        parts.append({name: stretched[name] for name in of_kernel})
    return parts


def _theta(plan: Plan, problem: Problem, parts: list[Values], weights: Array, noise_variance: float) -> Array:
    """Theta of the sum whose parts have their variances multiplied by `weights`."""
    assert isinstance(plan.kernel, Sum)
    pairs = zip(parts, weights, strict=True)
    weighted = [part | {"log_amplitude": part["log_amplitude"] + 0.5 * np.log(weight)} for part, weight in pairs]
    values = problem.noise.with_noise_variance(plan.kernel.join(weighted), noise_variance)
    return problem.layout.clip(problem.layout.pack(values))


def _best(problem: Problem, starts: list[Array]) -> Array:
    """The start with the most evidence."""

    def value(theta: Array) -> float:
        try:
            found = nlml(problem, theta)
        except (IllConditioned, FloatingPointError, np.linalg.LinAlgError):
            return np.inf
        return found if np.isfinite(found) else np.inf

    return min(starts, key=value)


def _weigh(search: Search, plan: Plan, problem: Problem, theta: Array, stage: Stage) -> Run:
    """A short run of the amplitudes and the noise alone; its theta is that of all parameters."""
    if not search.budget.allows(problem_flops(problem)):
        return Run(theta, np.inf, 0, NOT_BEGUN, 0, [])
    names = "log_amplitude", *(p.name for p in problem.likelihood.parameters())
    layout = problem.layout.only(names, theta)
    held = replace(problem, layout=layout)
    few = replace(stage, max_iter=min(policy.WEIGHT_ITERATIONS, stage.max_iter))
    _, run = long_run(search, plan, held, layout.pack(problem.layout.unpack(theta)), few)
    return replace(run, theta=problem.layout.pack(layout.unpack(run.theta)))
