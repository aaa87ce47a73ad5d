"""L-BFGS with bounds (SciPy), screening of starts, and a trace. Always returns the best point seen.

In: a function theta → (nlml, gradient) and starts. Out: `Run`. A value that is NaN or cannot be computed makes the line
search step back; if nothing better follows, the best point so far is the result and the run says so.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import minimize

from alakarte.errors import IllConditioned
from alakarte.execution.budget import Budget
from alakarte.search.coordinates import Coordinates

# Converged: the last WINDOW iterations together gained less than `tol` nats, or less than their evaluations cost.
WINDOW = 10


@dataclass(frozen=True)
class Run:
    """One optimisation."""

    theta: np.ndarray
    value: float
    n_iter: int
    reason: str
    converged: bool
    n_failed: int  # evaluations that gave no finite number
    trace: list = field(repr=False)  # (value, gradient norm, seconds) of every evaluation
    start: int = 0  # where it began, of several
    penalty: float = 0.0  # what the prior adds

    @property
    def objective(self) -> float:
        """What was made small."""
        return self.value + self.penalty

    @property
    def n_evaluations(self) -> int:
        """Calls of the function."""
        return len(self.trace)


class _Stopped(Exception):
    """The budget is used up."""


class _Recorder:
    """Calls the function, keeps the best point and the trace, replaces failures by a wall.

    SciPy's first step is the whole gradient where all parameters are bounded: it is scaled to length one at the start.
    """

    def __init__(self, function: Callable, coordinates: Coordinates, bounds, report, budget: Budget, prior):
        self.function, self.coordinates, self.bounds = function, coordinates, bounds
        self.report, self.budget, self.prior = report, budget, prior
        self.began = time.perf_counter()
        self.best, self.best_value, self.best_penalty = None, np.inf, 0.0
        self.trace, self.n_failed = [], 0
        self.scale = None
        self.at_iterations = []  # best value, evaluations so far
        self.least = 0.0  # nats that were too few

    def __call__(self, point):
        theta, penalty = np.clip(self.coordinates.theta(point), *self.bounds), 0.0
        if self.best is not None and (reason := self.budget.stop()):
            raise _Stopped(reason)
        try:
            with np.errstate(all="ignore"):  # what is not finite is counted below
                value, gradient = self.function(theta)
            if self.prior is not None:
                penalty, slope = self.prior(theta)
                value, gradient = value + penalty, gradient + slope
            good = bool(np.isfinite(value) and np.isfinite(gradient).all())
        except KeyboardInterrupt:
            self.budget.interrupted = True
            if self.best is None:  # nothing to keep
                raise
            raise _Stopped("interrupted") from None
        except (IllConditioned, FloatingPointError, np.linalg.LinAlgError):
            good = False
        if not good:
            self.n_failed += 1
            value = self.best_value + 1e3 * (1 + abs(self.best_value)) if self.best is not None else 1e100
            gradient = np.zeros_like(theta)
        elif value < self.best_value:
            self.best, self.best_value, self.best_penalty = theta.copy(), float(value), float(penalty)
        self.trace.append((float(value) - penalty, float(np.linalg.norm(gradient)), time.perf_counter() - self.began))
        if self.scale is None:
            self.scale = 1 / max(self.trace[-1][1], 1.0)
        return value * self.scale, self.coordinates.gradient(point, gradient) * self.scale

    def iteration(self, tol, price):
        self.at_iterations.append((self.best_value, len(self.trace)))
        if self.report is not None:
            self.report(len(self.at_iterations), self.best_value - self.best_penalty)
        if len(self.at_iterations) > WINDOW:
            before, n_before = self.at_iterations[-1 - WINDOW]
            self.least = max(tol, price * (len(self.trace) - n_before))
            if before - self.best_value < self.least:
                raise StopIteration


def minimise(
    function,
    theta,
    bounds,
    max_iter: int,
    tol: float,
    report=None,
    budget=None,
    price: float = 0.0,
    moved=None,
    prior=None,
) -> Run:
    """Best point from one start within bounds (lower, upper), or the best when the budget's time is up.

    `price`: nats that an evaluation must gain; `moved`: the `Coordinates` in which it is sought; `prior`: theta →
    (penalty, gradient), added to the function.
    """
    coordinates = moved if moved is not None and max_iter else Coordinates(np.full(theta.size, np.inf))
    recorder = _Recorder(function, coordinates, bounds, report, budget or Budget(), prior)
    if max_iter == 0 or theta.size == 0:
        recorder(theta)
        n_iter, reason, converged = 0, "no iteration asked for" if max_iter == 0 else "nothing to learn", True
    else:
        try:
            point = coordinates.point(theta)
            reason, converged = _search(recorder, point, coordinates.bounds(point, *bounds), max_iter, tol, price)
        except _Stopped as stopped:
            reason, converged = str(stopped), False
        n_iter = len(recorder.at_iterations)
    if recorder.best is None:  # not one finite value
        recorder.best = theta
    if recorder.n_failed:
        reason += f"; {recorder.n_failed} evaluation(s) gave no finite value"
    value, penalty = recorder.best_value - recorder.best_penalty, recorder.best_penalty
    counts = {"n_failed": recorder.n_failed, "trace": recorder.trace}
    return Run(recorder.best, value, n_iter, reason, converged, penalty=penalty, **counts)


def _search(recorder, point, bounds, max_iter, tol, price):
    """Why L-BFGS stopped, and whether that means convergence."""
    result = minimize(
        recorder,
        point,
        jac=True,
        method="L-BFGS-B",
        bounds=np.column_stack(bounds),
        callback=lambda intermediate_result: recorder.iteration(tol, price),
        options={"maxiter": max_iter, "maxfun": 20 * max_iter + 20, "ftol": 1e-13, "gtol": 1e-7, "maxcor": 20},
    )
    if result.success:
        return "the gradient vanished or no further gain in float64", True
    if result.status == 99:
        return f"the last {WINDOW} iterations gained less than {recorder.least:.3g} nats", True
    if result.status == 1:
        return f"max_iter={max_iter} reached", False
    # in rounding, where the last points differ by less than `tol`: nothing is left to gain
    recent = [value for value, *_ in recorder.trace[-WINDOW:]]
    return "the line search found no better point", max(recent) - min(recent) < tol


def screen(
    function,
    starts,
    bounds,
    max_iter: int,
    tol: float,
    n_jobs=1,
    report=None,
    budget=None,
    first=None,
    moved=None,
    prior=None,
) -> list[Run]:
    """A short run from every start, `n_jobs` at a time: a list of `Run`; fewer where the budget is used up.

    `first`: bounds for the first half of the iterations of every other start; `moved`: `Coordinates`, one a start;
    `prior` as in `minimise`.
    """
    budget, runs = budget or Budget(), {}

    def one(index):
        if runs and budget.stop():
            return
        bounds_first = first if index % 2 == 0 else None
        rest = {"budget": budget, "moved": None if moved is None else moved[index], "prior": prior}
        run = _short_run(function, starts[index], bounds, max_iter, tol, bounds_first, rest)
        if report is not None:
            report(index + 1, run)
        runs[index] = replace(run, start=index)

    if n_jobs == 1:
        for index in range(len(starts)):
            one(index)
    else:
        with ThreadPoolExecutor(n_jobs) as pool:
            futures = [pool.submit(one, index) for index in range(len(starts))]
            try:
                _wait_for(futures)
            except KeyboardInterrupt:  # the other starts see it at their next evaluation
                budget.interrupted = True
                _wait_for(futures)
    return [runs[index] for index in sorted(runs)]


def _short_run(function, theta, bounds, max_iter, tol, first, rest) -> Run:
    half = 0 if first is None else max_iter // 2
    if half == 0:
        return minimise(function, theta, bounds, max_iter, tol, **rest)
    run = minimise(function, np.clip(theta, *first), first, half, tol, **rest)
    if rest["budget"].stop():
        return run
    then = minimise(function, run.theta, bounds, max_iter - half, tol, **rest)
    best = min(run, then, key=lambda one: one.objective)  # the second half may see no finite value
    both = {
        "n_iter": run.n_iter + then.n_iter,
        "trace": run.trace + then.trace,
        "n_failed": run.n_failed + then.n_failed,
    }
    return replace(then, theta=best.theta, value=best.value, penalty=best.penalty, **both)


def _wait_for(futures):
    """Until all are done; an error of one of them is raised."""
    for future in futures:
        future.result()
