"""Exact kernels equal scikit-learn's GaussianProcessRegressor: evidence, its gradient, predictions."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from alakarte import GPRegressor
from alakarte.kernels import ARD
from alakarte.posteriors.posterior import posterior
from alakarte.process.closed_form import closed_gram_full, closed_gram_pullback, closed_kernel
from alakarte.process.objective import closed_form, model_at, nlml, nlml_gradient
from problems import MENU, dense_process, problem, set_value, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")
SAME = ["rbf", "ard", "matern0.5", "matern1.5", "matern2.5"]


def peer_kernel(kernel, values):
    amplitude, lengthscale = np.exp(values["log_amplitude"][0]), np.exp(values["log_lengthscale"])
    shape = sk.Matern(lengthscale, nu=kernel.nu) if kernel.name == "matern" else sk.RBF(lengthscale)
    return sk.ConstantKernel(amplitude**2) * shape


@pytest.mark.parametrize("d", [1, 3, 5])
@pytest.mark.parametrize("name", SAME)
def test_evidence_and_gradient_are_those_of_scikit_learn(name, d):
    made, theta = problem(name, (d, 1, 4), "exact", weighted=False)
    values = values_at(made, theta)
    noise = sk.WhiteKernel(np.exp(2 * values["log_noise_std"]))
    peer = GaussianProcessRegressor(peer_kernel(MENU[name], values) + noise, alpha=0.0, optimizer=None)
    peer.fit(made.rows.x, made.rows.y[:, 0])
    expected, gradient = peer.log_marginal_likelihood(peer.kernel_.theta, eval_gradient=True)
    by_amplitude, by_lengthscale, by_noise = gradient[0], gradient[1:-1], gradient[-1]
    expected_gradient = -np.concatenate([[2 * by_amplitude], by_lengthscale, [2 * by_noise]])  # logs of squares there
    value, got = nlml_gradient(made, theta)
    assert abs(value + expected) < 1e-8 * abs(expected)
    assert abs(nlml(made, theta) + expected) < 1e-8 * abs(expected)
    assert np.abs(got - expected_gradient).max() < 1e-8 * np.abs(expected_gradient).max()


@pytest.mark.parametrize("d", [1, 3, 5])
@pytest.mark.parametrize("name", SAME)
def test_predictions_are_those_of_scikit_learn(name, d):
    made, theta = problem(name, (d, 1, 4), "exact", weighted=False)
    values = values_at(made, theta)
    s = float(np.exp(2 * values["log_noise_std"]))
    peer = GaussianProcessRegressor(peer_kernel(MENU[name], values), alpha=s, optimizer=None)
    peer.fit(made.rows.x, made.rows.y[:, 0])
    x = np.random.default_rng(3).standard_normal((9, d))
    mean, covariance = peer.predict(x, return_cov=True)
    got = posterior(model_at(made, theta))
    assert np.abs(got.mean(x) - mean).max() < 1e-8 * np.abs(mean).max()
    assert np.abs(got.covariance(x) - covariance).max() < 1e-8 * np.abs(covariance).max()
    assert np.abs(got.variance(x) - covariance.diagonal()).max() < 1e-8 * np.abs(covariance).max()


def test_the_estimator_is_scikit_learns_in_the_users_units():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (40, 2)) * [1.0, 100.0] + [5.0, -300.0]
    y = 20 + 7 * np.sin(X[:, 0]) + 0.01 * X[:, 1] + rng.standard_normal(40)
    fixed = {"amplitude": 6.0, "lengthscale": [1.5, 400.0]}
    model = GPRegressor(ARD(fixed=fixed), expansion="exact", noise_std=1.2).fit(X, y)
    kernel = sk.ConstantKernel(36.0) * sk.RBF([1.5, 400.0])
    peer = GaussianProcessRegressor(kernel, alpha=1.44, optimizer=None).fit(X, y - y.mean())
    mean, std = model.predict(X[::7] + 0.3, return_std=True)
    expected, latent_std = peer.predict(X[::7] + 0.3, return_std=True)
    assert np.abs(mean - expected - y.mean()).max() < 1e-8 * np.abs(mean).max()
    assert np.abs(std - np.sqrt(latent_std**2 + 1.44)).max() < 1e-8 * std.max()
    assert abs(model.log_marginal_likelihood_ - peer.log_marginal_likelihood_value_) < 1e-8 * 40
    assert np.abs(model.kernel_(X) - kernel(X)).max() < 1e-8 * 36
    assert model.noise_std_ == pytest.approx(1.2, rel=1e-12)


@pytest.mark.parametrize("name", [*SAME, "gm"])
def test_kernel_of_two_tables_is_a_part_of_the_whole(name):
    made, theta = problem(name, (3, 2, 4), "exact")
    spectrum, form, x = model_at(made, theta).spectrum, closed_form(made.kernel, values_at(made, theta)), made.rows.x
    whole = closed_gram_full(spectrum, form, x)
    assert np.abs(whole - whole.T).max() < 1e-12 * whole.max()
    assert np.abs(closed_kernel(spectrum, form, x[:5], x[5:]) - whole[:5, 5:]).max() < 1e-12 * whole.max()
    assert np.abs(whole.diagonal() - np.exp(2 * spectrum.log_amplitude).sum()).max() < 1e-14 * whole.max()


@pytest.mark.parametrize("name", [*SAME, "gm"])
def test_rows_that_coincide_leave_the_gradient_finite_and_right(name):
    """Matérn ½ has an infinite slope by r² there; it multiplies zero."""
    made, theta = problem(name, (3, 2, 4), "exact", n=10)
    spectrum, form = model_at(made, theta).spectrum, closed_form(made.kernel, values_at(made, theta))
    x = np.concatenate([made.rows.x, made.rows.x[:4]])
    bar = np.random.default_rng(1).standard_normal((14, 14))
    bar += bar.T
    got = closed_gram_pullback(spectrum, form, x, lambda start, stop: bar[start:stop, start:].copy()).input_scale
    expected, h = np.empty_like(got), 1e-6
    for at in np.ndindex(got.shape):
        total = []
        for step in (h, -h):
            scale = spectrum.input_scale.copy()
            scale[at] += step
            total.append(np.vdot(bar, closed_gram_full(replace(spectrum, input_scale=scale), form, x)))
        expected[at] = (total[0] - total[1]) / (2 * h)
    assert np.abs(got - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("name", [*SAME, "gm"])
def test_rows_that_coincide_or_nearly_leave_the_evidence_accurate(name):
    made, theta = problem(name, (3, 2, 4), "exact", n=20, weighted=False)
    x = np.concatenate([made.rows.x, made.rows.x[:8], made.rows.x[:8] + 1e-6])
    y = np.random.default_rng(0).standard_normal((len(x), 1))
    made = replace(made, rows=replace(made.rows, x=x, y=y, weight=np.ones(len(x))))
    theta = set_value(made, theta, log_noise_std=-7.0)
    expected = dense_process(made, theta).nlml
    assert abs(nlml(made, theta) - expected) < 1e-8 * abs(expected)


def test_a_large_amplitude_and_a_tiny_noise_still_give_a_number():
    made, theta = problem("ard", (2, 1, 4), "exact")
    theta = set_value(made, theta, log_amplitude=[6.0], log_noise_std=-13.0)
    value, gradient = nlml_gradient(made, theta)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
