"""L-BFGS with bounds (SciPy), short runs from several starts, and a trace. Always returns the best point seen.

In: a `Task`, the function theta → (nlml, gradient) with its bounds, and `Limits`. Out: `Run`. A value that is NaN or
cannot be computed makes the line search step back; if nothing better follows, the best point so far is the result and
the run says so.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from alakarte.errors import NUMERICAL_ERRORS
from alakarte.execution.budget import Budget
from alakarte.execution.threads import run_together
from alakarte.process.prior import Penalty
from alakarte.records import Array
from alakarte.search.coordinates import Coordinates
from alakarte.search.policy import FIRST_STEP, LINE_SEARCH, WINDOW
from alakarte.search.stopping import Ending, Stop

Function: TypeAlias = Callable[[Array], tuple[float, Array]]
Bounds: TypeAlias = tuple[Array, Array]  # lower, upper


@dataclass(frozen=True)
class Task:
    """What is made small: nlml + what the prior adds, within bounds, moved in other coordinates than theta."""

    function: Function
    bounds: Bounds
    coordinates: Coordinates
    prior: Penalty | None = None
    first_upper: Array | None = None  # upper bounds of the first half of a short run

    def evaluate(self, theta: Array) -> tuple[float, Array, float]:
        """Value and gradient with what the prior adds, and that alone."""
        with np.errstate(all="ignore"):  # what is not finite is counted by the caller
            value, gradient = self.function(theta)
        if self.prior is None:
            return value, gradient, 0.0
        penalty, slope = self.prior(theta)
        return value + penalty, gradient + slope, penalty


@dataclass(frozen=True)
class Limits:
    """When to stop."""

    max_iter: int
    tol: float  # nats that a window of iterations must gain
    price: float = 0.0  # nats that an evaluation must gain
    budget: Budget = field(default_factory=Budget)
    report: Callable[[int, float], None] | None = None  # of iterations so far and nlml


@dataclass(frozen=True)
class Run:
    """One optimisation."""

    theta: Array
    nlml: float
    n_iter: int
    ending: Ending
    n_failed: int  # evaluations that gave no finite number
    trace: list[tuple[float, float, float]] = field(repr=False)  # nlml, gradient norm, seconds of every evaluation
    start: int = 0  # where it began, of several
    penalty: float = 0.0  # what the prior adds

    @property
    def objective(self) -> float:
        """What was made small."""
        return self.nlml + self.penalty

    @property
    def n_evaluations(self) -> int:
        """Calls of the function."""
        return len(self.trace)

    @property
    def reason(self) -> str:
        """Why it stopped, in words."""
        failed = f"; {self.n_failed} evaluation(s) gave no finite value" if self.n_failed else ""
        return self.ending.text + failed


class _Stopped(Exception):
    """The budget is used up."""

    def __init__(self, ending: Ending):
        super().__init__()
        self.ending = ending


class _Recorder:
    """Calls the function, keeps the best point and the trace, replaces failures by a wall.

    SciPy's first step is the whole gradient where all parameters are bounded: it is scaled to a short one at the start.
    """

    def __init__(self, task: Task, limits: Limits):
        self.task, self.limits = task, limits
        self.began = time.perf_counter()
        self.best: Array | None = None
        self.best_value, self.best_penalty = np.inf, 0.0
        self.trace: list[tuple[float, float, float]] = []
        self.n_failed = 0
        self.scale: float | None = None
        self.at_iterations: list[tuple[float, int]] = []  # best value, evaluations so far
        self.least = 0.0  # nats that were too few

    def __call__(self, point: Array) -> tuple[float, Array]:
        theta = np.clip(self.task.coordinates.theta(point), *self.task.bounds)
        if self.best is not None and self.limits.budget.is_over():
            raise _Stopped(self._early_end())
        value, gradient, penalty = self._evaluate(theta)
        size = float(np.abs(gradient).max(initial=0.0)) or 1.0  # squares of the largest slopes may not be finite
        norm = size * float(np.linalg.norm(gradient / size))
        self.trace.append((float(value) - penalty, norm, time.perf_counter() - self.began))
        if self.scale is None:
            self.scale = FIRST_STEP / max(norm, 1.0)
        return value * self.scale, self.task.coordinates.gradient(point, gradient) * self.scale

    def _early_end(self) -> Ending:
        budget = self.limits.budget
        if budget.interrupted or budget.max_time is None:
            return Ending(Stop.INTERRUPTED, converged=False)
        return Ending(Stop.MAX_TIME, converged=False, limit=budget.max_time)

    def _evaluate(self, theta: Array) -> tuple[float, Array, float]:
        """Value, gradient and penalty; a wall where there is no finite number."""
        try:
            value, gradient, penalty = self.task.evaluate(theta)
            good = bool(np.isfinite(value) and np.isfinite(gradient).all())
        except KeyboardInterrupt:
            self.limits.budget.interrupted = True
            if self.best is None:  # nothing to keep
                raise
            raise _Stopped(self._early_end()) from None
        except NUMERICAL_ERRORS:
            good, penalty = False, 0.0
        if not good:
            self.n_failed += 1
            wall = self.best_value + 1e3 * (1 + abs(self.best_value)) if self.best is not None else 1e100
            return wall, np.zeros_like(theta), penalty
        if value < self.best_value:
            self.best, self.best_value, self.best_penalty = theta.copy(), float(value), float(penalty)
        return value, gradient, penalty

    def iteration(self, intermediate_result: OptimizeResult) -> None:
        """After each iteration; ends the search where a window of them gained too little."""
        self.at_iterations.append((self.best_value, len(self.trace)))
        if self.limits.report is not None:
            self.limits.report(len(self.at_iterations), self.best_value - self.best_penalty)
        if len(self.at_iterations) > WINDOW:
            before, n_before = self.at_iterations[-1 - WINDOW]
            self.least = max(self.limits.tol, self.limits.price * (len(self.trace) - n_before))
            if before - self.best_value < self.least:
                raise StopIteration

    def run(self, theta: Array, ending: Ending) -> Run:
        """The record of what was found; theta itself if there was not one finite value."""
        best = theta if self.best is None else self.best
        nlml, penalty = self.best_value - self.best_penalty, self.best_penalty
        n_iter = len(self.at_iterations)
        return Run(best, nlml, n_iter, ending, self.n_failed, self.trace, penalty=penalty)


def minimise(task: Task, theta: Array, limits: Limits) -> Run:
    """Best point from one start within bounds, or the best when the budget's time is up."""
    if limits.max_iter == 0 or theta.size == 0:
        recorder = _Recorder(replace(task, coordinates=Coordinates(np.full(theta.size, np.inf))), limits)
        recorder(theta)
        stop = Stop.NO_ITERATION if limits.max_iter == 0 else Stop.NOTHING_TO_LEARN
        return recorder.run(theta, Ending(stop, converged=True))
    recorder = _Recorder(task, limits)
    try:
        ending = _search(recorder, task.coordinates.point(theta))
    except _Stopped as stopped:
        ending = stopped.ending
    return recorder.run(theta, ending)


def _search(recorder: _Recorder, point: Array) -> Ending:
    """Why L-BFGS stopped, and whether that means convergence."""
    task, limits = recorder.task, recorder.limits
    result: Any = minimize(  # type: ignore[call-overload]
        recorder,
        point,
        jac=True,
        method="L-BFGS-B",
        bounds=np.column_stack(task.coordinates.bounds(point, *task.bounds)),
        callback=recorder.iteration,
        options={
            "maxiter": limits.max_iter,
            "maxfun": 20 * limits.max_iter + 20,
            "ftol": 1e-13,
            "gtol": 1e-7,
            "maxcor": 20,
            "maxls": LINE_SEARCH,
        },
    )
    if result.success:
        return Ending(Stop.NO_GRADIENT, converged=True)
    if result.status == 99:
        return Ending(Stop.LITTLE_GAIN, converged=True, limit=recorder.least)
    if result.status == 1:
        return Ending(Stop.MAX_ITER, converged=False, limit=limits.max_iter)
    # in rounding, where the last points differ from the best by less than `tol`: nothing is left to gain
    values = [value for value, *_ in recorder.trace]
    return Ending(Stop.NO_BETTER_POINT, converged=max(values[-WINDOW:]) - min(values) < limits.tol)


def short_runs(
    tasks: list[Task],
    thetas: list[Array],
    limits: Limits,
    n_jobs: int = 1,
    report: Callable[[int, Run], None] | None = None,
) -> list[Run]:
    """A short run of each task from its theta, `n_jobs` at a time; fewer where the budget is used up.

    `report` is called with the number of the start and its run.
    """
    runs: dict[int, Run] = {}

    def run_one(index: int) -> None:
        if runs and limits.budget.is_over():
            return
        run = _short_run(tasks[index], thetas[index], limits)
        if report is not None:
            report(index + 1, run)
        runs[index] = replace(run, start=index)

    try:
        run_together([partial(run_one, index) for index in range(len(tasks))], n_jobs, limits.budget.interrupt)
    except KeyboardInterrupt:  # the other starts have seen it at their next evaluation
        limits.budget.interrupted = True
        if not runs:  # nothing to keep
            raise
    return [runs[index] for index in sorted(runs)]


def _short_run(task: Task, theta: Array, limits: Limits) -> Run:
    """One run, the first half of its iterations below `first_upper` where a task has that."""
    half = 0 if task.first_upper is None else limits.max_iter // 2
    if half == 0 or task.first_upper is None:
        return minimise(task, theta, limits)
    first = replace(task, bounds=(task.bounds[0], task.first_upper))
    run = minimise(first, np.clip(theta, *first.bounds), replace(limits, max_iter=half))
    if limits.budget.is_over():
        return run
    then = minimise(task, run.theta, replace(limits, max_iter=limits.max_iter - half))
    best = min(run, then, key=lambda part: part.objective)  # the second half may see no finite value
    return replace(
        then,
        theta=best.theta,
        nlml=best.nlml,
        penalty=best.penalty,
        n_iter=run.n_iter + then.n_iter,
        trace=run.trace + then.trace,
        n_failed=run.n_failed + then.n_failed,
    )
