"""Exact kernels equal scikit-learn's GaussianProcessRegressor: evidence, its gradient, predictions."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from alakarte import GPRegressor
from alakarte.kernels import ARD
from alakarte.process.objective import nlml, nlml_gradient
from problems import MENU, naming, posterior_at, problem, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")
SAME = ["rbf", "ard", "matern0.5", "matern1.5", "matern2.5"]


def peer_kernel(kernel, values):
    amplitude, lengthscale = np.exp(values["log_amplitude"][0]), np.exp(values["log_lengthscale"])
    shape = sk.Matern(lengthscale, nu=kernel.nu) if kernel.name == "matern" else sk.RBF(lengthscale)
    return sk.ConstantKernel(amplitude**2) * shape


@pytest.mark.parametrize("name", SAME)
def test_evidence_and_gradient_are_those_of_scikit_learn(name):
    for d in (1, 3, 5):
        with naming(d):
            made, theta = problem(name, (d, 1, 4), "exact", weighted=False)
            values = values_at(made, theta)
            noise = sk.WhiteKernel(np.exp(2 * values["log_noise_std"]))
            peer = GaussianProcessRegressor(peer_kernel(MENU[name], values) + noise, alpha=0.0, optimizer=None)
            peer.fit(made.rows.x, made.rows.y[:, 0])
            expected, gradient = peer.log_marginal_likelihood(peer.kernel_.theta, eval_gradient=True)
            by_amplitude, by_lengthscale, by_noise = gradient[0], gradient[1:-1], gradient[-1]
            # logs of squares there
            expected_gradient = -np.concatenate([[2 * by_amplitude], by_lengthscale, [2 * by_noise]])
            value, got = nlml_gradient(made, theta)
            assert abs(value + expected) < 1e-8 * abs(expected)
            assert abs(nlml(made, theta) + expected) < 1e-8 * abs(expected)
            assert np.abs(got - expected_gradient).max() < 1e-8 * np.abs(expected_gradient).max()


@pytest.mark.parametrize("name", SAME)
def test_predictions_are_those_of_scikit_learn(name):
    for d in (1, 3, 5):
        with naming(d):
            made, theta = problem(name, (d, 1, 4), "exact", weighted=False)
            values = values_at(made, theta)
            s = float(np.exp(2 * values["log_noise_std"]))
            peer = GaussianProcessRegressor(peer_kernel(MENU[name], values), alpha=s, optimizer=None)
            peer.fit(made.rows.x, made.rows.y[:, 0])
            x = np.random.default_rng(3).standard_normal((9, d))
            mean, covariance = peer.predict(x, return_cov=True)
            got = posterior_at(made, theta)
            assert np.abs(got.mean(x)[:, 0] - mean).max() < 1e-8 * np.abs(mean).max()
            assert np.abs(got.covariance(x)[:, :, 0] - covariance).max() < 1e-8 * np.abs(covariance).max()
            assert np.abs(got.variance(x)[:, 0] - covariance.diagonal()).max() < 1e-8 * np.abs(covariance).max()


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
