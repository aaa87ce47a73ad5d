"""theta → (nlml, gradient): the chain of stages down and back up. Remembers nothing.

In: a `Problem` (kernel, layout, draws, rows, and how to compute) and a flat vector. Out: nats and their derivatives.
Three ways give the same number: weight space (D×D, two passes over blocks), row space (n×n), and the exact kernel.
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.data.arrays import Rows, Scratch
from alakarte.errors import Unavailable
from alakarte.features.feature_map import feature_map, spectrum_bar
from alakarte.kernels.base import ClosedForm, Kernel
from alakarte.parameters import Layout
from alakarte.process.closed_form import closed_gram, closed_gram_pullback
from alakarte.process.row_features import gram, gram_pullback, scaled_features
from alakarte.process.row_space import dual_pullback, solve_rows
from alakarte.process.sums import residual_energy, statistics, statistics_pullback
from alakarte.process.weight_space import noise_floor, posterior_covariance, pullback, solve_weights
from alakarte.records import Draws, Shape, Statistics


@dataclass(frozen=True)
class Problem:
    """What is fitted to which rows, and how. `form`: "weights", "rows", "exact" or "auto" (by size)."""

    kernel: Kernel
    layout: Layout
    draws: Draws
    rows: Rows
    form: str = "auto"
    transform: str = "auto"
    precision: str = "double"  # "mixed": features and products of the weights form in float32
    n_jobs: int = 1

    def with_jobs(self, n_jobs: int) -> "Problem":
        """The same problem on another number of threads."""
        return replace(self, n_jobs=n_jobs)


@dataclass(frozen=True)
class Model:
    """A problem at one theta: everything before the first pass over the rows."""

    problem: Problem
    values: dict
    spectrum: object
    features: object  # FeatureMap, None for exact kernels
    form: str
    noise_variance: float
    floored: bool


def model_at(problem: Problem, theta) -> Model:
    """Spectrum, feature map and noise at theta."""
    values = problem.layout.unpack(np.asarray(theta, dtype=float))
    spectrum = problem.kernel.spectrum(values, problem.draws)
    n_rows = problem.rows.n_rows
    if problem.form == "exact":
        features, form, size = None, "exact", n_rows
    else:
        features = feature_map(spectrum, problem.draws, problem.transform)
        form = problem.form
        if form == "auto":
            form = "rows" if n_rows < features.n_basis else "weights"  # compare D, not Qm [E20]
        if form == "weights" and problem.precision == "mixed":
            features = features.astype(np.float32)
        size = min(n_rows, features.n_basis)
    wanted = float(np.exp(2 * values["log_noise_std"]))
    floor = noise_floor(size, problem.rows.total, spectrum.log_amplitude)
    return Model(problem, values, spectrum, features, form, max(wanted, floor), wanted < floor)


def nlml(problem: Problem, theta, sums: Statistics | None = None) -> float:
    """Negative log marginal likelihood in nats; `sums` are the statistics of all rows, where known."""
    model = model_at(problem, theta)
    if model.form != "weights":
        return row_space(model).value
    evidence = weight_space(model, sums)
    return evidence.value(residual_energy(problem.rows, model.features, evidence.weight_mean, problem.n_jobs))


def nlml_gradient(problem: Problem, theta) -> tuple[float, np.ndarray]:
    """Value and gradient."""
    model = model_at(problem, theta)
    if model.form == "weights":
        value, bar, log_noise_bar = _weights_pullback(model)
    else:
        with problem.rows.scratch() as scratch:
            value, bar, log_noise_bar = _rows_pullback(model, scratch)
    derivatives = {"log_noise_std": 2 * log_noise_bar}
    if model.floored:  # s = floor ∝ Σ v²
        share = np.exp(2 * bar_share(model.spectrum.log_amplitude))
        bar = replace(bar, log_amplitude=bar.log_amplitude + 2 * log_noise_bar * share)
        derivatives["log_noise_std"] = 0.0
    derivatives |= problem.kernel.pullback(model.values, problem.draws, bar)
    return value, problem.layout.pack(derivatives)


def bar_share(log_amplitude):
    """Log of v_q / √Σ v², without overflow."""
    return log_amplitude - 0.5 * np.logaddexp.reduce(2 * log_amplitude)


def weight_space(model: Model, sums: Statistics | None = None):
    """Pass 1, unless its sums are known, and the solved weights."""
    n_jobs = model.problem.n_jobs
    sums = sums or statistics(model.problem.rows, model.features, n_jobs)
    variance = model.spectrum.weight_variance(model.problem.draws.shape)
    return solve_weights(sums, variance, model.noise_variance, n_jobs)


def row_space(model: Model):
    """The solved rows."""
    problem = model.problem
    return solve_rows(*row_signal(model), model.noise_variance, problem.rows.total, problem.n_jobs)


def row_signal(model: Model):
    """W^½ K W^½ (n, n), its lower triangle, and W^½ y (n, T)."""
    return _signal(model, Scratch())[0], _root_target(model)


def closed_form(kernel: Kernel, values) -> ClosedForm:
    """The kernel's closed form, or why there is none."""
    form = kernel.closed_form(values)
    if not isinstance(form, ClosedForm):
        raise Unavailable(
            f"kernel {kernel.name!r} has no closed form: expansion='exact' works for rbf, ard, matern, gm, mm; "
            "use expansion='fastfood'."
        )
    return form


def has_closed_form(kernel: Kernel) -> bool:
    """Whether it can do without an expansion."""
    layout = Layout(kernel.parameters(Shape(1, (1,))))
    return isinstance(kernel.closed_form(layout.unpack(np.zeros(layout.size))), ClosedForm)


def _root_target(model):
    rows = model.problem.rows.whole()
    return rows.y * np.sqrt(rows.weight)[:, None]


def _signal(model, scratch: Scratch):
    """W^½ K W^½ (n, n), and W^½ Φ V^½ (n, D) where there is an expansion."""
    rows = model.problem.rows.whole()
    root = np.sqrt(rows.weight)
    if model.form == "exact":
        signal = closed_gram(
            model.spectrum, closed_form(model.problem.kernel, model.values), rows.x, model.problem.n_jobs
        )
        if (root != 1).any():
            signal *= root
            signal *= root[:, None]
        return signal, None
    variance = model.spectrum.weight_variance(model.problem.draws.shape)
    psi = scaled_features(model.features, rows, variance, model.problem.n_jobs, scratch)
    return gram(psi, model.problem.n_jobs), psi


def _weights_pullback(model):
    rows, n_jobs, s = model.problem.rows, model.problem.n_jobs, model.noise_variance
    evidence = weight_space(model)
    scaled_covariance, inverse_diagonal = posterior_covariance(evidence, n_jobs)
    residual, sums = statistics_pullback(rows, model.features, evidence.weight_mean, scaled_covariance, s, n_jobs)
    log_variance_bar, log_noise_bar = pullback(evidence, inverse_diagonal, residual)
    bar = _spectrum_bar(model, sums, log_variance_bar)
    return evidence.value(residual), bar, log_noise_bar


def _rows_pullback(model, scratch: Scratch):
    rows = model.problem.rows.whole()
    n_jobs = model.problem.n_jobs
    signal, psi = _signal(model, scratch)
    dual = solve_rows(signal, _root_target(model), model.noise_variance, rows.total, n_jobs)
    inverse_kernel, log_noise_bar = dual_pullback(dual, n_jobs)
    if model.form == "exact":
        root = np.sqrt(rows.weight)
        alpha, symmetric = dual.alpha[:, 0], inverse_kernel.T

        def kernel_bar(start, stop):
            panel = symmetric[start:stop, start:] - np.outer(alpha[start:stop], alpha[start:])
            panel *= (0.5 * root[start:stop])[:, None]
            panel *= root[start:]
            return panel

        form = closed_form(model.problem.kernel, model.values)
        bar = closed_gram_pullback(model.spectrum, form, rows.x, kernel_bar, n_jobs)
        return dual.value, bar, log_noise_bar
    alpha = dual.alpha[:, 0]
    sums, log_variance_bar = gram_pullback(model.features, rows, psi, inverse_kernel, alpha, n_jobs, scratch)
    return dual.value, _spectrum_bar(model, sums, log_variance_bar), log_noise_bar


def _spectrum_bar(model, sums, log_variance_bar):
    draws = model.problem.draws
    tiled = np.tile(draws.shape.component, log_variance_bar.size // draws.shape.n_frequencies)
    # V = v²/m: ∂/∂log v_q = 2 Σ_{i∈q} ∂/∂log V_i
    log_amplitude_bar = 2 * np.bincount(tiled, log_variance_bar, draws.shape.n_components)
    return spectrum_bar(model.features, sums, log_amplitude_bar, model.spectrum, draws)
