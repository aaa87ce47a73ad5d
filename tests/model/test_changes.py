"""Rows join and leave an exact process or an average of several: the posterior of the rows that are there."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte.estimators.online
from alakarte import GPRegressor
from alakarte.data.arrays import Rows
from alakarte.errors import InvalidInput
from alakarte.posteriors.average import Average, average
from alakarte.posteriors.posterior import RowPosterior, posterior
from alakarte.process.objective import model_at, nlml
from alakarte.search.sizes import closed_flops
from problems import table

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 0.0}


def test_rows_come_and_go():
    X, y, _ = table(2, n=60)
    model = GPRegressor(**SMALL).fit(X[:50], y[:50])
    before = model.predict(X, return_std=True), model.log_marginal_likelihood_, model.noise_std_
    model.partial_fit(X[50:], y[50:])
    several, value = average(model._posterior.members, model._posterior.rows, 1)
    assert several.rows.n_rows == model.n_basis_ == 60
    assert [one["weight"] for one in model.ranking_ if one["weight"]] == pytest.approx(several.weights)
    assert model.predict(X) == pytest.approx(several.mean(model._scaling.inputs(X)) * y[:50].std() + y[:50].mean())
    assert model.log_marginal_likelihood_ == pytest.approx(-value - 60 * np.log(y[:50].std()))
    assert not np.allclose(model.predict(X), before[0][0])
    with pytest.raises(InvalidInput, match="were all of these rows fitted"):
        model.forget(X[:1], y[:1] + 1)
    model.forget(X[50:], y[50:])
    after = model.predict(X, return_std=True), model.log_marginal_likelihood_, model.noise_std_
    assert after[0][0] == pytest.approx(before[0][0], abs=1e-9)
    assert after[0][1] == pytest.approx(before[0][1], abs=1e-9)
    assert after[1:] == pytest.approx(before[1:])


def test_where_rows_become_many_the_best_goes_on_alone(monkeypatch):
    X, y, _ = table(2, n=60)
    model = GPRegressor(**SMALL).fit(X[:50], y[:50])
    monkeypatch.setattr(alakarte.estimators.online, "MOST_ROWS", 55)
    model.partial_fit(X[50:55], y[50:55])
    assert isinstance(model._posterior, Average)
    model.partial_fit(X[55:], y[55:])
    assert isinstance(model._posterior, RowPosterior)
    assert [one["weight"] for one in model.ranking_][:2] == [1.0, 0.0]
    alone = model._problem.layout.unpack(model.theta_)["log_noise_std"]
    assert model.noise_std_ == pytest.approx(np.exp(alone) * y[:50].std())
    assert model.kernel_.kernel.name == model.ranking_[0]["kernel"]
    assert "averaged" not in model.summary()


def test_rows_join_and_leave_an_exact_process():
    X, y, weight = table(2, n=150)
    model = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    theta, before = model.theta_, model.predict(X, return_std=True)
    model.partial_fit(X[100:], y[100:], weight[100:]).partial_fit(X[:10], y[:10])
    rows = Rows(np.vstack([X, X[:10]]), np.append(y, y[:10])[:, None], np.ones(160), scaling=model._scaling)
    rows.weight[100:150] = weight[100:]
    dense = replace(model._problem, rows=rows.whole())
    z = model._scaling.inputs(X)
    assert model.n_basis_ == 150  # ten rows came twice
    np.testing.assert_allclose(model._posterior.mean(z), posterior(model_at(dense, theta)).mean(z), atol=1e-8)
    evidence = -nlml(dense, theta) - rows.total * np.log(model._scaling.y_scale)
    assert model.log_marginal_likelihood_ == pytest.approx(evidence, rel=1e-9)
    model.forget(X[:10], y[:10]).forget(X[100:], y[100:], weight[100:])
    np.testing.assert_allclose(model.predict(X, return_std=True), before, atol=1e-8)
    assert model.n_posterior_frequencies_ == 0


def test_an_exact_process_becomes_features_where_rows_become_many(monkeypatch):
    monkeypatch.setattr(alakarte.estimators.online, "MOST_FLOPS", closed_flops(120, 2, 1))
    X, y, _ = table(2, n=150)
    model = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    before = model.predict(X)
    model.partial_fit(X[100:], y[100:])
    assert model.n_posterior_frequencies_ > 0
    assert model.n_basis_ == model._posterior.features.n_basis
    alone = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    model.forget(X[100:], y[100:])
    np.testing.assert_allclose(model.predict(X[:100]), before[:100], atol=0.05 * y.std())
    assert model.log_marginal_likelihood_ == pytest.approx(alone.log_marginal_likelihood_, abs=5)
    with_more = GPRegressor("ard", **SMALL).fit(X, y).predict(X)
    np.testing.assert_allclose(model.partial_fit(X[100:], y[100:]).predict(X), with_more, atol=0.3 * y.std())


def test_a_change_that_fails_leaves_an_exact_process_as_it_was(monkeypatch):
    X, y, _ = table(2, n=100)
    model = GPRegressor("ard", **SMALL).fit(X, y)
    before = model.predict(X)
    with pytest.raises(InvalidInput, match="at least one must remain"):
        model.forget(np.vstack([X, X]), np.append(y, y))
    with pytest.raises(InvalidInput, match="no set of rows can have"):
        model.forget(X[:10] + 1, y[:10])
    monkeypatch.setattr(alakarte.estimators.online, "MOST_FLOPS", 0)
    with pytest.raises(InvalidInput, match="no set of rows can have"):
        model.forget(X[:50] + 3, y[:50])
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_posterior_frequencies_ == 0
