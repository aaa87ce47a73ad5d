"""theta → (nlml, gradient): the chain of steps down and back up. Remembers nothing.

In: a `Problem` and a flat vector. Out: nats, summed over targets, and their derivatives.
"""

from dataclasses import replace

import numpy as np

from alakarte.data.rows import Block
from alakarte.errors import IllConditioned
from alakarte.execution.scratch import Scratch
from alakarte.features.feature_map import spectrum_bar
from alakarte.process.closed_form import ClosedRows, closed_rows
from alakarte.process.computation import Computation
from alakarte.process.problem import LatentFunction, Problem, Process, process_at
from alakarte.process.row_space import GramPullback, RowSpace, gram, scaled_features, solve_rows
from alakarte.process.row_space import pullback as rows_pullback
from alakarte.process.sums import Weights, residual_energy, statistics, statistics_pullback
from alakarte.process.weight_space import WeightSpace, posterior_covariance, solve_weights
from alakarte.process.weight_space import pullback as weights_pullback
from alakarte.records import Array, Spectrum, Statistics


def nlml(problem: Problem, theta: Array, sums: Statistics | None = None) -> float:
    """Negative log marginal likelihood in nats; `sums` are the statistics of all rows, where known."""
    process = process_at(problem, theta)
    if process.computation is not Computation.WEIGHTS:
        return row_space(process).nlml
    solved = weight_space(process, sums)
    return solved.value(residual_energy(problem.rows, process.features, solved.weight_mean, problem.n_jobs))


def nlml_gradient(problem: Problem, theta: Array) -> tuple[float, Array]:
    """Value and gradient."""
    process = process_at(problem, theta)
    if process.computation is Computation.WEIGHTS:
        value, bar, log_noise_bar = _in_weight_space(process)
    else:
        value, bar, log_noise_bar = _in_row_space(process)
    if process.floored:  # s = floor ∝ Σ v²: theta's own noise has no influence
        fraction = np.exp(2 * log_fraction(process.spectrum.log_amplitude))
        bar = replace(bar, log_amplitude=bar.log_amplitude + 2 * log_noise_bar * fraction)
        log_noise_bar = 0.0
    derivatives = problem.noise.noise_pullback(log_noise_bar)
    derivatives |= problem.kernel.pullback(process.values, problem.draws, bar)
    return value, problem.layout.unpack_pullback(derivatives)


def log_fraction(log_amplitude: Array) -> Array:
    """Log of v_q / √Σ v², without overflow."""
    total: float = np.logaddexp.reduce(2 * log_amplitude)
    return log_amplitude - 0.5 * total


def weight_space(process: Process, sums: Statistics | None = None) -> WeightSpace:
    """Pass 1, unless its sums are known, and the solved weights."""
    n_jobs = process.problem.n_jobs
    sums = sums or statistics(process.problem.rows, process.features, n_jobs)
    return solve_weights(sums, process.weight_variance, process.noise_variance, n_jobs)


def row_space(process: Process) -> RowSpace:
    """The solved rows."""
    try:
        return _solved(process, in_place=True)  # a second n×n matrix costs memory, and its fresh pages much time
    except IllConditioned:
        return _solved(process, in_place=False)


def _solved(process: Process, *, in_place: bool) -> RowSpace:
    """The solved rows; without jitter where the factor takes the place of the matrix."""
    problem, (signal, target) = process.problem, row_signal(process)
    out = signal if in_place else None
    return solve_rows(signal, target, process.noise_variance, problem.rows.total, problem.n_jobs, out)


def row_signal(process: Process) -> tuple[Array, Array]:
    """W^½ K_f W^½ (n, n), its lower triangle, and W^½ y (n, T)."""
    rows = process.problem.rows.whole()
    return _signal(process, rows, Scratch())[0], _root_target(rows)


def _root_target(rows: Block) -> Array:
    return rows.y * np.sqrt(rows.weight)[:, None]


def _signal(process: Process, rows: Block, scratch: Scratch) -> tuple[Array, Array | ClosedRows]:
    """W^½ K_f W^½ (n, n), and what leads back: Ψ = W^½ Φ V^½ (n, D) of an expansion, or the rows of a closed form."""
    n_jobs = process.problem.n_jobs
    if process.computation is not Computation.CLOSED:
        psi = scaled_features(process.features, rows, process.weight_variance, n_jobs, scratch)
        return gram(psi, n_jobs), psi
    n, closed = len(rows.x), closed_rows(process.spectrum, process.closed_form, rows.x, rows.weight)
    return closed.gram(n_jobs, scratch.array("signal", (n, n), np.float64)), closed


def _in_weight_space(process: Process) -> tuple[float, Spectrum, float]:
    """Value, and derivatives by the spectrum and by log s."""
    rows, n_jobs = process.problem.rows, process.problem.n_jobs
    solved = weight_space(process)
    covariance, inverse_diagonal = posterior_covariance(solved, n_jobs)
    weights = Weights(solved.weight_mean, covariance, process.noise_variance)
    residual, sums = statistics_pullback(rows, process.features, weights, n_jobs)
    log_variance_bar, log_noise_bar = weights_pullback(solved, inverse_diagonal, residual)
    return solved.value(residual), spectrum_from_sums(process, sums, log_variance_bar), log_noise_bar


def _in_row_space(process: Process) -> tuple[float, Spectrum, float]:
    """Value, and derivatives by the spectrum and by log s."""
    problem, rows, n_jobs = process.problem, process.problem.rows.whole(), process.problem.n_jobs
    with problem.rows.scratch.borrow() as scratch:
        signal, back_to_rows = _signal(process, rows, scratch)
        factor = scratch.array("factor", signal.shape, np.float64).T
        solved = solve_rows(signal, _root_target(rows), process.noise_variance, problem.rows.total, n_jobs, factor)
        inverse_kernel, log_noise_bar = rows_pullback(solved, n_jobs)
        if isinstance(back_to_rows, ClosedRows):
            return solved.nlml, back_to_rows.gram_pullback(inverse_kernel, solved.alpha, n_jobs), log_noise_bar
        back = GramPullback(process.features, inverse_kernel, solved.alpha)
        sums, log_variance_bar = back.sums(rows.x, back_to_rows, n_jobs, scratch)
        return solved.nlml, spectrum_from_sums(process, sums, log_variance_bar), log_noise_bar


def spectrum_from_sums(function: LatentFunction, sums: list[Array], log_variance_bar: Array) -> Spectrum:
    """Derivatives by the spectrum from sums over rows and derivatives by log V (D,)."""
    draws = function.problem.draws
    n_products = function.problem.kernel.columns_per_frequency
    tiled = np.tile(draws.shape.component, n_products)[draws.shape.columns(n_products)]
    # V = v²/m: ∂/∂log v_q = 2 Σ_{i∈q} ∂/∂log V_i
    of_components = np.bincount(tiled, log_variance_bar, draws.shape.n_components)
    log_amplitude_bar = 2 * np.asarray(of_components, dtype=np.float64)
    return spectrum_bar(function.features, sums, log_amplitude_bar, function.spectrum, draws)
