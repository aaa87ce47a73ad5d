"""Length-scales of a component are expected to be alike: the penalty, its gradient, and what it does to a fit."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels import ARD
from alakarte.kernels.registry import resolve
from alakarte.likelihoods import Gaussian
from alakarte.parameters import Layout
from alakarte.process.prior import prior
from alakarte.records import Shape, Variables
from alakarte.search.policy import SMALL_ROWS, SPREAD
from alakarte.search.run_stage import expected_spread

SETTINGS = {"n_frequencies": 16, "n_restarts": 1, "random_state": 0, "n_jobs": 1}


def layout_of(kernel, n_inputs=4):
    return Layout((*resolve(kernel).parameters(Shape(n_inputs, (8, 8))), *Gaussian().parameters()))


def few_rows(n=30, d=6):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, d))
    return X, np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(n)


@pytest.mark.parametrize("kernel", ["ard", "gm", "pwl", "matern32"])
def test_the_gradient_has_a_remainder_of_second_order(kernel):
    layout, rng = layout_of(kernel), np.random.default_rng(0)
    theta, step = rng.standard_normal(layout.size), rng.standard_normal(layout.size)
    penalty = prior(layout, 0.7)
    value, slope = penalty(theta)
    remainder = [abs(penalty(theta + h * step)[0] - value - h * slope @ step) for h in (1e-2, 1e-3)]
    assert remainder[0] / remainder[1] == pytest.approx(100, rel=1e-3)
    assert value > 0


def test_it_is_the_spread_within_a_component_and_nothing_else():
    layout = layout_of("gm")
    values = {p.name: np.ones(p.shape) for p in layout.parameters}
    values["log_lengthscale"] = np.array([[1.0, 1.0, 1.0, 1.0], [-1.0, 3.0, 1.0, 1.0]])
    value, slope = prior(layout, 2.0)(layout.pack(values))
    assert value == pytest.approx((4 + 4) / (2 * 2.0**2))
    assert np.count_nonzero(slope) == 2


@pytest.mark.parametrize(("kernel", "n_inputs"), [("rbf", 4), ("ard", 1), ("ssgpr", 4)])
def test_there_is_none_where_length_scales_cannot_differ(kernel, n_inputs):
    assert prior(layout_of(kernel, n_inputs), 1.0) is None
    assert prior(layout_of("ard"), None) is None


def test_few_rows_keep_length_scales_together_and_many_do_not():
    spread = {}
    for n in (30, 600):
        for wanted in (0.2, None):
            model = GPRegressor("ard", lengthscale_spread=wanted, **SETTINGS).fit(*few_rows(n))
            spread[n, wanted] = np.log(model.kernel_.lengthscale / few_rows(n)[0].std(axis=0)).std()
    assert spread[30, 0.2] < 0.4 * spread[30, None]
    assert spread[600, 0.2] > 2 * spread[30, 0.2]


def test_few_rows_have_a_prior_and_many_have_none():
    assert (expected_spread("auto", SMALL_ROWS), expected_spread("auto", SMALL_ROWS + 1)) == (SPREAD, None)
    assert [expected_spread(given, n) for given in (0.3, None) for n in (10, 10**6)] == [0.3, 0.3, None, None]
    fits = [GPRegressor("ard", lengthscale_spread=s, **SETTINGS).fit(*few_rows()) for s in ("auto", SPREAD, None)]
    evidence = [model.log_marginal_likelihood_ for model in fits]
    assert evidence[0] == evidence[1] != evidence[2]


def test_fixed_length_scales_have_no_prior():
    X, y = few_rows()
    fits = [
        GPRegressor(ARD(fixed={"lengthscale": [1, 2, 3, 4, 5, 6]}), lengthscale_spread=s, **SETTINGS).fit(X, y)
        for s in (0.1, None)
    ]
    assert fits[0].log_marginal_likelihood_ == fits[1].log_marginal_likelihood_


def test_the_columns_of_a_category_count_once():
    variables = Variables(np.array([0, 1, 1, 1, 2]), np.array([True, False, True]))
    tied = Layout(tuple(p.for_variables(variables) for p in layout_of("gm", 5).parameters))
    values = {p.name: np.ones(p.shape) for p in layout_of("gm", 5).parameters}
    values["log_lengthscale"] = np.tile([0.0, 3.0, 3.0, 3.0, 0.0], (2, 1))
    theta = tied.pack(values)
    value, slope = prior(tied, 2.0)(theta)
    assert value == pytest.approx(2 * (1 + 4 + 1) / (2 * 2.0**2))
    assert slope.size == theta.size
    assert tied.entries(slope)["log_lengthscale"][0] == pytest.approx(np.array([-1, 2, -1]) / 2.0**2)
