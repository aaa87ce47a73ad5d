"""Free frequencies: `ssgpr` started from a learned spectrum instead of from noise, kept where held-out rows prefer it.

In: a ranking and the process of its best. Out: the same, or one whose parameters are its frequencies. Both are judged
by the log density of rows that they have not seen: one forgets them by subtraction, the other never learns them.
"""

from dataclasses import replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.standardise import Scaling
from alakarte.execution.randomness import Streams
from alakarte.features.dense import frequency_matrix
from alakarte.features.draws import draw
from alakarte.kernels.registry import resolve
from alakarte.posteriors.weights import weight_posterior
from alakarte.process.problem import Problem, Process
from alakarte.process.sums import statistics
from alakarte.process.weight_space import solve_weights
from alakarte.records import Array, Draws, Shape, Spectrum, Statistics
from alakarte.search.candidates import Candidate
from alakarte.search.compare import tune_one
from alakarte.search.context import Search
from alakarte.search.cost import free_flops, free_frequencies
from alakarte.search.grow import Grown
from alakarte.search.learn import Learned
from alakarte.search.plan import Plan
from alakarte.search.run_stage import long_run
from alakarte.search.set_up import parameter_layout


def try_free_frequencies(search: Search, ranking: list[Candidate], grown: Grown) -> tuple[list[Candidate], Grown]:
    """The ranking and the process of its best, of free frequencies where held-out rows prefer them."""
    if not _has_time(search, ranking[0], grown):
        return ranking, grown
    with search.budget.part(policy.TIME_FOR_FREE):
        free = _free(search, ranking[0].plan, grown)
    return ([free, *ranking], Grown(free.tuned)) if free is not None else (ranking, grown)


def _has_time(search: Search, best: Candidate, grown: Grown) -> bool:
    """Whether there is time to try free frequencies, and rows for them; the sums must be those of all rows."""
    table, budget = (search.rows.n_rows, search.rows.n_inputs), search.budget
    possible = best.plan.growing and grown.tuned.sums is not None and not search.settings.likelihood.fixed()
    if not possible or not budget.patient or budget.is_over() or free_frequencies(*table) == 0:
        return False
    return budget.seconds(free_flops(*table)) < policy.TIME_FOR_FREE * budget.left()


def _free(search: Search, plan: Plan, grown: Grown) -> Candidate | None:
    """The candidate of free frequencies, if held-out rows prefer it."""
    rows, streams, fixed = search.rows, search.streams.within("free"), grown.tuned
    order = streams("rows").permutation(rows.n_rows)
    n_held = min(policy.HELD_ROWS, int(policy.HELD_FRACTION * rows.n_rows))
    held, train = (rows.take(np.sort(part)) for part in (order[:n_held], order[n_held:]))
    n_free = free_frequencies(rows.n_rows, rows.n_inputs)
    problem, theta = freed(fixed.process, n_free, train, search.scaling, streams)
    theta = tune_one(problem, theta, search.budget).theta
    plan = replace(plan, kernel=problem.kernel, n_components=1, n_frequencies=problem.draws.shape.n_frequencies)
    problem, run = long_run(search, plan, problem, theta, plan.priced(train.n_rows, policy.FREE_ITERATIONS))
    tuned = tune_one(problem, run.theta, search.budget)
    assert fixed.sums is not None
    assert tuned.sums is not None
    before = held_out(fixed.process, fixed.sums - _sums(fixed.process, held), held)
    after = held_out(tuned.process, tuned.sums, held)
    search.progress.say(f"held-out log density {before:.4f}, with free frequencies {after:.4f}")
    if after <= before:
        return None
    learned = Learned(problem, replace(run, theta=tuned.theta), [run], [run], train.total)
    on_all_rows = tune_one(problem.on(rows), tuned.theta, search.budget)
    return Candidate(plan, learned, on_all_rows, compressed=search.compressed)


def freed(
    process: Process, n_frequencies: int, rows: Rows, scaling: Scaling, streams: Streams
) -> tuple[Problem, Array]:
    """`ssgpr` at the frequencies of a process's spectrum, components in proportion to their variance, and its theta."""
    spectrum, old = process.spectrum, process.problem
    n_signs = 2 if spectrum.centre is not None else 1  # a frequency around a centre stands for ω + μ and ω − μ
    variance = np.exp(2 * (spectrum.log_amplitude - spectrum.log_amplitude.max()))
    shape = old.draws.shape.with_counts(split(variance, n_frequencies // n_signs))
    draws = draw(shape, old.draws.expansion, streams("draws"))
    omega = frequencies(old.kernel.spectrum(process.values, draws), draws)
    kernel, shape = resolve("ssgpr"), Shape(omega.shape[1], (len(omega),))
    layout = parameter_layout(kernel, old.likelihood, shape, scaling)
    values = {
        "log_amplitude": 0.5 * np.logaddexp.reduce(2 * spectrum.log_amplitude, keepdims=True),
        "frequencies": omega,
    }
    values = old.noise.with_noise_variance(values, process.noise_variance)
    draws = draw(shape, "fastfood", streams("stacks"))
    problem = Problem(kernel, old.likelihood, layout, draws, rows, n_jobs=old.n_jobs)
    return problem, layout.clip(layout.pack(values))


def frequencies(spectrum: Spectrum, draws: Draws) -> Array:
    """(F, d) all frequencies of a spectrum; around a centre, at ω + μ and at ω − μ."""
    omega = frequency_matrix(spectrum, draws).T
    if spectrum.centre is None:
        return omega
    centre = spectrum.centre[draws.shape.component]
    return np.concatenate([omega + centre, omega - centre])


def split(variance: Array, total: int) -> tuple[int, ...]:
    """Whole numbers ≥ 1 in proportion to `variance` that sum to `total`."""
    counts = np.maximum(1, np.floor(variance / variance.sum() * total)).astype(int)
    while counts.sum() > max(total, counts.size):
        counts[np.argmax(counts)] -= 1
    counts[np.argmax(variance)] += max(total - counts.sum(), 0)
    return tuple(counts.tolist())


def _sums(process: Process, rows: Rows) -> Statistics:
    return statistics(rows, process.features, process.problem.n_jobs)


def held_out(process: Process, sums: Statistics, held: Rows) -> float:
    """Mean log density of rows `held` under the posterior of `sums`."""
    n_jobs, block = process.problem.n_jobs, held.whole()
    solved = solve_weights(sums, process.weight_variance, process.noise_variance, n_jobs)
    posterior = weight_posterior(process.features, sums, solved, np.nan)
    std = process.problem.noise.std(posterior.variance(block.x, n_jobs), process.noise_variance)
    density = process.problem.noise.log_density(block.y, posterior.mean(block.x, n_jobs), std).sum(axis=1)
    return float(np.average(density, weights=block.weight))
