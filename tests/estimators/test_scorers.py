"""The package's scorers are what they say, within cross-validation too."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from alakarte import (
    GPClassifier,
    GPCountRegressor,
    GPRegressor,
    Unavailable,
    coverage_scorer,
    crps_scorer,
    log_density_scorer,
)
from alakarte.metrics import crps, log_density
from problems import small

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_cross_validation_with_the_packages_scorers(data):
    for expansion in ("fastfood", "exact"):
        model = small("ard", expansion=expansion, max_iter=30)
        density = cross_val_score(model, *data, scoring=log_density_scorer, cv=3)
        covered = cross_val_score(model, *data, scoring=coverage_scorer, cv=3)
        assert density.shape == covered.shape == (3,)
        assert np.isfinite(density).all()
        assert ((covered >= 0) & (covered <= 1)).all()


def test_scorers_are_what_they_say(data):
    X, y = data
    model = small("ard").fit(X, y)
    mean, std = model.predict(X, return_std=True)
    expected = -0.5 * np.log(2 * np.pi * std**2) - 0.5 * ((y - mean) / std) ** 2
    assert log_density_scorer(model, X, y) == pytest.approx(expected.mean(), rel=1e-12)
    assert np.allclose(log_density(y, mean, std), expected, rtol=1e-12)
    weight = np.arange(50.0)
    assert log_density_scorer(model, X, y, sample_weight=weight) == pytest.approx(np.average(expected, weights=weight))
    assert coverage_scorer(model, X, y, level=0.5) == np.mean(np.abs(y - mean) <= 0.6744897501960817 * std)


def test_labels_and_counts_are_scored_by_their_own_probability():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    labels, counts = np.where(X[:, 0] > 0, "up", "down"), rng.poisson(np.exp(X[:, 0]))
    for model, y in ((GPClassifier("rbf", random_state=0), labels), (GPCountRegressor("rbf", random_state=0), counts)):
        pipeline = make_pipeline(StandardScaler(), model).fit(X, y)
        own = pipeline[-1].log_predictive_density(pipeline[:-1].transform(X), y)
        assert log_density_scorer(pipeline, X, y) == pytest.approx(own.mean())
        assert np.isfinite(cross_val_score(model, X, y, scoring=log_density_scorer, cv=3)).all()


def test_exposure_is_routed_to_fit_and_score():
    rng = np.random.default_rng(0)
    X, exposure = rng.standard_normal((90, 1)), 10.0 ** rng.uniform(-1, 2, 90)
    counts = rng.poisson(exposure * np.exp(X[:, 0]))
    plain = GPCountRegressor("rbf", random_state=0)
    with config_context(enable_metadata_routing=True):
        told = clone(plain).set_fit_request(exposure=True).set_score_request(exposure=True)
        with_exposure = cross_val_score(told, X, counts, cv=3, params={"exposure": exposure})
        without = cross_val_score(plain, X, counts, cv=3, params={})
    assert (with_exposure > without).all()


def test_crps_in_a_search(data):
    """By its formula where predictions are normal, in pipelines and searches too."""
    X, y = data
    model = small("ard").fit(X, y)
    assert crps_scorer(model, X, y) == pytest.approx(-crps(y, *model.predict(X, return_std=True)).mean())
    scoring = {"crps": crps_scorer, "density": log_density_scorer}
    pipeline = make_pipeline(StandardScaler(), small("ard"))
    found = cross_validate(pipeline, X, y, scoring=scoring, cv=3)
    assert np.isfinite(found["test_crps"]).all()
    assert (found["test_crps"] < 0).all()
    search = GridSearchCV(pipeline, {"gpregressor__kernel": ["rbf", "ard"]}, scoring=scoring, refit="crps", cv=2).fit(
        X, y
    )
    assert search.best_score_ == max(search.cv_results_["mean_test_crps"])


def test_crps_of_counts_and_heavy_tails(data):
    X, y = data
    counts = np.round(np.exp(y))
    for model, target in ((GPCountRegressor("rbf", random_state=0), counts), (small("ard", likelihood="student_t"), y)):
        score = crps_scorer(model.fit(X, target), X, target)
        assert -np.abs(target - model.predict(X)).mean() * 1.5 < score < 0
    with pytest.raises(Unavailable, match="log_density_scorer"):
        crps_scorer(GPClassifier("rbf", max_iter=0).fit(X, y > 0), X, y > 0)


def test_several_targets_have_one_crps(data):
    X, y = data
    both = np.column_stack([y, 2 * y])
    model = small("ard").fit(X, both)
    mean, std = model.predict(X, return_std=True)
    assert crps_scorer(model, X, both) == pytest.approx(-crps(both, mean, std).mean())


def test_quantiles_are_those_of_intervals(data):
    X, y = data
    for settings in ({}, {"likelihood": "student_t"}):
        model = GPRegressor("ard", max_iter=5, n_restarts=1, random_state=0, **settings).fit(X, y)
        low, middle, high = model.predict_quantiles(X, [0.05, 0.5, 0.95]).T
        np.testing.assert_allclose([low, high], model.predict_interval(X, 0.9), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(middle, model.predict(X), atol=1e-9)
