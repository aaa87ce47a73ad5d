"""A kernel learned by rows given their neighbours: what stands for the evidence where no system of all rows is solved.

In: a `Search`, the `Plan` of a kernel in closed form, rows. Out: `LocalLearned`. Stages as in docs/how_a_fit_goes.md,
the neighbours of random rows among all rows found anew at each. Rows that were not learned from judge what came out.
"""

from dataclasses import dataclass, field, replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.summary import SUMMARY_ROWS, summarise
from alakarte.execution.budget import Budget
from alakarte.parameters import Layout
from alakarte.posteriors.local import LocalPosterior, stored_weight
from alakarte.posteriors.neighbours import Neighbours, neighbours_among
from alakarte.process.computation import Computation
from alakarte.process.conditionals import (
    Conditionals,
    conditional_moments,
    conditional_nlml,
    local_kernel,
    local_noise_variance,
    search_scale,
)
from alakarte.process.prior import prior
from alakarte.process.problem import Problem, closed_form
from alakarte.records import Array, Integers, Spectrum, Variables
from alakarte.search.context import Search
from alakarte.search.coordinates import coordinates
from alakarte.search.learn import Learned, WarmStart
from alakarte.search.optimise import Limits, Run, Task, minimise
from alakarte.search.plan import Plan
from alakarte.search.set_up import set_up
from alakarte.search.starts import make_starts
from alakarte.search.stopping import NOT_BEGUN

_LEAST_SPREAD = 1e-12  # of targets: less is rounding


@dataclass(frozen=True)
class LocalRows:
    """All rows to find neighbours among, and in which order rows are picked to learn from."""

    rows: Rows
    targets: Array  # (n, T)
    weight: Array | None  # (n,) None: ones
    order: Integers  # (k,) random rows, those to judge by first
    found: dict[bytes, Neighbours] = field(default_factory=dict, repr=False, compare=False)
    alike: Neighbours | None = None  # of a kernel with one length-scale for all inputs: these, whatever it is

    def among(self, scale: Array, n_jobs: int) -> Neighbours:
        """All rows in a metric; the last is remembered, and gone before the next is made: each is a copy of all."""
        if self.alike is not None:
            return self.alike
        if scale.tobytes() not in self.found:
            self.found.clear()
            self.found[scale.tobytes()] = neighbours_among(self.rows, scale, n_jobs)
        return self.found[scale.tobytes()]

    @property
    def n_rows(self) -> int:
        """n."""
        return self.rows.n_rows

    @property
    def n_fresh(self) -> int:
        """Rows to judge by: at most half of those in order, one at least."""
        return max(1, min(policy.FRESH_ROWS, len(self.order) // 2))

    @property
    def fresh(self) -> Integers:
        """(rows,) that nothing is learned from but by being neighbours."""
        return np.sort(self.order[: self.n_fresh])

    @property
    def fresh_weight(self) -> Array:
        """(rows,) of these."""
        return np.ones(self.fresh.size) if self.weight is None else self.weight[self.fresh]

    def picked(self, n_rows: int) -> Integers:
        """(rows,) to learn from; a row alone must do for both."""
        others = self.order[self.n_fresh : self.n_fresh + n_rows]
        return np.sort(others if others.size else self.order)


@dataclass(frozen=True)
class LocalLearned:
    """A kernel, the rows that it was learned among, and how."""

    plan: Plan
    problem: Problem
    runs: tuple[Run, ...]
    local: LocalRows

    @property
    def run(self) -> Run:
        """The last."""
        return self.runs[-1]

    @property
    def theta(self) -> Array:
        """The learned flat vector."""
        return self.run.theta

    @property
    def learned(self) -> Learned:
        """As other steps of a search know it."""
        rows = self.local.rows.take(self.local.picked(policy.LOCAL_ROWS))
        return Learned(self.problem.on(rows), self.run, [], list(self.runs), rows.total)

    @property
    def spectrum(self) -> Spectrum:
        """At theta."""
        return self.problem.kernel.spectrum(self.problem.layout.unpack(self.theta), self.problem.draws)

    @property
    def neighbours(self) -> Neighbours:
        """All rows in the metric of theta."""
        return self.local.among(search_scale(self.spectrum), self.problem.n_jobs)

    def conditionals(self, picked: Integers, k: int) -> Conditionals:
        """Rows `picked` and their k nearest others."""
        near, local = self.neighbours, self.local
        others = near.nearest_others(picked, k, local.weight, self.problem.n_jobs)
        return Conditionals(near.points, near.scale, local.targets, local.weight, picked, others)

    def moments(self, picked: Integers, k: int) -> tuple[Array, Array]:
        """Mean (rows, T) and variance (rows,), noise included, of rows `picked` given their k nearest others."""
        problem, noise_variance = self.problem, local_noise_variance(self.problem, self.theta, k)
        near = self.conditionals(picked, k)
        closed = closed_form(problem.kernel, problem.layout.unpack(self.theta))
        kernel = local_kernel(self.spectrum, closed, near.scale)
        mean, variance = conditional_moments(near, kernel, noise_variance, problem.n_jobs)
        return mean, variance + noise_variance

    def log_density(self, picked: Integers, k: int) -> Array:
        """(rows,) of rows `picked` given their k nearest others, in standardised units, summed over targets."""
        mean, variance = self.moments(picked, k)
        squares = (self.local.targets[picked] - mean) ** 2
        return np.asarray(-0.5 * (np.log(2 * np.pi * variance[:, None]) + squares / variance[:, None]).sum(axis=1))

    def posterior(self, k: int) -> LocalPosterior:
        """Of all rows."""
        values, total = self.problem.layout.unpack(self.theta), self.local.rows.total
        closed = closed_form(self.problem.kernel, values)
        parts = self.neighbours, self.local.targets, self.local.weight, k, total
        noise_variance = local_noise_variance(self.problem, self.theta, min(k, self.local.n_rows))
        return LocalPosterior(self.spectrum, closed, *parts, noise_variance, np.nan)


def local_rows(search: Search, targets: Array | None = None) -> LocalRows:
    """All rows of a search, with their own targets or others (n, T)."""
    own, weight = search.rows.targets()
    n_rows, rng = search.rows.n_rows, search.streams("local", "rows")
    order = rng.choice(n_rows, min(n_rows, policy.FRESH_ROWS + policy.LOCAL_ROWS), replace=False)
    return LocalRows(search.rows, own if targets is None else targets, stored_weight(weight), order)


def begin_local(search: Search, plan: Plan, local: LocalRows, warm: WarmStart | None = None) -> LocalLearned:
    """A kernel at its start, or where an earlier fit ended."""
    streams = search.streams.within("local", plan.label)
    problem = replace(set_up(plan, search.rows, search.scaling, streams("draws")), computation=Computation.CLOSED)
    if local.alike is not None:
        problem = replace(problem, layout=_tied(problem.layout, search.rows.n_inputs))
    theta = _start(search, problem, local)
    if warm is not None and warm[1].size == theta.size:
        theta = problem.layout.clip(warm[1])
    run = Run(theta, np.inf, 0, NOT_BEGUN, 0, [])
    return LocalLearned(plan, problem, (run,), local)


def _tied(layout: Layout, n_inputs: int) -> Layout:
    """The same with all inputs as one variable: one length-scale for all."""
    one = Variables(np.zeros(n_inputs, dtype=np.int64), np.zeros(1, dtype=bool))
    return Layout(tuple(parameter.for_variables(one) for parameter in layout.parameters))


def learn_local(search: Search, begun: LocalLearned, stages: tuple[tuple[int, int, int], ...]) -> LocalLearned:
    """After stages of (rows, neighbours, iterations), as many as there is time for."""
    learned = begun
    for n_rows, k, max_iter in stages:
        if search.budget.is_over() and learned is not begun:
            break
        learned = _stage(search, learned, n_rows, k, max_iter)
    return learned


def with_enough_noise(budget: Budget, learned: LocalLearned, k: int) -> LocalLearned:
    """More noise, again and again, for as long as fresh rows are better told with it and there is time.

    Copies of rows reward noise of zero, and the rows learned from may hold none of those that contradict each other.
    """
    problem, local = learned.problem, learned.local
    if not all(problem.layout.is_free(parameter.name) for parameter in problem.likelihood.parameters()):
        return learned
    best, most = learned, -np.inf
    while (nats := float(local.fresh_weight @ learned.log_density(local.fresh, k))) > most:
        best, most = learned, nats
        if budget.is_over():
            break
        values = problem.layout.unpack(best.theta)
        noise_variance = policy.LOCAL_NOISE_STEP * problem.noise.noise_variance(values)
        theta = problem.layout.pack(problem.noise.with_noise_variance(values, noise_variance))
        learned = replace(best, runs=(*best.runs[:-1], replace(best.run, theta=problem.layout.clip(theta))))
    return best


def _stage(search: Search, learned: LocalLearned, n_rows: int, k: int, max_iter: int) -> LocalLearned:
    """Some iterations with the neighbours of the metric so far, and the metric that these lead to."""
    problem, settings = learned.problem, learned.plan.settings
    near = learned.conditionals(learned.local.picked(n_rows), k)
    total, layout = float(near.own_weight.sum()), problem.layout
    max_iter = min(max_iter, settings.max_iter)
    title = f"{learned.plan.label}, {near.size} rows given {near.neighbours.shape[1]} neighbours"
    told = search.progress.stage(title, total, max_iter, 0.0, 0.0)
    spread = policy.SPREAD if isinstance(settings.lengthscale_spread, str) else settings.lengthscale_spread
    bounds = _with_least_noise(problem, learned.local, near.size)
    evaluate = search.checkpoint.evaluations(conditional_nlml, problem, near)
    task = Task(evaluate, bounds, coordinates(layout), prior(layout, spread))
    tol = max(settings.tol, policy.RUNG_NATS * total)
    run = minimise(
        task, np.clip(learned.theta, *bounds), Limits(max_iter, tol, budget=search.budget, report=told.iteration)
    )
    told.finished(run.nlml, run.n_iter, run.reason)
    runs = (run,) if learned.run.ending is NOT_BEGUN else (*learned.runs, run)
    return replace(learned, runs=runs)


def _with_least_noise(problem: Problem, local: LocalRows, n_rows: int) -> tuple[Array, Array]:
    """Bounds of theta by which one row in so many, wrong by a standard deviation, costs a nat per row at most.

    Copies of rows reward noise of zero, and few rows may hold none of those that contradict each other.
    """
    lower, upper = problem.layout.bounds()
    least = problem.noise.with_noise_variance(problem.layout.unpack(lower), _spread(local) / (2 * n_rows))
    return np.minimum(np.maximum(lower, problem.layout.pack(least)), upper), upper


def _spread(local: LocalRows) -> float:
    """Mean square of the targets."""
    return max(float(np.mean(local.targets[local.order] ** 2)), _LEAST_SPREAD)


def _start(search: Search, problem: Problem, local: LocalRows) -> Array:
    """The kernel's own start in units of the targets; without components all length-scales are √d."""
    streams, kernel, layout = search.streams.within("local"), problem.kernel, problem.layout
    block = search.subsets.first(min(SUMMARY_ROWS, search.rows.n_rows)).whole()
    summary = summarise(block.x, block.weight, streams("summary"))
    [start] = make_starts(problem, summary, 1, streams.within("starts"))
    values, spread = layout.unpack(start.theta), _spread(local)
    values["log_amplitude"] = values["log_amplitude"] + 0.5 * np.log(spread)
    if not kernel.has_components:
        values["log_lengthscale"] = np.full_like(values["log_lengthscale"], 0.5 * np.log(search.rows.n_inputs))
    return layout.clip(layout.pack(problem.noise.with_noise_variance(values, policy.LOCAL_NOISE * spread)))
