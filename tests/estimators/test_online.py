"""`partial_fit` and `forget`: exactly the posterior of the rows that are there."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data.arrays import ArrayRows
from alakarte.errors import ConditioningWarning, InvalidInput
from alakarte.posteriors.low_rank import LowRankPosterior
from problems import posterior_at, table

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]
SETTINGS = {"n_components": 2, "n_frequencies": 8, "n_restarts": 1, "max_iter": 5, "random_state": 0, "tol": 1e9}


def posterior_of(model, X, y):
    """The posterior of rows X, y under the kernel and scaling of a fitted model, made from nothing."""
    rows = ArrayRows(X, y[:, None], np.ones(len(X)), scaling=model.model_.scaling)
    return posterior_at(replace(model.model_.problem, rows=rows, computation=None), model.theta_)


def check_same(model, z, moments, atol):
    """Mean and variance at standardised inputs are these."""
    assert np.allclose(model.model_.posterior.mean(z), moments[0], atol=atol)
    assert np.allclose(model.model_.posterior.variance(z), moments[1], atol=atol)


@pytest.mark.parametrize("n_first", [10, 40, 150])  # fewer and more rows than columns: both forms of the posterior
@pytest.mark.parametrize("name", ["ard", "gm", "pwl", "fsgbard", "ssgpr"])
def test_rows_that_come_and_go(name, n_first):
    X, y, _ = table(3, n=200)
    model = GPRegressor(name, **SETTINGS).partial_fit(X[:n_first], y[:n_first])
    z = model.model_.scaling.inputs(X)
    before = model.model_.posterior.mean(z), model.model_.posterior.variance(z)
    model.partial_fit(X[n_first:], y[n_first:])
    whole = posterior_of(model, X, y)
    check_same(model, z, (whole.mean(z), whole.variance(z)), 1e-8)
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-6)
    model.forget(X[n_first:], y[n_first:])
    check_same(model, z, before, 1e-7)


def test_weights_are_repeated_rows():
    X, y, _ = table(2, n=80)
    left, right = (GPRegressor("ard", **SETTINGS).fit(X[:60], y[:60]) for _ in range(2))
    left.partial_fit(X[60:], y[60:], sample_weight=np.full(20, 2.0))
    right.partial_fit(X[60:], y[60:]).partial_fit(X[60:], y[60:])
    assert np.allclose(left.predict(X), right.predict(X), atol=1e-10)


def test_kernel_and_standardisation_stay():
    X, y, _ = table(2, n=80)
    model = GPRegressor("ard", **SETTINGS).fit(X[:60], y[:60])
    theta, scaling = model.theta_.copy(), model.model_.scaling
    model.partial_fit(10 + X[60:], 100 + y[60:])
    assert (model.theta_ == theta).all()
    assert model.model_.scaling is scaling


def test_an_exact_kernel_refuses():
    X, y, _ = table(2, n=30)
    model = GPRegressor("ard", expansion="exact", **SETTINGS).fit(X, y)
    for name in ("partial_fit", "forget"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError) as caught:
            getattr(model, name)
        assert "expansion='exact' keeps rows" in str(caught.value.__cause__)


def test_what_was_never_there_cannot_be_forgotten():
    X, y, _ = table(2, n=100)
    with pytest.raises(InvalidInput, match="has seen no rows yet"):
        GPRegressor("ard").forget(X, y)
    model = GPRegressor("ard", **SETTINGS).fit(X, y)
    before = model.predict(X)
    with pytest.raises(InvalidInput, match="no set of rows can have"):
        model.forget(X[:50] + 3, y[:50])
    with pytest.raises(InvalidInput, match="at least one must remain"):
        model.forget(X, y)
    assert (model.predict(X) == before).all()


def test_lost_digits_are_reported():
    X, y, _ = table(2, n=100)
    model = GPRegressor("ard", **SETTINGS).fit(X, y)
    model.model_ = replace(model.model_, most_total=1e16)
    with pytest.warns(ConditioningWarning, match="Call fit again"):
        model.partial_fit(X[:5], y[:5])


@pytest.mark.parametrize(("n_frequencies", "n_first"), [(8, 150), (64, 40)])  # by sums, and by the basis of few rows
def test_rows_that_only_join_leave_nothing_behind(n_frequencies, n_first):
    """With a noise that rounding decides, more rows need more of it, as if all had been fitted together."""
    X, y, _ = table(3, n=200)
    settings = SETTINGS | {"n_frequencies": n_frequencies, "noise_std": 1e-12, "max_iter": 0}
    model = GPRegressor("ard", **settings).fit(X[:n_first], y[:n_first])
    first = model.model_.posterior.noise_variance
    model.partial_fit(X[n_first : n_first + 20], y[n_first : n_first + 20])
    whole = posterior_of(model, X[: n_first + 20], y[: n_first + 20])
    assert model.model_.posterior.noise_variance == pytest.approx(whole.noise_variance, rel=1e-12)
    assert whole.noise_variance > first
    model.forget(X[:10], y[:10])  # a little less: no reason to warn


def test_other_inputs_are_refused():
    X, y, _ = table(2, n=60)
    model = GPRegressor("ard", **SETTINGS).fit(X, y)
    with pytest.raises(InvalidInput, match="features"):
        model.partial_fit(X[:, :1], y)


@pytest.mark.parametrize("n_first", [20, 60])
def test_few_rows_come_and_go_without_a_large_matrix(n_first):
    X, y, _ = table(5, n=90)  # of three inputs it shows waves, narrow bands of fewer directions
    model = GPRegressor("gm", **(SETTINGS | {"n_frequencies": 64})).fit(X[:n_first], y[:n_first])
    z = model.model_.scaling.inputs(X)
    before = model.model_.posterior.mean(z), model.model_.posterior.variance(z)
    model.partial_fit(X[n_first:], y[n_first:])
    assert isinstance(model.model_.posterior, LowRankPosterior)
    assert model.model_.posterior.basis.shape == (512, 90)  # as many directions as rows, of 512 columns
    whole = posterior_of(model, X, y)
    check_same(model, z, (whole.mean(z), whole.variance(z)), 1e-8)
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-8)
    model.forget(X[n_first:], y[n_first:])
    check_same(model, z, before, 1e-8)
    with pytest.raises(InvalidInput, match="no set of rows can have"):
        model.forget(X[:5] + 3, y[:5])
