"""Rows join and leave an exact process or an average of several: the posterior of the rows that are there."""

import numpy as np
import pytest

import alakarte.model.changes
from alakarte import GPRegressor
from alakarte.data.arrays import ArrayRows
from alakarte.errors import InvalidInput
from alakarte.posteriors.average import Average, average_of
from alakarte.posteriors.rows import RowPosterior
from alakarte.process.objective import nlml
from alakarte.search.cost import closed_flops
from problems import posterior_at, table

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
    posterior = model.model_.posterior
    empty = ArrayRows(np.zeros((0, 2)), np.zeros((0, 1)), np.zeros(0))
    members = tuple(member.changed(empty, 1) for member in posterior.members)  # each made anew on all rows
    several = average_of(members, posterior.n_parameters)
    assert several.rows.n_rows == model.n_basis_ == 60
    assert [one["weight"] for one in model.ranking_ if one["weight"]] == pytest.approx(several.weights)
    latent = several.mean(model.model_.scaling.inputs(X))[:, 0]
    assert model.predict(X) == pytest.approx(latent * y[:50].std() + y[:50].mean())
    assert model.log_marginal_likelihood_ == pytest.approx(-several.nlml - 60 * np.log(y[:50].std()))
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
    monkeypatch.setattr(alakarte.model.changes, "FEW_ROWS", 55)
    model.partial_fit(X[50:55], y[50:55])
    assert isinstance(model.model_.posterior, Average)
    model.partial_fit(X[55:], y[55:])
    assert isinstance(model.model_.posterior, RowPosterior)
    assert [one["weight"] for one in model.ranking_][:2] == [1.0, 0.0]
    alone = model.model_.problem.layout.unpack(model.theta_)["log_noise_std"]
    assert model.noise_std_ == pytest.approx(np.exp(alone) * model.model_.calibration.scale[0] * y[:50].std())
    assert model.kernel_.kernel.name == model.ranking_[0]["kernel"]
    assert "averaged" not in model.summary()


def test_rows_join_and_leave_an_exact_process():
    X, y, weight = table(2, n=150)
    model = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    theta, before = model.theta_, model.predict(X, return_std=True)
    model.partial_fit(X[100:], y[100:], weight[100:]).partial_fit(X[:10], y[:10])
    rows = ArrayRows(np.vstack([X, X[:10]]), np.append(y, y[:10])[:, None], np.ones(160), scaling=model.model_.scaling)
    rows.weight[100:150] = weight[100:]
    dense = model.model_.problem.on(rows.standardised())
    z = model.model_.scaling.inputs(X)
    assert model.n_basis_ == 150  # ten rows came twice
    np.testing.assert_allclose(model.model_.posterior.mean(z), posterior_at(dense, theta).mean(z), atol=1e-8)
    evidence = model.model_.scaling.log_evidence(nlml(dense, theta), rows.total)
    assert model.log_marginal_likelihood_ == pytest.approx(evidence, rel=1e-9)
    model.forget(X[:10], y[:10]).forget(X[100:], y[100:], weight[100:])
    np.testing.assert_allclose(model.predict(X, return_std=True), before, atol=1e-8)
    assert model.n_posterior_frequencies_ == 0


def test_an_exact_process_becomes_features_where_rows_become_many(monkeypatch):
    monkeypatch.setattr(alakarte.model.changes, "JOIN_CLOSED_FLOPS", closed_flops(120, 2, 1))
    X, y, _ = table(2, n=150)
    model = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    before = model.predict(X)
    model.partial_fit(X[100:], y[100:])
    assert model.n_posterior_frequencies_ > 0
    assert model.n_basis_ == model.model_.posterior.features.n_basis
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
    monkeypatch.setattr(alakarte.model.changes, "JOIN_CLOSED_FLOPS", 0)
    with pytest.raises(InvalidInput, match="no set of rows can have"):
        model.forget(X[:50] + 3, y[:50])
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_posterior_frequencies_ == 0
