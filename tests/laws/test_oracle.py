"""Evidence and predictions equal those of the dense n×n process, by every computation and for every kernel."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from alakarte.process.computation import Computation
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.process.problem import process_at
from alakarte.process.row_space import solve_rows
from problems import MENU, dense_process, every_case, explicit_kernel, pairwise, posterior_at, problem, set_value, ways

pytestmark = pytest.mark.usefixtures("one_blas_thread")
NEW = 11
# fewer rows than D = 32, about as many, more
SMALL_NOISE = pairwise(product(["ard", "pwl", "fsgbard"], [12, 30, 80], [1e-2, 1e-6, 1e-9]))


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@every_case
def test_nlml_is_that_of_the_dense_process(name, shape, expansion):
    for n_targets, way in product((1, 3), ways(expansion)):
        made, theta = problem(name, shape, expansion, n_targets=n_targets, **way)
        expected = dense_process(made, theta).nlml
        assert abs(nlml(made, theta) - expected) < 1e-8 * (1 + abs(expected))
        assert abs(nlml_gradient(made, theta)[0] - expected) < 1e-8 * (1 + abs(expected))


@every_case
def test_predictions_are_those_of_the_dense_process(name, shape, expansion):
    x = np.random.default_rng(5).standard_normal((NEW, shape[0]))
    for n_targets in (1, 3):
        made, theta = problem(name, shape, expansion, n_targets=n_targets)
        expected, got = dense_process(made, theta, x), posterior_at(made, theta)
        assert got.mean(x).shape == (NEW, n_targets)
        assert relative(got.mean(x), expected.mean) < 1e-8
        assert relative(got.variance(x), expected.covariance.diagonal()[:, None]) < 1e-8
        assert relative(got.covariance(x), expected.covariance[:, :, None]) < 1e-8


@every_case
def test_all_forms_give_the_same_gradient(name, shape, expansion):
    for n_targets in (1, 3):
        made, theta = problem(name, shape, expansion, n_targets=n_targets)
        gradients = [nlml_gradient(replace(made, **way), theta)[1] for way in ways(expansion)]
        for gradient in gradients[1:]:
            assert relative(gradient, gradients[0]) < 1e-9


@every_case
def test_gradient_is_that_of_central_differences(name, shape, expansion):
    rng, h = np.random.default_rng(2), 1e-5
    for n_targets in (1, 3):
        made, theta = problem(name, shape, expansion, n_targets=n_targets)
        gradient = nlml_gradient(made, theta)[1]
        direction = rng.choice([-1.0, 1.0], theta.size)  # every parameter counts in every direction
        far, high, low, deep = (nlml(made, theta + k * h * direction) for k in (2, 1, -1, -2))
        slope = (deep - 8 * low + 8 * high - far) / (12 * h)
        assert abs(slope - gradient @ direction) < 1e-6 * np.linalg.norm(gradient)


@pytest.mark.parametrize(("name", "n", "noise_variance"), SMALL_NOISE)
def test_weights_form_and_rows_form_agree_at_small_noise(name, n, noise_variance):
    made, theta = problem(name, (3, 2, 8), n=n)
    theta = set_value(made, theta, log_noise_std=0.5 * np.log(noise_variance))
    expected, largest = by_singular_values(made, theta)
    assert not process_at(made, theta).floored
    scale = max(abs(expected), 0.5 * made.rows.total * abs(np.log(noise_variance)))  # of the terms that cancel in it
    assert abs(nlml(replace(made, computation=Computation.WEIGHTS), theta) - expected) < 1e-8 * scale
    # K = ΦVΦᵀ + sI is itself rounded, by eps λ_max against s
    rounding = np.finfo(float).eps * largest / noise_variance
    assert abs(nlml(replace(made, computation=Computation.ROWS), theta) - expected) < (1e-8 + rounding) * scale


def by_singular_values(made, theta):
    """The nlml without a matrix that is squared, accurate for any noise; and the largest eigenvalue of ΦVΦᵀ."""
    model, rows = process_at(made, theta), made.rows
    root, s = np.sqrt(rows.weight), model.noise_variance
    psi = model.features.phi(rows.x) * np.sqrt(model.spectrum.weight_variance(made.draws.shape)) * root[:, None]
    left, singular, _ = np.linalg.svd(psi, full_matrices=False)
    target = rows.y[:, 0] * root
    seen = left.T @ target
    rest = target - left @ seen
    log_det = rows.total * np.log(2 * np.pi * s) + np.log1p(singular**2 / s).sum()
    return 0.5 * (log_det + (seen**2 / (singular**2 + s)).sum() + rest @ rest / s), singular[0] ** 2


@pytest.mark.parametrize("name", MENU)
def test_weights_equal_repeated_rows(name):
    made, theta = problem(name, (3, 2, 8))
    repeats = made.rows.weight.astype(int)
    x, y = np.repeat(made.rows.x, repeats, axis=0), np.repeat(made.rows.y, repeats, axis=0)
    repeated = replace(made.rows, x=x, y=y, weight=np.ones(len(x)))
    for computation in (Computation.WEIGHTS, Computation.ROWS):
        weighted = nlml_gradient(replace(made, computation=computation), theta)
        plain = nlml_gradient(replace(made, rows=repeated, computation=computation), theta)
        assert abs(weighted[0] - plain[0]) < 1e-9 * (1 + abs(plain[0]))
        assert relative(weighted[1], plain[1]) < 1e-9


def test_weights_equal_repeated_rows_in_an_exact_kernel():
    made, theta = problem("gm", (3, 2, 8), "exact", n=12)
    repeats = made.rows.weight.astype(int)
    x, y = np.repeat(made.rows.x, repeats, axis=0), np.repeat(made.rows.y, repeats, axis=0)
    repeated = replace(made.rows, x=x, y=y, weight=np.ones(len(x)))
    weighted, plain = nlml_gradient(made, theta), nlml_gradient(replace(made, rows=repeated), theta)
    assert abs(weighted[0] - plain[0]) < 1e-9 * (1 + abs(plain[0]))
    assert relative(weighted[1], plain[1]) < 1e-9


def test_a_real_weight_is_the_same_in_both_forms():
    made, theta = problem("gm", (3, 2, 8))
    rows = replace(made.rows, weight=np.random.default_rng(1).uniform(0.1, 3.0, made.rows.n_rows))
    value, gradient = nlml_gradient(replace(made, rows=rows, computation=Computation.WEIGHTS), theta)
    other_value, other_gradient = nlml_gradient(replace(made, rows=rows, computation=Computation.ROWS), theta)
    assert abs(value - other_value) < 1e-10 * abs(value)
    assert relative(gradient, other_gradient) < 1e-9


def test_noise_and_amplitudes_together_scale_the_quadratic_form():
    """∂/∂log s + Σ ∂/∂log V = ½ (N − yᵀK⁻¹y): half of the derivative by all amplitudes and the noise at once."""
    for name in ("ard", "gm"):
        made, theta = problem(name, (3, 2, 8))
        named = made.layout.unpack(nlml_gradient(made, theta)[1])
        model, root = process_at(made, theta), np.sqrt(made.rows.weight)
        signal = explicit_kernel(made, theta, made.rows.x, made.rows.x) * root * root[:, None]
        target = made.rows.y * root[:, None]
        quadratic = float((target * solve_rows(signal, target, model.noise_variance, made.rows.total).alpha).sum())
        both = float(named["log_noise_std"] + named["log_amplitude"].sum())
        assert abs(both - (made.rows.total - quadratic)) < 1e-9 * made.rows.total
