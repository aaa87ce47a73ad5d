"""⟨J v, u⟩ = ⟨v, Jᵀ u⟩ for every stage and its pullback, each by itself."""

from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

from alakarte.features.dense import MatrixProduct
from alakarte.features.fastfood import fast_transform
from alakarte.features.feature_map import FeaturesBar, feature_map, spectrum_bar
from alakarte.kernels.radial import knot_radii, knot_radii_pullback
from alakarte.process.closed_form import closed_gram_full, closed_gram_pullback
from alakarte.process.problem import closed_form, process_at
from alakarte.process.sums import residual_energy, statistics
from alakarte.process.weight_space import posterior_covariance, pullback, solve_weights
from alakarte.records import Spectrum
from problems import MENU, SHAPES, every_expansion, naming, pairwise, phases, problem, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")
H = 1e-5
FEATURES = pairwise(product(MENU, [(3, 2, 8), (1, 2, 3), (9, 2, 5)], ["fast", "matrix"], [1, 3]))
PROJECTIONS = pairwise(product(SHAPES, ["fast", "matrix"], ["fastfood", "dense"]))


def close(a, b, scale, tolerance):
    return abs(a - b) < tolerance * (abs(a) + scale)


def given(spectrum) -> list[str]:
    """Names of the arrays that a spectrum has."""
    return [f.name for f in fields(Spectrum) if getattr(spectrum, f.name) is not None]


def random_like(spectrum, rng) -> Spectrum:
    return Spectrum(**{name: rng.standard_normal(getattr(spectrum, name).shape) for name in given(spectrum)})


def moved(spectrum, direction, h) -> Spectrum:
    return Spectrum(**{name: getattr(spectrum, name) + h * getattr(direction, name) for name in given(spectrum)})


def inner(a: Spectrum, b: Spectrum, names) -> float:
    return sum(float(np.vdot(getattr(a, name), getattr(b, name))) for name in names)


@every_expansion
def test_kernel_spectrum_and_pullback(name, shape, expansion):
    made, theta = problem(name, shape, expansion)
    rng, values = np.random.default_rng(4), values_at(made, theta)
    v = {key: rng.standard_normal(np.shape(value)) for key, value in values.items()}
    high, low = (made.kernel.spectrum({key: values[key] + h * v[key] for key in values}, made.draws) for h in (H, -H))
    u = random_like(high, rng)
    forward = sum(
        float(np.vdot((getattr(high, key) - getattr(low, key)) / (2 * H), getattr(u, key))) for key in given(high)
    )
    back = made.kernel.pullback(values, made.draws, u)
    assert set(back) == set(values) - {"log_noise_std"}
    assert all(np.shape(back[key]) == np.shape(values[key]) for key in back)
    backward = sum(float(np.vdot(back[key], v[key])) for key in back)
    assert close(forward, backward, 1.0, 1e-7)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_fast_transform_is_linear_in_each_matrix_and_its_pullback_is_the_adjoint(shape):
    made, theta = problem("fsgbard", shape)
    transform = fast_transform(made.kernel.spectrum(values_at(made, theta), made.draws), made.draws)
    rng, x, size = np.random.default_rng(0), made.rows.x, made.draws.shape.n_frequencies
    phase_bar = rng.standard_normal((len(x), size))
    bars = transform.pullback(x, phase_bar)
    for name, bar in zip(("input_scale", "signs", "gaussians", "factor"), bars, strict=True):
        v = rng.standard_normal(getattr(transform, name).shape)
        forward = float(
            np.vdot(phases(replace(transform, **{name: v}), size, x), phase_bar)
        )  # linear: J v is the map at v
        assert close(forward, float(np.vdot(bar, v)), np.linalg.norm(phase_bar), 1e-12), name


def test_matrix_product_pullback_is_the_adjoint():
    rng = np.random.default_rng(0)
    x, v, u = rng.standard_normal((7, 3)), rng.standard_normal((3, 5)), rng.standard_normal((7, 5))
    (bar,) = MatrixProduct(rng.standard_normal((3, 5))).pullback(x, u)
    assert close(float(np.vdot(phases(MatrixProduct(v), 5, x), u)), float(np.vdot(bar, v)), 1.0, 1e-13)


@pytest.mark.parametrize(("shape", "transform", "expansion"), PROJECTIONS)
def test_projections_pull_back_to_the_spectrum(shape, transform, expansion):
    """Phases are linear in the scale and in the radii of the spectrum."""
    if (transform, expansion) == ("fast", "dense"):
        transform = "auto"
    made, theta = problem("gm", shape, expansion)
    spectrum = made.kernel.spectrum(values_at(made, theta), made.draws)
    rng, x, size = np.random.default_rng(0), made.rows.x, made.draws.shape.n_frequencies
    projection = feature_map(spectrum, made.draws, transform).projection
    u = rng.standard_normal((len(x), size))
    bar = projection.spectrum_pullback(list(projection.pullback(x, u)), spectrum, made.draws)
    for name in ("input_scale", "radii"):
        v = rng.standard_normal(getattr(spectrum, name).shape)
        at_v = feature_map(replace(spectrum, **{name: v}), made.draws, transform).projection
        assert close(
            float(np.vdot(phases(at_v, size, x), u)), float(np.vdot(bar[name], v)), np.linalg.norm(u), 1e-12
        ), name


@pytest.mark.parametrize(("name", "shape", "transform", "n_targets"), FEATURES)
def test_features_pull_back_to_the_spectrum(name, shape, transform, n_targets):
    made, theta = problem(name, shape)
    spectrum = made.kernel.spectrum(values_at(made, theta), made.draws)
    rng, x, weight = np.random.default_rng(4), made.rows.x, made.rows.weight
    features = feature_map(spectrum, made.draws, transform)
    phi = features.phi(x)
    phi_p, residual, beta = (
        rng.standard_normal(phi.shape),
        rng.standard_normal((len(x), n_targets)),
        rng.standard_normal((phi.shape[1], n_targets)),
    )
    phi_bar = weight[:, None] * (n_targets * phi_p - residual @ beta.T)
    v = random_like(spectrum, rng)
    far, high, low, deep = (
        feature_map(moved(spectrum, v, k * H), made.draws, transform).phi(x) for k in (2, 1, -1, -2)
    )
    forward = float(np.vdot((deep - 8 * low + 8 * high - far) / (12 * H), phi_bar))  # error h⁴: Matérn's radii are long
    sums = features.pullback(x, phi, FeaturesBar(phi_p, residual, beta, weight))
    back = spectrum_bar(features, sums, np.zeros_like(spectrum.log_amplitude), spectrum, made.draws)
    names = [key for key in given(spectrum) if key != "log_amplitude"]
    assert close(forward, inner(back, v, names), np.linalg.norm(phi_bar), 1e-7)


@pytest.mark.parametrize("threaded", [100, 1], ids=["one-part", "parts"])
@pytest.mark.parametrize(
    "name", ["rbf", "ard", "matern0.5", "matern1.5", "matern2.5", "gm", "mm", "ard+gm", "rbf+rbf+mm"]
)
def test_closed_kernels_pull_back_to_the_spectrum(name, threaded, monkeypatch):
    monkeypatch.setattr("alakarte.process.closed_form.THREADED_ROWS", threaded)
    made, theta = problem(name, (3, 2, 4), "exact", n=40)
    closed, rng, x = closed_form(made.kernel, values_at(made, theta)), np.random.default_rng(4), made.rows.x
    spectrum = replace(made.kernel.spectrum(values_at(made, theta), made.draws), radii=None)
    bar = rng.standard_normal((len(x), len(x)))
    bar += bar.T
    v = random_like(spectrum, rng)
    high, low = (closed_gram_full(moved(spectrum, v, h), closed, x) for h in (H, -H))
    solved = np.asfortranarray(2 * bar), np.zeros((len(x), 1))
    back = closed_gram_pullback(spectrum, closed, (x, np.ones(len(x))), *solved)
    assert close(float(np.vdot((high - low) / (2 * H), bar)), inner(back, v, given(spectrum)), 1.0, 1e-7)


def test_knot_radii_pullback_is_the_adjoint():
    for n_knots in (1, 2, 4, 9):
        with naming(n_knots):
            rng = np.random.default_rng(n_knots)
            u = (np.arange(40) + 0.37) / 40
            gaps, weights = rng.uniform(0.1, 2, n_knots + 1), rng.uniform(0.1, 3, n_knots)
            v_gaps, v_weights, radii_bar = (
                rng.standard_normal(n_knots + 1),
                rng.standard_normal(n_knots),
                rng.standard_normal(40),
            )
            high, low = (knot_radii(u, gaps + h * v_gaps, weights + h * v_weights) for h in (1e-6, -1e-6))
            gaps_bar, weights_bar = knot_radii_pullback(u, gaps, weights, radii_bar)
            forward = float((high - low) / 2e-6 @ radii_bar)
            assert close(forward, float(gaps_bar @ v_gaps + weights_bar @ v_weights), 1.0, 1e-7)


@pytest.mark.parametrize("n_targets", [1, 3])
def test_evidence_pulls_back_to_variances_and_noise(n_targets):
    made, theta = problem("gm", (3, 2, 8), n_targets=n_targets)
    model, rows = process_at(made, theta), made.rows
    sums = statistics(rows, model.features, 1)
    log_variance = np.log(model.spectrum.weight_variance(made.draws.shape))
    log_noise, rng = np.log(model.noise_variance), np.random.default_rng(0)

    def evaluate(log_v, log_s):
        evidence = solve_weights(sums, np.exp(log_v), np.exp(log_s))
        return evidence, float(residual_energy(rows, model.features, evidence.weight_mean, 1).sum())

    evidence, residual = evaluate(log_variance, log_noise)
    variance_bar, noise_bar = pullback(evidence, posterior_covariance(evidence)[1], residual)
    v, v_s = rng.standard_normal(log_variance.size), rng.standard_normal()
    pairs = [evaluate(log_variance + h * v, log_noise + h * v_s) for h in (H, -H)]
    forward = (pairs[0][0].value(pairs[0][1]) - pairs[1][0].value(pairs[1][1])) / (2 * H)
    assert close(forward, float(variance_bar @ v + noise_bar * v_s), 1.0, 1e-7)
