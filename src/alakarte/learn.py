"""From standardised rows to learned parameters: draws, starts, screening, the long run. Paper, section 5.1.

In: a kernel, rows, sizes and a seed. Out: `Learned`. Reads no clock but for the trace; the same seed gives the
same bits for any number of threads, because every evaluation does.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from alakarte.budget import Budget
from alakarte.data.blocks import Rows
from alakarte.data.standardise import Scaling
from alakarte.data.summary import summarise
from alakarte.features.draws import draw
from alakarte.features.waves import feature_map
from alakarte.kernels.base import Kernel
from alakarte.objective import Problem, closed_form, nlml, nlml_gradient
from alakarte.optimise import WINDOW, Run, minimise, screen
from alakarte.parameters import NOISE, Layout, Parameter, constrained
from alakarte.progress import Progress
from alakarte.records import Shape
from alakarte.starts import starts

# Rows × frequencies up to which several starts may be in memory at once.
ACROSS = 20_000_000
# Mixed precision must give the evidence to this many nats a row.
MIXED_NATS = 1e-4


@dataclass(frozen=True)
class Settings:
    """How to learn."""

    kernel: Kernel
    n_components: int | None  # None until `sizes` has seen the rows
    n_frequencies: int | None
    expansion: str
    n_restarts: int
    max_iter: int
    max_iter_restart: int
    tol: float
    noise_std: float | None  # the user's units
    n_jobs: int
    precision: str = "double"


@dataclass(frozen=True)
class Learned:
    """The problem, its best theta, and how it was found."""

    problem: Problem
    run: Run
    screened: list[Run]


def parameter_layout(kernel: Kernel, shape: Shape, noise_std, scaling: Scaling) -> Layout:
    """Layout of the kernel's parameters and the noise, with the user's fixed values and bounds."""
    noise = Parameter("log_noise_std", (), "y", *NOISE)
    fixed = dict(kernel.fixed or {}) | ({} if noise_std is None else {"noise_std": noise_std})
    parameters = (*kernel.parameters(shape), noise)
    return constrained(parameters, fixed, kernel.bounds, scaling.x_scale, scaling.y_scale)


def set_up(settings: Settings, rows: Rows, scaling: Scaling, rng) -> Problem:
    """The problem, with all its randomness drawn."""
    kernel, m = settings.kernel, settings.n_frequencies
    counts = (m,) * settings.n_components if kernel.has_components else (settings.n_components * m,)
    shape = Shape(rows.x.shape[1], counts)
    draws = draw(shape, "dense" if settings.expansion == "dense" else "fastfood", rng)
    layout = parameter_layout(kernel, shape, settings.noise_std, scaling)
    form = "exact" if settings.expansion == "exact" else "auto"
    return Problem(kernel, layout, draws, rows, form, precision=settings.precision, n_jobs=settings.n_jobs)


def learn(settings: Settings, rows: Rows, scaling: Scaling, rng, progress: Progress, warm=None, budget=None) -> Learned:
    """Screen the starts, then continue from the best; `warm` is (draws, theta) of an earlier fit."""
    budget = budget or Budget()
    draws_rng, summary_rng, starts_rng = rng.spawn(3)
    problem = set_up(settings, rows, scaling, draws_rng)
    bounds = problem.layout.bounds()
    if warm is not None and warm[1].size == problem.layout.size and warm[0].shape == problem.draws.shape:
        problem = replace(problem, draws=warm[0])
        points = [problem.layout.clip(warm[1])]
    else:
        scale = 1.0 if rows.scaling is None else scaling.x_scale
        summary = summarise(rows.x, rows.weight, summary_rng, scale)
        n_starts = 1 if settings.max_iter == 0 else settings.n_restarts
        points = starts(settings.kernel, problem.layout, summary, problem.draws, n_starts, starts_rng)
    if settings.expansion == "exact":
        closed_form(settings.kernel, problem.layout.unpack(points[0]))
    screened = []
    if len(points) > 1 and settings.max_iter_restart > 0:
        # small: one start a thread; large: one start at a time on all threads. The bits are the same.
        across = settings.n_jobs if rows.n_rows * problem.draws.shape.n_frequencies < ACROSS else 1
        objective = partial(nlml_gradient, problem.with_jobs(settings.n_jobs if across == 1 else 1))
        report = progress.restart(len(points))
        screened = screen(objective, points, bounds, settings.max_iter_restart, settings.tol, across, report, budget)
        points = [min(screened, key=lambda run: run.value).theta]
    problem, run = _long_run(problem, points[0], settings, progress, budget)
    if screened and not np.isfinite(run.value):  # no number in the long run: the best of the screening stands
        best = min(screened, key=lambda run: run.value)
        run = replace(run, theta=best.theta, value=best.value)
    progress.done(run)
    return Learned(problem, run, screened or [run])


def _long_run(problem: Problem, point, settings: Settings, progress: Progress, budget: Budget) -> tuple[Problem, Run]:
    """The last optimisation; after mixed precision double goes on for as long as it gains."""
    double, bounds = replace(problem, precision="double"), problem.layout.bounds()
    report, max_iter = progress.iteration(settings.max_iter), settings.max_iter
    run = minimise(partial(nlml_gradient, problem), point, bounds, max_iter, settings.tol, report, budget)
    if problem.precision == "double":
        return double, run
    if run.n_failed or abs(nlml(double, run.theta) - run.value) > MIXED_NATS * problem.rows.total:
        progress.say("mixed precision is not accurate enough for this noise level: continuing in double")
    else:  # the same point in double: little is left to gain
        max_iter = max(WINDOW, max_iter - run.n_iter) if max_iter else 0
    further = minimise(partial(nlml_gradient, double), run.theta, bounds, max_iter, settings.tol, report, budget)
    return double, replace(further, n_iter=run.n_iter + further.n_iter, trace=run.trace + further.trace)


def relevance(problem: Problem, spectrum, varies) -> np.ndarray:
    """(d,) √(Σ v² ω_j²) over the frequencies of standardised inputs that vary, normalised to sum to one."""
    shape = problem.draws.shape
    share = np.exp(2 * spectrum.log_amplitude) / np.asarray(shape.counts)
    omega = feature_map(spectrum, problem.draws, "matrix").projection.frequencies
    squares = omega**2 @ share[shape.component]
    if spectrum.centre is not None:  # ω = a∘z ± μ: the cross terms cancel
        squares += np.exp(2 * spectrum.log_amplitude) @ spectrum.centre**2
    weight = np.sqrt(squares) * varies
    return weight / weight.sum() if weight.sum() > 0 else weight
