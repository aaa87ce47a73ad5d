"""One stage: the rows and iterations of a long run, or short runs from several starts.

In: a problem on the rows of the stage, and where to begin. Out: `Run`s. Reads no clock but for the trace.
"""

import time
from dataclasses import replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.process.prior import prior
from alakarte.process.problem import Problem
from alakarte.records import Array
from alakarte.search.context import Search
from alakarte.search.coordinates import coordinates
from alakarte.search.cost import closed_flops, evaluation_flops, expected_flops
from alakarte.search.optimise import Function, Limits, Run, Task, minimise, short_runs
from alakarte.search.plan import Plan, Stage
from alakarte.search.starts import Start
from alakarte.search.stopping import Stop


def short_stage(search: Search, plan: Plan, problem: Problem, starts: list[Start], max_iter: int) -> list[Run]:
    """A short run from each start. Small: one start per thread; large: one at a time on all threads. The same bits."""
    progress, n_jobs = search.progress, problem.n_jobs
    work = problem.rows.n_rows * problem.draws.shape.n_frequencies
    side_by_side = n_jobs if work < policy.SIDE_BY_SIDE else 1
    stage_problem = replace(problem, precision=plan.precision, n_jobs=n_jobs if side_by_side == 1 else 1)
    objective = search.checkpoint.evaluations(nlml_gradient, stage_problem)
    flops = expected_flops(max_iter, problem_flops(problem))
    tasks = [_task(plan, problem, start, objective) for start in starts]

    def report(index: int, run: Run) -> None:
        progress.advance(flops)
        progress.restart_finished(plan.label, (index, len(starts)), (run.nlml, run.n_iter), problem.rows.total)

    limits = Limits(max_iter, plan.settings.tol, budget=search.budget)
    began = time.perf_counter()
    runs = short_runs(tasks, [start.theta for start in starts], limits, side_by_side, report)
    _observe(search, problem, runs, time.perf_counter() - began)
    return runs


def _observe(search: Search, problem: Problem, runs: list[Run], seconds: float) -> None:
    """Tell the budget how long evaluations took."""
    search.budget.observe(problem_flops(problem) * sum(run.n_evaluations for run in runs), seconds)


def _task(plan: Plan, problem: Problem, start: Start, objective: Function) -> Task:
    """What a start makes small, with noise held down at first where it asks for that and the noise is learned."""
    layout, spread = problem.layout, expected_spread(plan.settings.lengthscale_spread, plan.n_rows)
    lower, upper = layout.bounds()
    first_upper = None
    if start.hold_noise_down and plan.settings.n_learning_rows == "auto":
        held = problem.noise.held_down(layout.unpack(upper))
        if any(layout.is_free(name) for name in held):
            first_upper = np.maximum(lower, layout.pack(layout.unpack(upper) | held))
    return Task(objective, (lower, upper), coordinates(layout), prior(layout, spread), first_upper)


def expected_spread(given: float | str | None, n_rows: int) -> float | None:
    """Standard deviation of log ℓ within a component, as it was given; "auto": 1 for few rows and no prior for more."""
    if isinstance(given, str):
        return policy.SPREAD if n_rows <= policy.SMALL_ROWS else None
    return given


def problem_flops(problem: Problem) -> float:
    """Of an evaluation."""
    shape = problem.draws.shape
    if problem.is_closed:
        return closed_flops(problem.rows.n_rows, shape.n_inputs, shape.n_components)
    return evaluation_flops(problem.rows.n_rows, problem.n_basis)


def long_run(search: Search, plan: Plan, problem: Problem, theta: Array, stage: Stage) -> tuple[Problem, Run]:
    """One optimisation. After mixed precision double goes on: where that was asked for, or was not accurate enough."""
    settings, budget, flops = plan.settings, search.budget, problem_flops(problem)
    columns = "exact" if problem.is_closed else f"{problem.n_basis} columns"
    title, planned = f"{plan.label}, {problem.rows.n_rows} rows, {columns}", expected_flops(stage.max_iter, flops)
    told = search.progress.stage(title, problem.rows.total, stage.max_iter, expected_flops(1, flops), planned)
    double, problem = replace(problem, precision="double"), replace(problem, precision=plan.precision)
    limits = Limits(
        max_iter=stage.max_iter,
        tol=stage.tol,
        price=stage.price * flops / (policy.PATIENCE if budget.patient else 1),
        budget=budget,
        report=told.iteration,
    )
    spread = expected_spread(settings.lengthscale_spread, plan.n_rows)
    task = Task(
        search.checkpoint.evaluations(nlml_gradient, problem),
        problem.layout.bounds(),
        coordinates(problem.layout),
        prior(problem.layout, spread),
    )
    began = time.perf_counter()
    run = minimise(task, theta, limits)
    _observe(search, problem, [run], time.perf_counter() - began)
    told.finished(run.nlml, run.n_iter, run.reason)
    if problem.precision == "double":
        return double, run
    value = nlml(double, run.theta)
    in_rounding = run.n_failed > 0 or run.ending.stop is Stop.NO_BETTER_POINT
    accurate = not in_rounding and abs(value - run.nlml) <= policy.MIXED_NATS * problem.rows.total
    if accurate and settings.precision == "auto":
        return double, replace(run, nlml=value)
    if not accurate:
        search.progress.say(
            f"{plan.label}: mixed precision is not accurate enough for this noise level: continuing in double"
        )
    elif limits.max_iter:  # the same point in double: little is left to gain
        limits = replace(limits, max_iter=max(policy.WINDOW, limits.max_iter - run.n_iter))
    in_double = replace(task, function=search.checkpoint.evaluations(nlml_gradient, double))
    further = minimise(in_double, run.theta, limits)
    return double, replace(further, n_iter=run.n_iter + further.n_iter, trace=run.trace + further.trace)
