"""Free frequencies: `ssgpr` started from a learned spectrum instead of from noise, kept where held-out rows prefer it.

In: a fitted posterior and its rows. Out: another one whose parameters are its frequencies, or None. Both are judged by
the log density of rows that they have not seen: one forgets them by subtraction, the other never learns them.
"""

from dataclasses import replace

import numpy as np

from alakarte.data.arrays import Rows
from alakarte.data.standardise import Scaling
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.features.draws import draw
from alakarte.features.feature_map import feature_map
from alakarte.kernels.registry import resolve
from alakarte.metrics import log_density
from alakarte.posteriors.posterior import weight_posterior
from alakarte.process.objective import Model, Problem
from alakarte.process.sums import statistics
from alakarte.process.weight_space import solve_weights
from alakarte.records import Draws, Shape
from alakarte.search.grow import Refit, refit
from alakarte.search.learn import Learned, Settings, long_run, parameter_layout
from alakarte.search.sizes import evaluation_flops
from alakarte.search.stages import priced

HELD_ROWS = 2000
ROWS_PER_PARAMETER = 4  # what is over-fitted is not kept, so fewer rows a parameter may be tried
FREQUENCIES = (64, 1024)
MOST_ROWS = 100_000
ITERATIONS = 40


def n_free(n_rows: int, n_inputs: int) -> int:
    """Frequencies to set free, 0 where the rows are too few or too many."""
    affordable = min(FREQUENCIES[1], n_rows // (ROWS_PER_PARAMETER * n_inputs))
    return affordable if affordable >= FREQUENCIES[0] and n_rows <= MOST_ROWS else 0


def release_flops(n_rows: int, n_inputs: int) -> float:
    """Of the whole attempt."""
    return (ITERATIONS + 2) * evaluation_flops(n_rows, 2 * n_free(n_rows, n_inputs))


def release(
    settings: Settings, final: Refit, rows: Rows, scaling: Scaling, streams, progress: Progress, budget: Budget
) -> tuple[Settings, Learned, Refit] | None:
    """Settings, what was learned and the posterior of the free kernel, if held-out rows prefer it."""
    order = streams("rows").permutation(rows.n_rows)
    n_held = min(HELD_ROWS, rows.n_rows // 10)
    held, train = (rows.subset(np.sort(part)) for part in (order[:n_held], order[n_held:]))
    problem, theta = freed(final.model, n_free(rows.n_rows, rows.x.shape[1]), train, scaling, streams)
    theta = refit(problem, theta, budget).theta
    settings = replace(settings, kernel=problem.kernel, n_components=1, n_frequencies=problem.draws.shape.n_frequencies)
    stage = priced(train.n_rows, ITERATIONS, settings.tol)
    problem, run = long_run(problem, theta, settings, stage, progress, budget)
    at = refit(problem, run.theta, budget)
    free, bound = held_out(at.model, at.sums, held), held_out(final.model, final.sums - _sums(final.model, held), held)
    progress.say(f"held-out log density {bound:.4f}, with free frequencies {free:.4f}")
    if free <= bound:
        return None
    learned = Learned(problem, replace(run, theta=at.theta), [run], [run], train.total)
    return settings, learned, refit(replace(problem, rows=rows), at.theta, budget)


def freed(model: Model, n_frequencies: int, rows: Rows, scaling: Scaling, streams) -> tuple[Problem, np.ndarray]:
    """`ssgpr` at the frequencies of a model's spectrum, components in proportion to their variance."""
    spectrum = model.spectrum
    each = 2 if spectrum.centre is not None else 1
    share = np.exp(2 * (spectrum.log_amplitude - spectrum.log_amplitude.max()))
    shape = Shape(rows.x.shape[1], split(share, n_frequencies // each))
    draws = draw(shape, model.problem.draws.expansion, streams("draws"))
    omega = frequencies(model.problem.kernel.spectrum(model.values, draws), draws)
    kernel, shape = resolve("ssgpr"), Shape(omega.shape[1], (len(omega),))
    layout = parameter_layout(kernel, shape, None, scaling)
    named = {
        "log_amplitude": 0.5 * np.logaddexp.reduce(2 * spectrum.log_amplitude, keepdims=True),
        "frequencies": omega,
        "log_noise_std": np.asarray(0.5 * np.log(model.noise_variance)),
    }
    made = Problem(kernel, layout, draw(shape, "fastfood", streams("stacks")), rows, n_jobs=model.problem.n_jobs)
    return made, layout.clip(layout.pack(named))


def frequencies(spectrum, draws: Draws) -> np.ndarray:
    """(F, d) all frequencies of a spectrum; around a centre, at ω + μ and at ω − μ."""
    omega = feature_map(spectrum, draws, "matrix").projection.frequencies.T
    if spectrum.centre is None:
        return omega
    centre = spectrum.centre[draws.shape.component]
    return np.concatenate([omega + centre, omega - centre])


def split(share, total: int) -> tuple[int, ...]:
    """Whole numbers ≥ 1 in proportion to `share` that sum to `total`."""
    counts = np.maximum(1, np.floor(share / share.sum() * total)).astype(int)
    while counts.sum() > max(total, counts.size):
        counts[np.argmax(counts)] -= 1
    counts[np.argmax(share)] += max(total - counts.sum(), 0)
    return tuple(counts.tolist())


def _sums(model: Model, rows: Rows):
    return statistics(rows, model.features, model.problem.n_jobs)


def held_out(model: Model, sums, held: Rows) -> float:
    """Mean log density of rows `held` under the posterior of `sums`."""
    variance = model.spectrum.weight_variance(model.problem.draws.shape)
    n_jobs = model.problem.n_jobs
    made = weight_posterior(model.features, sums, solve_weights(sums, variance, model.noise_variance, n_jobs))
    std = np.sqrt(made.variance(held.x, n_jobs) + model.noise_variance)
    return float(np.average(log_density(held.y[:, 0], made.mean(held.x, n_jobs), std), weights=held.weight))
