"""Kernels that the evidence cannot tell apart: their average is the mixture that its weights say."""

import numpy as np
import pytest

import alakarte.menu
import alakarte.online
from alakarte import GPRegressor
from alakarte.average import LEAST_WEIGHT, Average, Member, average, weights
from alakarte.objective import nlml
from alakarte.posterior import RowPosterior
from problems import dense_process, problem, table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 0.0}
NAMES = ("rbf", "ard", "matern1.5")


def made():
    """An average of three kernels and its problems."""
    problems = [problem(name, expansion="exact", form="exact") for name in NAMES]
    rows = problems[0][0].rows
    return average(tuple(Member(*one) for one in problems), rows, 1), problems, rows


def test_weights_have_the_temperature_of_root_n():
    assert weights([3.0, 3.0], 50) == pytest.approx([0.5, 0.5])
    share = weights([0.0, -10.0, -1e6], 100)  # ten nats are √100
    assert share[1] / share[0] == pytest.approx(np.exp(-1))
    assert share[2] == 0
    assert share.sum() == pytest.approx(1)


def test_it_is_the_mixture():
    (several, value), problems, _ = made()
    x = np.random.default_rng(1).standard_normal((7, 3))
    scores = [-nlml(*one) - 0.5 * one[0].layout.size for one in problems]
    w = np.exp(scores - np.max(scores)) ** (1 / np.sqrt(several.total))
    w /= w.sum()
    parts = [(one.mean, one.covariance) for one in (dense_process(*one, x) for one in problems)]
    mean = sum(wk * m for wk, (m, _) in zip(w, parts, strict=True))
    second = sum(wk * (c + np.outer(m, m)) for wk, (m, c) in zip(w, parts, strict=True))
    assert value == pytest.approx(nlml(*problems[0]))
    assert several.weights == pytest.approx(w)
    assert several.mean(x) == pytest.approx(mean, abs=1e-9)
    assert several.covariance(x) == pytest.approx(second - np.outer(mean, mean), abs=1e-9)
    assert several.variance(x) == pytest.approx(several.covariance(x).diagonal(), abs=1e-9)


def test_samples_have_its_moments():
    (several, _), _, _ = made()
    x = np.random.default_rng(1).standard_normal((4, 3))
    samples = several.sample(x, 20_000, np.random.default_rng(0))
    assert samples.mean(axis=1) == pytest.approx(several.mean(x), abs=0.03)
    assert np.cov(samples) == pytest.approx(several.covariance(x), abs=0.05)


def test_few_rows_are_predicted_by_several():
    X, y, weight = table(2, n=60)
    model = GPRegressor(**SMALL).fit(X, y, weight)
    shares = [one["weight"] for one in model.ranking_]
    assert isinstance(model._posterior, Average)
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    assert [share for share in shares if share] == pytest.approx(model._posterior.weights)
    assert min(model._posterior.weights) >= LEAST_WEIGHT
    assert model.kernel_.kernel.name == model.ranking_[0]["kernel"]
    assert model.log_marginal_likelihood_ == pytest.approx(model.log_marginal_likelihood(X, y, sample_weight=weight))
    assert "averaged" in model.summary()


@pytest.mark.parametrize("how", ["many rows", "by name"])
def test_others_by_one(how, monkeypatch):
    X, y, _ = table(2, n=60)
    if how == "many rows":
        monkeypatch.setattr(alakarte.menu, "FEW_ROWS", 59)
    model = GPRegressor("auto" if how == "many rows" else "ard", **SMALL).fit(X, y)
    assert isinstance(model._posterior, RowPosterior)
    assert [one["weight"] for one in model.ranking_][:1] == ([1.0] if how == "many rows" else [])
    assert "averaged" not in model.summary()


def test_rows_come_and_go():
    X, y, _ = table(2, n=60)
    model = GPRegressor(**SMALL).fit(X[:50], y[:50])
    before = model.predict(X, return_std=True), model.log_marginal_likelihood_, model.noise_std_
    model.partial_fit(X[50:], y[50:])
    members, rows = model._posterior.members, model._posterior.rows
    again, value = average(members, rows, 1)
    assert rows.n_rows == model.n_basis_ == 60
    assert model.predict(X) == pytest.approx(again.mean(model._scaling.inputs(X)) * y[:50].std() + y[:50].mean())
    assert model.log_marginal_likelihood_ == pytest.approx(-value - 60 * np.log(y[:50].std()))
    assert not np.allclose(model.predict(X), before[0][0])
    model.forget(X[50:], y[50:])
    after = model.predict(X, return_std=True), model.log_marginal_likelihood_, model.noise_std_
    assert after[0][0] == pytest.approx(before[0][0], abs=1e-9)
    assert after[0][1] == pytest.approx(before[0][1], abs=1e-9)
    assert after[1:] == pytest.approx(before[1:])


def test_where_rows_become_many_the_best_goes_on_alone(monkeypatch):
    X, y, _ = table(2, n=60)
    model = GPRegressor(**SMALL).fit(X[:50], y[:50])
    monkeypatch.setattr(alakarte.online, "MOST_FLOPS", 1.0)
    model.partial_fit(X[50:], y[50:])
    assert model.n_posterior_frequencies_ > 0
    assert model.kernel_.kernel.name == model.ranking_[0]["kernel"]
