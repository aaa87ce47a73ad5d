"""From rows to learned parameters: draws, starts, short runs on few rows, then a long one on more. Paper, section 5.1.

In: a `Search` and the `Plan` of a kernel. Out: `Learned`. Reads no clock but for the trace; the same seed gives the
same bits for any number of threads, because every evaluation does.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.standardise import Scaling
from alakarte.data.summary import SUMMARY_ROWS, summarise
from alakarte.features.draws import draw, of_components
from alakarte.kernels.base import Kernel
from alakarte.likelihoods.base import Likelihood
from alakarte.parameters import Layout, constrained
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.process.prior import prior
from alakarte.process.problem import Problem, require_closed_form
from alakarte.records import Array, Draws, Shape
from alakarte.search.context import Search
from alakarte.search.coordinates import coordinates
from alakarte.search.cost import closed_flops, evaluation_flops
from alakarte.search.optimise import Function, Limits, Run, Task, minimise, short_runs
from alakarte.search.plan import Plan, Stage
from alakarte.search.starts import Start, make_starts
from alakarte.search.stopping import NOT_BEGUN

WarmStart: TypeAlias = tuple[Draws, Array]  # draws and theta of an earlier fit of the same kernel


@dataclass(frozen=True)
class Learned:
    """The problem, its best theta, and how it was found."""

    problem: Problem  # on the rows of the last stage
    run: Run
    screened: list[Run]
    runs: list[Run]  # one per stage, `run` the last
    screened_total: float  # N of the rows that starts were screened on

    @property
    def nlml_per_row(self) -> float:
        """On the rows of the last stage."""
        return self.run.nlml / self.problem.rows.total

    @property
    def n_evaluations(self) -> int:
        """All stages together."""
        return sum(run.n_evaluations for run in self.runs) + sum(
            run.n_evaluations for run in self.screened if run is not self.runs[0]
        )


def parameter_layout(kernel: Kernel, likelihood: Likelihood, shape: Shape, scaling: Scaling) -> Layout:
    """Layout of the parameters of kernel and likelihood, with the user's fixed values and bounds."""
    parameters = (*kernel.parameters(shape), *likelihood.parameters())
    return constrained(parameters, (kernel.fixed or {}) | likelihood.fixed(), kernel.bounds, scaling.units())


def set_up(plan: Plan, rows: Rows, scaling: Scaling, rng: np.random.Generator) -> Problem:
    """The problem, with all its randomness drawn."""
    settings, kernel, shape = plan.settings, plan.kernel, plan.shape
    draws = draw(shape, "dense" if settings.expansion == "dense" else "fastfood", rng)
    layout = parameter_layout(kernel, settings.likelihood, shape, scaling)
    if plan.growing and "amplitude" not in (kernel.bounds or {}):
        layout = layout.bounded("log_amplitude", np.log(policy.LARGEST_AMPLITUDE))
    computation = Computation.CLOSED if settings.expansion == "exact" else None
    return Problem(
        kernel,
        settings.likelihood,
        layout,
        draws,
        rows,
        computation,
        precision=settings.precision,
        n_jobs=settings.n_jobs,
    )


def learn(search: Search, plan: Plan, warm: WarmStart | None = None) -> Learned:
    """The starts screened on few rows, the best learned on more."""
    return learn_long(search, plan, begin(search, plan, warm))


def begin(search: Search, plan: Plan, warm: WarmStart | None = None) -> Learned:
    """The best start after a few steps on few rows, or the only start as it is."""
    settings, streams = plan.settings, search.streams.within("learn", plan.kernel.name, plan.n_components)
    screening_rows = search.subsets.first(plan.screening_stage().n_rows)
    problem = set_up(plan, screening_rows, search.scaling, streams("draws"))
    long = plan.learning_stage(problem.layout.size)
    if plan.learns_closed_form(problem.layout.size):
        require_closed_form(plan.kernel)
        problem = replace(problem, computation=Computation.CLOSED)
    if warm is not None and warm[1].size == problem.layout.size:
        if warm[0].shape == problem.draws.shape or plan.growing:
            problem = replace(problem, draws=warm[0])
        starts = [Start(problem.layout.clip(warm[1]))]
    else:
        rows = search.subsets.first(min(SUMMARY_ROWS, screening_rows.n_rows)).whole()
        summary = summarise(rows.x, rows.weight, streams("summary"))
        n_starts = 1 if settings.max_iter == 0 else settings.n_restarts
        starts = make_starts(problem, summary, n_starts, streams.within("starts"), long.n_rows)
    if len(starts) == 1 or settings.max_iter_restart == 0:
        run = Run(starts[0].theta, np.inf, 0, NOT_BEGUN, 0, [])
        return Learned(problem, run, [], [], screening_rows.total)
    screened = _screen(search, plan, problem, starts)
    best = min(screened, key=lambda run: run.objective)
    layout = _layout(problem, starts[best.start])
    return Learned(replace(problem, layout=layout), best, screened, [best], screening_rows.total)


def _layout(problem: Problem, start: Start) -> Layout:
    """That of the problem, with no slow parameter where the start asks for it."""
    return problem.layout.hastened() if start.free_centres else problem.layout


def learn_long(search: Search, plan: Plan, begun: Learned) -> Learned:
    """The long run, unless there is a result and no time for more."""
    if begun.screened and search.budget.is_over():
        return begun
    stage = plan.learning_stage(begun.problem.layout.size)
    rows, start = search.subsets.first(stage.n_rows), begun.run
    problem, run = long_run(search, plan, begun.problem.on(rows), start.theta, stage)
    if not begun.screened:
        return Learned(problem, run, [run], [run], rows.total)
    if not np.isfinite(run.nlml):  # no number in the long run: the best of the screening stands
        run = replace(run, theta=start.theta, nlml=start.nlml, penalty=start.penalty)
    return replace(begun, problem=problem, run=run, runs=[run])


def learn_further(
    search: Search, plan: Plan, learned: Learned, problem: Problem, theta: Array, stage: Stage
) -> Learned:
    """Go on from theta with another set of rows or frequencies."""
    problem, run = long_run(search, plan, problem, theta, stage)
    return replace(learned, problem=problem, run=run, runs=[*learned.runs, run])


def prune(plan: Plan, learned: Learned) -> tuple[Plan, Learned]:
    """Without the components whose part of the variance has vanished, and their frequencies."""
    problem, kernel = learned.problem, plan.kernel
    if not kernel.has_components or kernel.fixed or kernel.bounds:
        return plan, learned
    values, Q = problem.layout.unpack(learned.run.theta), problem.draws.shape.n_components
    variance = np.exp(2 * values["log_amplitude"])
    keep = variance >= policy.VANISHED * variance.sum()
    if keep.all():
        return plan, learned
    draws = of_components(problem.draws, keep)
    of_kernel = [problem.layout.learned_like(p) for p in kernel.parameters(draws.shape)]
    of_likelihood = problem.layout.parameters[len(of_kernel) :]
    layout = Layout((*of_kernel, *of_likelihood))
    theta = layout.pack({name: v[keep] if np.shape(v)[:1] == (Q,) else v for name, v in values.items()})
    problem = replace(problem, layout=layout, draws=draws)
    learned = replace(learned, problem=problem, run=replace(learned.run, theta=theta))
    return replace(plan, n_components=int(keep.sum())), learned


def _screen(search: Search, plan: Plan, problem: Problem, starts: list[Start]) -> list[Run]:
    """A short run from each start. Small: one start per thread; large: one at a time on all threads. The same bits."""
    settings, progress = plan.settings, search.progress
    work = problem.rows.n_rows * problem.draws.shape.n_frequencies
    side_by_side = settings.n_jobs if work < policy.SIDE_BY_SIDE else 1
    objective = partial(nlml_gradient, problem.with_jobs(settings.n_jobs if side_by_side == 1 else 1))
    flops = settings.max_iter_restart * _flops(problem)
    tasks = [_task(plan, problem, start, objective) for start in starts]
    limits = Limits(settings.max_iter_restart, settings.tol, budget=search.budget)
    progress.total = problem.rows.total

    def report(index: int, run: Run) -> None:
        progress.advance(flops)
        progress.restart_finished(index, len(starts), run.nlml, run.n_iter)

    return short_runs(tasks, [start.theta for start in starts], limits, side_by_side, report)


def _task(plan: Plan, problem: Problem, start: Start, objective: Function) -> Task:
    """What a start makes small, with noise held down at first where it asks for that and the noise is learned."""
    layout, spread = problem.layout, expected_spread(plan.settings.lengthscale_spread, plan.n_rows)
    lower, upper = layout.bounds()
    first_upper = None
    if start.hold_noise_down and plan.settings.n_learning_rows == "auto":
        held = problem.likelihood.held_down(layout.unpack(upper))
        if any(layout.is_free(name) for name in held):
            first_upper = np.maximum(lower, layout.pack(layout.unpack(upper) | held))
    return Task(objective, (lower, upper), coordinates(_layout(problem, start)), prior(layout, spread), first_upper)


def expected_spread(given: float | str | None, n_rows: int) -> float | None:
    """Standard deviation of log ℓ within a component, as it was given; "auto": 1 for few rows and no prior for more."""
    if isinstance(given, str):
        return policy.SPREAD if n_rows <= policy.SMALL_ROWS else None
    return given


def _flops(problem: Problem) -> float:
    """Of an evaluation."""
    shape = problem.draws.shape
    if problem.is_closed:
        return closed_flops(problem.rows.n_rows, shape.n_inputs, shape.n_components)
    return evaluation_flops(problem.rows.n_rows, problem.n_basis)


def long_run(search: Search, plan: Plan, problem: Problem, theta: Array, stage: Stage) -> tuple[Problem, Run]:
    """One optimisation; after mixed precision double goes on for as long as it gains."""
    settings, progress, budget, flops = plan.settings, search.progress, search.budget, _flops(problem)
    columns = "exact" if problem.is_closed else f"{problem.n_basis} columns"
    progress.total = problem.rows.total
    progress.stage(f"{plan.kernel.name}: {problem.rows.n_rows} rows, {columns}", stage.max_iter, flops)
    double, problem = replace(problem, precision="double"), replace(problem, precision=settings.precision)
    limits = Limits(
        max_iter=stage.max_iter,
        tol=stage.tol,
        price=stage.price * flops / (policy.PATIENCE if budget.patient else 1),
        budget=budget,
        report=lambda n_iter, nlml: progress.iteration(n_iter, stage.max_iter, nlml),
    )
    spread = expected_spread(settings.lengthscale_spread, plan.n_rows)
    task = Task(
        partial(nlml_gradient, problem),
        problem.layout.bounds(),
        coordinates(problem.layout),
        prior(problem.layout, spread),
    )
    run = minimise(task, theta, limits)
    progress.stage_finished(run.nlml, run.n_iter, run.reason)
    if problem.precision == "double":
        return double, run
    if run.n_failed or abs(nlml(double, run.theta) - run.nlml) > policy.MIXED_NATS * problem.rows.total:
        progress.say("mixed precision is not accurate enough for this noise level: continuing in double")
    elif limits.max_iter:  # the same point in double: little is left to gain
        limits = replace(limits, max_iter=max(policy.WINDOW, limits.max_iter - run.n_iter))
    further = minimise(replace(task, function=partial(nlml_gradient, double)), run.theta, limits)
    return double, replace(further, n_iter=run.n_iter + further.n_iter, trace=run.trace + further.trace)
