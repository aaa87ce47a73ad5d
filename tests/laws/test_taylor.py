"""|f(x + h v) − f(x) − h g·v| falls as h²: the gradient is right, with no tolerance to tune."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from alakarte.kernels import ARD, GaussianMixture, PiecewiseLinear
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.process.problem import process_at
from problems import MENU, every_case, problem, set_value, table, taylor_order, ways

pytestmark = pytest.mark.usefixtures("one_blas_thread")
ORDER = 1.9


def order(made, theta, **settings):
    value, gradient = nlml_gradient(made, theta)
    return taylor_order(lambda point: nlml(made, point), theta, value, gradient, **settings)


@every_case
def test_remainder_is_of_second_order(name, shape, expansion):
    made, theta = problem(name, shape, expansion)
    for way in ways(expansion):
        assert order(replace(made, **way), theta) > ORDER


@every_case
def test_remainder_is_of_second_order_on_the_noise_floor(name, shape, expansion, monkeypatch):
    """The floor follows Σ v², so the amplitudes get a part of the noise's derivative and the noise gets none."""
    monkeypatch.setattr("alakarte.process.weight_space.EPS", 1e-5)  # well above rounding: calculus alone
    made, theta = problem(name, shape, expansion)
    if made.layout.size == 1:  # nothing but the noise, whose derivative is zero
        return
    theta = set_value(made, theta, log_noise_std=-8.0)
    for way in ways(expansion):
        way = replace(made, **way)
        assert process_at(way, theta).floored
        assert order(way, theta) > ORDER
        assert way.layout.unpack(nlml_gradient(way, theta)[1])["log_noise_std"] == 0


@pytest.mark.parametrize("name", MENU)
def test_remainder_is_of_second_order_on_the_floor_of_float64(name):
    made, theta = problem(name, (3, 2, 8), n=80, computation=Computation.WEIGHTS)
    if made.layout.size == 1:  # nothing but the noise
        return
    theta = set_value(made, theta, log_noise_std=-20.0)
    assert process_at(made, theta).floored
    assert order(made, theta, steps=(1e-2, 1e-3)) > ORDER  # rounding is not far


@pytest.mark.parametrize(
    ("kernel", "expansion", "noise_std"),
    [
        (ARD(fixed={"amplitude": 0.8}), "fastfood", None),
        (ARD(fixed={"lengthscale": [1.0, 2.0, 3.0]}), "dense", None),
        (ARD(fixed={"amplitude": 0.8}), "exact", 0.1),
        (GaussianMixture(fixed={"centre": 0.5}), "fastfood", None),
        (GaussianMixture(fixed={"lengthscale": 1.5, "amplitude": 0.6}), "exact", 0.2),
        (PiecewiseLinear(fixed={"hat_edge": 0.3}), "fastfood", 0.1),
        (PiecewiseLinear(4, fixed={"knot_gaps": 0.4}), "dense", None),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_remainder_is_of_second_order_with_fixed_parameters(kernel, expansion, noise_std):
    made, theta = problem(kernel, (3, 2, 8), expansion, noise_std=noise_std)
    free, _ = problem(type(kernel)(), (3, 2, 8), expansion)
    assert theta.size < free.layout.size or kernel.name == "pwl"
    for way in ways(expansion):
        assert order(replace(made, **way), theta) > ORDER


def test_remainder_is_of_second_order_on_the_floor_with_a_fixed_noise(monkeypatch):
    monkeypatch.setattr("alakarte.process.weight_space.EPS", 1e-5)
    made, theta = problem("gm", (3, 2, 8), noise_std=1e-9)
    assert process_at(made, theta).floored
    for way in ways("fastfood"):
        assert order(replace(made, **way), theta) > ORDER


@pytest.mark.parametrize("name", MENU)
def test_public_gradient_is_of_second_order_in_the_users_units(name):
    X, y, weight = table(3)
    X, y = X * [1.0, 50.0, 0.02] + 7, 30 * y - 100
    settings = {"n_components": 2, "n_frequencies": 4, "n_restarts": 1, "max_iter": 2, "random_state": 0, "n_jobs": 1}
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = GPRegressor(MENU[name], **settings).fit(X, y, weight)
    theta = model.theta_ + 0.05 * np.random.default_rng(1).standard_normal(model.theta_.size)

    def value(point):
        return model.log_marginal_likelihood(X, y, theta=point, sample_weight=weight)

    evidence, gradient = model.log_marginal_likelihood(X, y, theta=theta, sample_weight=weight, eval_gradient=True)
    assert evidence == pytest.approx(value(theta), rel=1e-12)
    assert gradient.shape == theta.shape == (len(model.theta_labels_),)
    assert taylor_order(value, theta, evidence, gradient) > ORDER
    assert model.log_marginal_likelihood(X, y, sample_weight=weight) == pytest.approx(
        model.log_marginal_likelihood_, rel=1e-10
    )


@pytest.mark.parametrize("name", MENU)
def test_gradient_with_categories_is_of_second_order_and_agrees_with_central_differences(name):
    """Their columns share a length-scale: derivatives by columns are added."""
    X, y, weight = table(3, n=40)
    X = np.column_stack([np.arange(40) % 3, X, np.arange(40) % 2])
    settings = {"n_components": 2, "n_frequencies": 4, "n_restarts": 1, "max_iter": 2, "random_state": 0, "n_jobs": 1}
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = GPRegressor(MENU[name], categorical_features=[0, 4], **settings).fit(X, y, weight)
    theta = model.theta_ + 0.05 * np.random.default_rng(1).standard_normal(model.theta_.size)

    def value(point):
        return model.log_marginal_likelihood(X, y, theta=point, sample_weight=weight)

    evidence, gradient = model.log_marginal_likelihood(X, y, theta=theta, sample_weight=weight, eval_gradient=True)
    assert taylor_order(value, theta, evidence, gradient) > ORDER
    steps = 2e-6 * np.eye(theta.size)[:12]
    differences = [(value(theta + step) - value(theta - step)) / 4e-6 for step in steps]
    assert np.allclose(differences, gradient[:12], rtol=1e-4, atol=1e-4)
