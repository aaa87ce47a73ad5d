"""Kernels that the evidence cannot tell apart: their average is the mixture that its weights say."""

import pickle

import numpy as np
import pytest

import alakarte.search.fit
from alakarte import GPRegressor
from alakarte.posteriors.average import Average, average_of
from alakarte.posteriors.rows import RowPosterior
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml
from alakarte.search.policy import LEAST_WEIGHT
from problems import dense_process, posterior_at, problem, table

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 0.0}
NAMES = ("rbf", "ard", "matern1.5")


def made():
    """An average of three kernels for two targets, and its problems."""
    problems = [problem(name, expansion="exact", computation=Computation.CLOSED, n_targets=2) for name in NAMES]
    members = tuple(posterior_at(*each) for each in problems)
    return average_of(members, tuple(each[0].layout.size for each in problems)), problems


def test_it_is_the_mixture():
    several, problems = made()
    x = np.random.default_rng(1).standard_normal((7, 3))
    scores = [-nlml(*one) - 0.5 * one[0].layout.size for one in problems]
    w = np.exp(scores - np.max(scores)) ** (1 / np.sqrt(several.total))
    w /= w.sum()
    processes = [dense_process(*each, x) for each in problems]
    assert several.nlml == pytest.approx(nlml(*problems[0]))
    assert several.weights == pytest.approx(w)
    for target in range(2):
        parts = [(process.mean[:, target], process.covariance) for process in processes]
        mean = sum(wk * m for wk, (m, _) in zip(w, parts, strict=True))
        second = sum(wk * (c + np.outer(m, m)) for wk, (m, c) in zip(w, parts, strict=True))
        covariance = several.covariance(x)[:, :, target]
        assert several.mean(x)[:, target] == pytest.approx(mean, abs=1e-9)
        assert covariance == pytest.approx(second - np.outer(mean, mean), abs=1e-9)
        assert several.variance(x)[:, target] == pytest.approx(covariance.diagonal(), abs=1e-9)
    noise = [np.exp(2 * one.layout.unpack(theta)["log_noise_std"]) for one, theta in problems]
    assert several.noise_variance == pytest.approx(w @ noise)


def test_samples_have_its_moments():
    several, _ = made()
    x = np.random.default_rng(1).standard_normal((4, 3))
    samples = several.sample(x, 20_000, np.random.default_rng(0))
    assert samples.mean(axis=2) == pytest.approx(several.mean(x), abs=0.03)
    for target in range(2):
        assert np.cov(samples[:, target]) == pytest.approx(several.covariance(x)[:, :, target], abs=0.05)


@pytest.mark.parametrize("expansion", ["auto", "exact"])
def test_few_rows_are_predicted_by_several(expansion):
    X, y, weight = table(2, n=60)
    rest = {} if expansion == "auto" else {"n_learning_rows": 40}
    model = pickle.loads(pickle.dumps(GPRegressor(expansion=expansion, **SMALL, **rest).fit(X, y, weight)))
    given = [one["weight"] for one in model.ranking_]
    assert isinstance(model.model_.posterior, Average)
    assert given[0] == max(given)
    assert sum(given) == pytest.approx(1)
    assert [share for share in given if share] == pytest.approx(model.model_.posterior.weights)
    assert min(model.model_.posterior.weights) >= LEAST_WEIGHT
    assert model.kernel_.kernel.name == model.ranking_[0]["kernel"]
    assert model.log_marginal_likelihood_ == pytest.approx(model.ranking_[0]["log_marginal_likelihood"])
    assert model.log_marginal_likelihood_ == pytest.approx(model.log_marginal_likelihood(X, y, sample_weight=weight))
    assert "averaged" in model.summary()
    mean, covariance = model.predict(X, return_cov=True)
    _, latent = model.predict(X, return_cov=True, include_noise=False)
    _, std = model.predict(X, return_std=True)
    assert covariance - latent == pytest.approx(model.noise_std_**2 * np.eye(60), abs=1e-12)
    assert std == pytest.approx(np.sqrt(covariance.diagonal()), abs=1e-7)
    assert model.sample_y(X, 3000).mean(axis=1) == pytest.approx(mean, abs=0.1)


@pytest.mark.parametrize("noise_std", [0.0, 0.2])
def test_noise_that_is_given_is_that_of_all(noise_std):
    X, y, _ = table(2, n=60)
    model = GPRegressor(noise_std=noise_std, **SMALL).fit(X, y)
    assert isinstance(model.model_.posterior, Average)
    assert model.noise_std_ == pytest.approx(noise_std, abs=1e-4 if noise_std == 0 else 1e-12)  # the floor
    assert np.isfinite(model.predict(X, return_std=True)).all()


@pytest.mark.parametrize("how", ["many rows", "by name", "warm", "in haste", "interrupted"])
def test_others_by_one(how, monkeypatch):
    X, y, _ = table(2, n=60)
    model = GPRegressor("ard" if how == "by name" else "auto", **SMALL)
    if how == "many rows":
        monkeypatch.setattr(alakarte.search.policy, "FEW_ROWS", 59)
    if how == "warm":
        model.fit(X, y).set_params(warm_start=True)
    if how == "in haste":
        model.set_params(max_time=1e-3)
    if how == "interrupted":
        monkeypatch.setattr(alakarte.search.fit, "average_of", interrupt)
    model.fit(X, y)
    assert isinstance(model.model_.posterior, RowPosterior)
    assert [one["weight"] for one in model.ranking_][:1] == ([] if how in ("by name", "warm") else [1.0])
    assert "averaged" not in model.summary()


def interrupt(*_, **named):
    raise KeyboardInterrupt
