"""From rows to learned parameters: draws, starts, screening, then runs on more and more rows. Paper, section 5.1.

In: a kernel, rows, sizes and a seed. Out: `Learned`. Reads no clock but for the trace; the same seed gives the
same bits for any number of threads, because every evaluation does.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from alakarte.data.arrays import Rows
from alakarte.data.standardise import Scaling
from alakarte.data.summary import summarise
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.features.draws import draw, of_components
from alakarte.features.feature_map import feature_map
from alakarte.kernels.base import Kernel
from alakarte.parameters import NOISE, Layout, Parameter, constrained
from alakarte.process.objective import Problem, closed_form, has_closed_form, model_at, nlml, nlml_gradient
from alakarte.process.prior import prior
from alakarte.records import Shape
from alakarte.search.coordinates import coordinates
from alakarte.search.optimise import WINDOW, Run, minimise, screen
from alakarte.search.sizes import CLOSED_FLOPS, KEPT_FLOPS, closed_flops, closed_rows, evaluation_flops
from alakarte.search.stages import PATIENCE, Shuffled, Stage, long_stage, priced, screening_stage
from alakarte.search.starts import starts

# While every other start takes its first steps noise stays below this: else "all is noise", an optimum near by, takes
# many. The others begin as the paper has it.
FIRST_NOISE_STD = 0.3
# Times std(y), where fresh frequencies are to be drawn: far above it components cancel each other, fresh ones do not.
LARGEST_AMPLITUDE = 10
# With so many rows a parameter quick ones are tried too: with fewer they over-fit, and win.
ENOUGH_ROWS = 12
# Rows × frequencies up to which several starts may be in memory at once.
ACROSS = 20_000_000
# A component with less than this share of the variance is dropped.
VANISHED = 1e-5
# Mixed precision must give the evidence to this many nats a row.
MIXED_NATS = 1e-4


@dataclass(frozen=True)
class Settings:
    """How to learn."""

    kernel: Kernel | None  # None: the menu chooses
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
    n_learning_rows: int | str | None = "auto"  # None: all
    n_posterior_frequencies: int | str | None = "auto"  # of each component; None: those that were learned with
    lengthscale_spread: float | str | None = None  # of log ℓ about their mean, expected beforehand; None: no prior

    @property
    def growing(self) -> bool:
        """Whether the number of columns of the posterior is open."""
        return self.n_posterior_frequencies == "auto"

    @property
    def progressive(self) -> bool:
        """Whether the rows of each stage are open."""
        return self.n_learning_rows == "auto" and self.expansion != "exact"


@dataclass(frozen=True)
class Learned:
    """The problem, its best theta, and how it was found."""

    problem: Problem  # on the rows of the last stage
    run: Run
    screened: list[Run]
    runs: list[Run]  # one a stage, `run` the last
    screened_total: float  # N of the rows that starts were screened on

    @property
    def n_evaluations(self) -> int:
        """All stages together."""
        return sum(run.n_evaluations for run in self.runs) + sum(
            run.n_evaluations for run in self.screened if run is not self.runs[0]
        )


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
    if settings.growing and "amplitude" not in (kernel.bounds or {}):
        layout = layout.bounded("log_amplitude", np.log(LARGEST_AMPLITUDE))
    form = "exact" if settings.expansion == "exact" else "auto"
    return Problem(kernel, layout, draws, rows, form, precision=settings.precision, n_jobs=settings.n_jobs)


def exactly(settings: Settings, n_rows: int, n_inputs: int, flops: float | None = None) -> bool:
    """Whether to do without an expansion: where that is asked for, or cheap and no number of columns is given.

    Few frequencies of many inputs fit their own draws: what is learned from them is not the kernel that they stand for.
    """
    cheap = closed_flops(n_rows, n_inputs, _closed_components(settings)) <= (flops or KEPT_FLOPS)
    return settings.expansion == "exact" or (settings.growing and cheap and has_closed_form(settings.kernel))


def learning_stage(settings: Settings, n_rows: int, n_inputs: int, n_parameters: int) -> tuple[Stage, bool]:
    """The long run, and whether it goes without an expansion: where that is cheap, or the posterior can do without."""
    stage = long_stage(settings, n_rows, n_parameters)
    if exactly(settings, stage.n_rows, n_inputs, CLOSED_FLOPS):
        return stage, True
    if settings.expansion != "auto" or not settings.progressive or not exactly(settings, n_rows, n_inputs):
        return stage, False
    return priced(closed_rows(n_rows, n_inputs, _closed_components(settings)), stage.max_iter, settings.tol), True


def _closed_components(settings: Settings) -> int:
    return settings.n_components if settings.kernel.has_components else 1


def learn(settings: Settings, rows: Shuffled, scaling: Scaling, streams, progress: Progress, warm=None, budget=None):
    """`Learned`: the starts screened on few rows, the best on more; `warm` is (draws, theta) of an earlier fit."""
    budget = budget or Budget()
    begun = begin(settings, rows, scaling, streams, progress, warm, budget)
    return go_on(settings, begun, rows, progress, budget)


def begin(settings: Settings, rows: Shuffled, scaling: Scaling, streams, progress: Progress, warm, budget) -> Learned:
    """The best start after a few steps on few rows, or the only start as it is."""
    streams = streams.within("learn", settings.kernel.name, settings.n_components)
    few = rows.first(screening_stage(settings, rows.rows.n_rows).n_rows)
    problem = set_up(settings, few, scaling, streams("draws"))
    if warm is not None and warm[1].size == problem.layout.size:
        if warm[0].shape == problem.draws.shape or settings.growing:
            problem = replace(problem, draws=warm[0])
        points = [problem.layout.clip(warm[1])]
    else:
        summary = summarise(few.x, few.weight, streams("summary"), 1.0 if few.scaling is None else scaling.x_scale)
        n_starts = 1 if settings.max_iter == 0 else settings.n_restarts
        points = starts(settings.kernel, problem.layout, summary, problem.draws, n_starts, streams.within("starts"))
    long, exact = learning_stage(settings, rows.rows.n_rows, few.x.shape[1], problem.layout.size)
    if exact:
        closed_form(settings.kernel, problem.layout.unpack(points[0]))  # or says that there is none
        problem = replace(problem, form="exact")
    if len(points) == 1 or settings.max_iter_restart == 0:
        run = Run(points[0], np.inf, 0, "not begun", False, 0, [])
        return Learned(problem, run, [], [], few.total)
    layouts = _layouts(problem.layout, long.n_rows, len(points))
    screened = _screen(problem, points, layouts, settings, progress, budget)
    best = min(screened, key=lambda run: run.objective)
    return Learned(replace(problem, layout=layouts[best.start]), best, screened, [best], few.total)


def _layouts(layout: Layout, n_rows: int, n_starts: int) -> list[Layout]:
    """One a start: slow parameters are slow in all, or in half where rows are many, and the evidence decides."""
    quick = layout.hastened() if n_rows >= ENOUGH_ROWS * layout.size else layout
    return [layout if index % 4 < 2 else quick for index in range(n_starts)]


def go_on(settings: Settings, begun: Learned, rows: Shuffled, progress: Progress, budget: Budget) -> Learned:
    """The long run, unless there is a result and no time for more."""
    if begun.screened and budget.stop():
        return begun
    stage, _ = learning_stage(settings, rows.rows.n_rows, rows.rows.x.shape[1], begun.problem.layout.size)
    more, start = rows.first(stage.n_rows), begun.run
    problem, run = long_run(replace(begun.problem, rows=more), start.theta, settings, stage, progress, budget)
    if not begun.screened:
        return Learned(problem, run, [run], [run], more.total)
    if not np.isfinite(run.value):  # no number in the long run: the best of the screening stands
        run = replace(run, theta=start.theta, value=start.value, penalty=start.penalty)
    return replace(begun, problem=problem, run=run, runs=[run])


def learn_more(
    learned: Learned, problem: Problem, theta, settings: Settings, stage: Stage, progress, budget
) -> Learned:
    """Go on from theta with another set of rows or frequencies."""
    problem, run = long_run(problem, theta, settings, stage, progress, budget)
    return replace(learned, problem=problem, run=run, runs=[*learned.runs, run])


def prune(settings: Settings, learned: Learned) -> tuple[Settings, Learned]:
    """Without the components whose share of the variance has vanished, and their frequencies."""
    problem, kernel = learned.problem, settings.kernel
    if not kernel.has_components or kernel.fixed or kernel.bounds:
        return settings, learned
    values, Q = problem.layout.unpack(learned.run.theta), problem.draws.shape.n_components
    share = np.exp(2 * values["log_amplitude"])
    keep = share >= VANISHED * share.sum()
    if keep.all():
        return settings, learned
    draws = of_components(problem.draws, keep)
    noise = problem.layout.parameters[-1]
    layout = Layout((*(replace(p, **problem.layout.limits(p.name)) for p in kernel.parameters(draws.shape)), noise))
    theta = layout.pack({name: v[keep] if np.shape(v)[:1] == (Q,) else v for name, v in values.items()})
    learned = replace(
        learned, problem=replace(problem, layout=layout, draws=draws), run=replace(learned.run, theta=theta)
    )
    return replace(settings, n_components=int(keep.sum())), learned


def _screen(problem: Problem, points, layouts, settings: Settings, progress: Progress, budget: Budget) -> list[Run]:
    """A short run from each start. Small: one start a thread; large: one at a time on all threads. The same bits."""
    work = problem.rows.n_rows * problem.draws.shape.n_frequencies
    across = settings.n_jobs if work < ACROSS else 1
    objective = partial(nlml_gradient, problem.with_jobs(settings.n_jobs if across == 1 else 1))
    (lower, upper), steps, tol = problem.layout.bounds(), settings.max_iter_restart, settings.tol
    report = progress.restart(len(points), steps * _flops(problem, model_at(problem, points[0]).features))
    first = None
    if settings.n_learning_rows == "auto" and problem.layout.labels()[-1:] == ["log_noise_std"]:
        first = lower, np.append(upper[:-1], max(lower[-1], min(upper[-1], np.log(FIRST_NOISE_STD))))
    moved, expected = [coordinates(layout) for layout in layouts], prior(problem.layout, settings.lengthscale_spread)
    return screen(objective, points, (lower, upper), steps, tol, across, report, budget, first, moved, expected)


def _flops(problem: Problem, features) -> float:
    """Of an evaluation."""
    if features is not None:
        return evaluation_flops(problem.rows.n_rows, features.n_basis)
    shape = problem.draws.shape
    return closed_flops(problem.rows.n_rows, shape.n_inputs, shape.n_components)


def long_run(problem, point, settings: Settings, stage: Stage, progress, budget) -> tuple[Problem, Run]:
    """One optimisation; after mixed precision double goes on for as long as it gains."""
    features, n_rows = model_at(problem, point).features, problem.rows.n_rows
    flops = _flops(problem, features)
    progress.stage(settings.kernel.name, n_rows, features and features.n_basis, stage.max_iter, flops)
    double, bounds = replace(problem, precision="double"), problem.layout.bounds()
    report, max_iter = progress.iteration(stage.max_iter), stage.max_iter
    price = stage.price * flops / (1 if budget.max_time is None else PATIENCE)
    problem = replace(problem, precision=settings.precision)
    rest = {"report": report, "budget": budget, "price": price, "moved": coordinates(problem.layout)}
    rest["prior"] = prior(problem.layout, settings.lengthscale_spread)
    run = minimise(partial(nlml_gradient, problem), point, bounds, max_iter, stage.tol, **rest)
    progress.done(run)
    if problem.precision == "double":
        return double, run
    if run.n_failed or abs(nlml(double, run.theta) - run.value) > MIXED_NATS * problem.rows.total:
        progress.say("mixed precision is not accurate enough for this noise level: continuing in double")
    else:  # the same point in double: little is left to gain
        max_iter = max(WINDOW, max_iter - run.n_iter) if max_iter else 0
    further = minimise(partial(nlml_gradient, double), run.theta, bounds, max_iter, stage.tol, **rest)
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
