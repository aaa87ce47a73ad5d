"""Features, neighbours or both for classes: who is kept, who is dropped early, what the user sees, who is refused."""

import pickle

import numpy as np
import pytest

import alakarte.search.class_neighbours as class_neighbours
import alakarte.search.policy as policy
from alakarte import GPClassifier
from alakarte.errors import InvalidInput, Unavailable
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.votes import VotesPosterior

QUICK = {"n_restarts": 1, "max_iter": 5, "random_state": 0, "n_jobs": 1}
N = 900


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(policy, "LEAST_CLASS_ROWS", 500)
    monkeypatch.setattr(policy, "CLASS_LOCAL_STAGES", ((200, 12, 6), (300, 16, 10)))
    monkeypatch.setattr(policy, "CLASS_TRIAL_ROWS", 100)
    monkeypatch.setattr(policy, "CLASS_HOPE", 10.0)
    monkeypatch.setattr(policy, "CLOSED_MENU", ("rbf",))
    monkeypatch.setattr(policy, "FIXED_KERNELS", ("rbf",))
    monkeypatch.setattr(policy, "LATENT_FIRST_ROWS", 200)


def inputs(n=N + 300):
    return np.random.default_rng(0).uniform(-2, 2, (n, 2))


def rough_labels(X, n_classes):
    """Squares."""
    return (np.floor(2.5 * X[:, 0]) + np.floor(2.5 * X[:, 1])).astype(int) % n_classes


def smooth_labels(X, n_classes):
    """Wide bands with wide borders, so that a smooth function says all."""
    noise = 0.6 * np.random.default_rng(1).logistic(size=len(X))
    return np.digitize(X[:, 0] + X[:, 1] + noise, [0.0, 1.5][: n_classes - 1])


def fitted(labels, n_classes, **settings):
    X = inputs()
    y = labels(X, n_classes)
    return GPClassifier(n_neighbors=30, **(QUICK | settings)).fit(X[:N], y[:N]), X, y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_neighbours_alone_by_name(n_classes):
    model, X, y = fitted(rough_labels, n_classes, expansion="local")
    assert isinstance(model.model_.posterior, VotesPosterior)
    assert model.score(X[N:], y[N:]) > 0.75
    proba = model.predict_proba(X[N:])
    assert proba.sum(axis=1) == pytest.approx(1)
    assert model.log_predictive_density(X[N:], y[N:]).mean() == pytest.approx(model.left_out_log_density_, abs=0.15)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X[N:]), proba)
    with pytest.raises(Unavailable, match="no latent function"):
        model.predict_latent(X)
    with pytest.raises(AttributeError, match="left_out_log_density_"):
        _ = model.log_marginal_likelihood_
    assert f"{n_classes} classes, votes of neighbours" in model.summary()
    joined = pickle.loads(pickle.dumps(model)).partial_fit(X[N:], y[N:])
    assert joined.score(X[N:], y[N:]) > model.score(X[N:], y[N:])
    assert np.array_equal(joined.forget(X[N:], y[N:]).predict_proba(X[N:]), proba)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_neighbours_are_kept_where_borders_are_rough(n_classes):
    model, X, _ = fitted(rough_labels, n_classes)
    assert isinstance(model.model_.posterior, VotesPosterior | StackedPosterior)
    first = model.ranking_[0]
    assert first["n_neighbors"] == 30
    assert first["left_out_log_density"] == model.left_out_log_density_
    assert model.left_out_log_density_ >= max(place["left_out_log_density"] or -9 for place in model.ranking_) - 0.002
    assert "left out" in model.summary()
    assert model.predict_proba(X[N:]).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_features_are_kept_where_borders_are_smooth(n_classes):
    model, _, _ = fitted(smooth_labels, n_classes)
    assert isinstance(model.model_.posterior, LatentPosterior)
    assert model.model_.posterior.total == N  # nothing is held out
    assert model.ranking_[0]["n_neighbors"] == 0
    near = [place for place in model.ranking_ if place["n_neighbors"]]
    assert near[0]["left_out_log_density"] < model.left_out_log_density_
    assert near[0]["weight"] == 0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_both_together_change_with_rows_and_keep_their_word(n_classes, monkeypatch):
    monkeypatch.setattr(policy, "STACK_GAIN", -1.0)  # both at any price
    model, X, y = fitted(smooth_labels, n_classes)
    posterior = model.model_.posterior
    assert isinstance(posterior, StackedPosterior)
    assert posterior.features.total == posterior.near.total == N
    proba = model.predict_proba(X[N:])
    assert proba.sum(axis=1) == pytest.approx(1)
    assert "+ near" in model.ranking_[0]["kernel"]
    assert "from neighbours" in model.summary()
    assert model.predict_latent(X[:3])[0].shape == ((3,) if n_classes == 2 else (3, n_classes))
    joined = pickle.loads(pickle.dumps(model)).partial_fit(X[N:], y[N:])
    assert joined.model_.posterior.total == N + 300
    assert np.abs(joined.forget(X[N:], y[N:]).predict_proba(X[N:]) - proba).max() < 1e-4  # sites have a tolerance


def test_features_without_hope_are_not_made_of_all_rows(monkeypatch):
    monkeypatch.setattr(policy, "CLASS_HOPE", 0.1)
    monkeypatch.setattr(class_neighbours, "_chosen", None)  # not called
    model, _, _ = fitted(rough_labels, 3)
    assert isinstance(model.model_.posterior, VotesPosterior)
    assert model.model_.posterior.total == N


def test_few_rows_and_kernels_by_name_have_no_neighbours(monkeypatch):
    monkeypatch.setattr(policy, "LEAST_CLASS_ROWS", N + 1)
    assert isinstance(fitted(rough_labels, 2)[0].model_.posterior, LatentPosterior)
    monkeypatch.setattr(policy, "LEAST_CLASS_ROWS", 500)
    assert isinstance(fitted(rough_labels, 2, kernel="rbf")[0].model_.posterior, LatentPosterior)


def test_threads_change_no_bits():
    one, two = (fitted(rough_labels, 3, expansion="local", n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one[0].predict_proba(one[1]), two[0].predict_proba(one[1]))


def test_a_weight_of_two_is_the_row_given_twice():
    X = inputs()[:600]
    y = rough_labels(X, 3)
    weight = np.where(np.arange(600) < 100, 2.0, 1.0)
    settings = QUICK | {"expansion": "local", "n_neighbors": 30}
    weighted = GPClassifier(**settings).fit(X, y, sample_weight=weight)
    doubled = GPClassifier(**settings).fit(np.vstack([X, X[:100]]), np.append(y, y[:100]))
    assert np.array_equal(weighted.predict_proba(X), doubled.predict_proba(X))


def test_who_is_refused_learns_why(monkeypatch):
    with pytest.raises(Unavailable, match="expansion='local' works for"):
        fitted(rough_labels, 2, kernel="pwl", expansion="local")
    with pytest.raises(InvalidInput, match="n_neighbors=0"):
        GPClassifier(n_neighbors=0, expansion="local").fit(inputs()[:9], np.arange(9) % 2)
    with pytest.raises(Unavailable, match="at least 20 that differ; these are 9"):
        GPClassifier(expansion="local").fit(inputs()[:9], np.arange(9) % 2)
    monkeypatch.setattr(policy, "MOST_LOCAL_ROWS", 100)
    with pytest.raises(Unavailable, match="at most 100"):
        fitted(rough_labels, 2, expansion="local")


def test_max_time_leaves_out_what_takes_too_long():
    model, X, _ = fitted(rough_labels, 3, max_time=0.1)
    assert isinstance(model.model_.posterior, LatentPosterior)
    assert model.predict_proba(X[:2]).shape == (2, 3)
    model, X, _ = fitted(rough_labels, 3, max_time=300.0, expansion="local")
    assert isinstance(model.model_.posterior, VotesPosterior)


def test_a_warm_start_stays_with_neighbours():
    X = inputs()[:N]
    y = rough_labels(X, 3)
    model = GPClassifier(n_neighbors=30, warm_start=True, expansion="local", **QUICK).fit(X, y)
    before = model.theta_
    model.set_params(expansion="auto", max_iter=0).fit(X, y)
    assert isinstance(model.model_.posterior, VotesPosterior)
    assert np.array_equal(model.theta_, before)
