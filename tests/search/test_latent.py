"""Kernels under other likelihoods: which are fixed, what they are weighed by, and the way by features."""

import numpy as np
import pytest

from alakarte import GPClassifier, GPCountRegressor


def two_classes(n=120):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((n, 3))
    return X, (np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(n) > 0).astype(int)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_ranking_says_what_is_fixed_and_what_rows_left_out_say(n_classes):
    X, labels = two_classes()
    labels = labels + (n_classes == 3) * (X[:, 2] > 1) * (labels == 1)
    model = GPClassifier(random_state=0, n_jobs=1, max_iter=10).fit(X, labels)
    weights = [line["weight"] for line in model.ranking_]
    losses = [line["left_out_log_loss"] for line in model.ranking_ if line["weight"]]
    names = [(line["kernel"], line["fixed"]) for line in model.ranking_]
    assert len(set(names)) == len(names)
    assert any(line["fixed"] for line in model.ranking_)
    assert sum(weights) == pytest.approx(1)
    assert losses == sorted(losses)


def test_a_fixed_kernel_keeps_its_lengthscale_and_learns_what_the_likelihood_has():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((80, 2))
    counts = rng.negative_binomial(20, 20 / (20 + np.exp(1 + 0.3 * X[:, 0])))
    model = GPCountRegressor(random_state=0, n_jobs=1, max_iter=10).fit(X, counts)
    fixed = [line for line in model.ranking_ if line["fixed"]]
    assert fixed
    assert all(line["n_parameters"] == 2 for line in fixed)  # amplitude and dispersion
    assert model.dispersion_ > 2.5  # where the search began


def test_by_features_passes_are_counted_and_probabilities_are_those_of_the_closed_form():
    X, labels = two_classes(300)
    settings = {"kernel": "rbf", "random_state": 0, "n_jobs": 1}
    exact = GPClassifier(**settings).fit(X, labels)
    features = GPClassifier(n_frequencies=128, **settings).fit(X, labels)
    assert exact.n_passes_ == 0
    assert features.growth_reason_ == "as many as time is spent on"
    assert np.abs(features.predict_proba(X) - exact.predict_proba(X)).mean() < 0.08
    assert features.n_passes_ > 0
    assert features.n_passes_ % 2 == 0  # one for the sums, one for means and variances


@pytest.mark.parametrize("likelihood", ["two", "three", "counts"])
def test_a_limit_of_time_is_kept_by_fewer_columns(likelihood, monkeypatch):
    monkeypatch.setattr("alakarte.execution.budget.machine_rate", lambda: 2e10)
    X, labels = two_classes(2500)
    y = {"two": labels, "three": labels + (X[:, 2] > 1), "counts": 3 * labels}[likelihood]
    model = (GPCountRegressor if likelihood == "counts" else GPClassifier)(max_time=0.2, random_state=0, n_jobs=1)
    assert model.fit(X, y).n_basis_ <= 512  # the closed form of all rows would take seconds
    assert model.score(X, y) > (-1.7 if likelihood == "counts" else 0.6)
