"""Classes, counts and outliers, as a user meets them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from alakarte import GPClassifier, GPCountRegressor, GPRegressor, InvalidInput

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (120, 2))
F = np.sin(2 * X[:, 0]) + X[:, 1]
LABELS = np.where(RNG.random(120) < 1 / (1 + np.exp(-3 * F)), "yes", "no")
COUNTS = RNG.poisson(np.exp(F))


def test_two_classes_have_probabilities_of_their_labels():
    model = GPClassifier("ard", random_state=0).fit(X, LABELS)
    probability = model.predict_proba(X)
    assert probability.shape == (120, 2)
    assert probability.sum(axis=1) == pytest.approx(np.ones(120))
    assert model.score(X, LABELS) > 0.85
    assert model.log_predictive_density(X, LABELS).mean() > -0.45
    assert model.classes_.tolist() == ["no", "yes"]
    assert "bernoulli" in model.summary()


def test_the_ranking_tells_fixed_kernels_from_learned_ones(caplog):
    model = GPClassifier(n_restarts=1, max_iter=5, random_state=0, verbose=1).fit(X[:60], LABELS[:60])
    fixed = [place["fixed"] for place in model.ranking_]
    assert any(fixed)
    lines = model.summary().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("kernel")) + 1
    for line, words in zip(lines[first : first + len(fixed)], fixed, strict=True):
        assert (f", fixed at {words} " in line) if words else ("fixed" not in line)
    assert "rbf, fixed at 0.5 × the median under the likelihood: 60 rows" in caplog.text


def test_laplace_is_near_the_bound():
    one, other = (
        GPClassifier("rbf", inference=name, random_state=0).fit(X, LABELS) for name in ("variational", "laplace")
    )
    assert one.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=0.1)


def test_several_classes_and_rows_that_join():
    inputs, y = load_iris(return_X_y=True)
    model = GPClassifier("rbf", random_state=0).fit(inputs[::2], y[::2])
    assert model.score(inputs[1::2], y[1::2]) > 0.9
    before = model.log_predictive_density(inputs[1::2], y[1::2]).mean()
    model.partial_fit(inputs[1::2], y[1::2])
    assert model.log_predictive_density(inputs[1::2], y[1::2]).mean() > before
    mean, std = model.predict_latent(inputs[:3])
    assert mean.shape == std.shape == (3, 3)


def test_counts_with_exposure_give_rates():
    exposure = 10.0 ** RNG.uniform(-1, 2, 120)
    y = RNG.poisson(np.exp(F) * exposure)
    model = GPCountRegressor("ard", random_state=0).fit(X, y, exposure=exposure)
    mean, _ = model.predict_latent(X)
    assert np.sqrt(np.mean((mean - F) ** 2)) < 0.3
    low, high = model.predict_interval(X, exposure=exposure)
    assert np.mean((low <= y) & (y <= high)) > 0.9
    assert low.dtype == np.int64
    assert model.predict_pmf(X[:2], np.arange(400)).sum(axis=1) == pytest.approx([1, 1], abs=1e-3)


def test_outliers_do_not_drag_the_function_along():
    y = F + 0.1 * RNG.standard_normal(120)
    y[:6] += 20
    robust = GPRegressor("ard", likelihood="student_t", random_state=0).fit(X, y)
    normal = GPRegressor("ard", random_state=0).fit(X, y)
    errors = [np.sqrt(np.mean((model.predict(X) - F) ** 2)) for model in (robust, normal)]
    assert errors[0] < 0.5 * errors[1]
    low, high = robust.predict_interval(X)
    assert np.mean((low < F) & (high > F)) > 0.9


def test_bad_targets_are_named():
    with pytest.raises(InvalidInput, match="one class only"):
        GPClassifier().fit(X, np.zeros(120, dtype=int))
    with pytest.raises(InvalidInput, match=r"y\[3\] = -1 is negative"):
        GPCountRegressor().fit(X, np.where(np.arange(120) == 3, -1, COUNTS))
    with pytest.raises(InvalidInput, match=r"exposure\[0\] = 0"):
        GPCountRegressor().fit(X, COUNTS, exposure=np.zeros(120))
    with pytest.raises(InvalidInput, match="inference='mcmc'"):
        GPClassifier(inference="mcmc").fit(X, LABELS)
