"""Several targets share one kernel and one noise in standardised units: y (n, T) everywhere that y (n,) may stand."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_linnerud
from sklearn.model_selection import cross_val_score

from alakarte import GPRegressor, coverage_scorer, log_density_scorer
from alakarte.metrics import log_density
from alakarte.process.objective import nlml
from problems import posterior_at

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]
SMALL = {"n_restarts": 2, "max_iter": 10, "max_iter_restart": 4, "random_state": 0}
MODELS = {
    "weights": GPRegressor("ard", n_frequencies=8, **SMALL),
    "low rank": GPRegressor("gm", n_components=2, n_frequencies=64, **SMALL),
    "closed form": GPRegressor("ard", **SMALL),
    "average": GPRegressor(**SMALL),
    "exact": GPRegressor("ard", expansion="exact", **SMALL),
}


def table(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    smooth = np.column_stack([np.sin(X[:, 0]), 100 + 20 * X[:, 1], X.sum(axis=1) ** 2 / 50])
    return X, smooth + 0.05 * smooth.std(axis=0) * rng.standard_normal(smooth.shape)


@pytest.mark.parametrize("name", MODELS)
def test_shapes_are_those_of_scikit_learn(name):
    X, Y = table()
    model = clone(MODELS[name]).fit(X, Y)
    mean, std = model.predict(X[:5], return_std=True)
    assert mean.shape == std.shape == (5, 3)
    assert model.predict(X[:5], return_cov=True)[1].shape == (5, 5, 3)
    assert model.sample_y(X[:5], n_samples=7).shape == (5, 3, 7)
    assert model.noise_std_.shape == (3,)
    assert [end.shape for end in model.predict_interval(X[:5])] == [(5, 3)] * 2
    assert model.kernel_(X[:4]).shape == (4, 4, 3)
    assert model.score(X, Y) > 0.9
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("name", MODELS)
def test_one_column_is_the_single_target(name):
    X, Y = table()
    single, column = clone(MODELS[name]).fit(X, Y[:, 0]), clone(MODELS[name]).fit(X, Y[:, :1])
    assert np.array_equal(single.theta_, column.theta_)
    for left, right in zip(single.predict(X, return_std=True), column.predict(X, return_std=True), strict=True):
        assert np.array_equal(left, right[:, 0])
    assert np.array_equal(single.sample_y(X, 3), column.sample_y(X, 3)[:, 0])
    assert column.noise_std_.shape == (1,)
    assert column.kernel_(X[:4]).shape == (4, 4, 1)
    assert column.kernel_.amplitude.shape == (*single.kernel_.amplitude.shape, 1)
    assert single.noise_std_ == column.noise_std_[0]


@pytest.mark.parametrize("name", ["weights", "low rank", "closed form", "exact"])
def test_each_target_is_predicted_as_if_alone_with_that_kernel(name):
    X, Y = table()
    model = clone(MODELS[name]).fit(X, Y)
    evidence = 0.0
    for t in range(3):
        alone = clone(MODELS[name]).set_params(max_iter=0, n_restarts=1).fit(X, Y[:, t])
        rows, scaling = alone._rows(X, Y[:, t], None), alone.model_.scaling
        problem = model.model_.problem.on(rows)
        mean = posterior_at(problem, model.theta_).mean(scaling.inputs(X))[:, 0] * scaling.y_scale + scaling.y_mean
        assert mean == pytest.approx(model.predict(X)[:, t], rel=1e-8, abs=1e-8 * Y[:, t].std())
        evidence += scaling.log_evidence(nlml(problem, model.theta_), rows.total)
    assert model.log_marginal_likelihood_ == pytest.approx(evidence, rel=1e-9)


@pytest.mark.parametrize("name", ["weights", "low rank", "closed form", "average"])
def test_rows_come_and_go(name):
    X, Y = table()
    model = clone(MODELS[name]).fit(X[:60], Y[:60])
    before = model.predict(X, return_std=True)
    model.partial_fit(X[60:], Y[60:])
    assert np.abs(model.predict(X) - before[0]).max() > 0
    model.forget(X[60:], Y[60:])
    for left, right in zip(model.predict(X, return_std=True), before, strict=True):
        assert np.allclose(left, right, rtol=1e-6, atol=1e-6 * np.abs(right).max())


def test_units_do_not_matter():
    X, Y = table()
    model, other = (GPRegressor("gm", **SMALL).fit(X, Y * s + s) for s in (1.0, np.array([1e-6, 1.0, 1e9])))
    assert np.allclose(model.theta_, other.theta_, rtol=1e-5, atol=1e-5)
    assert np.allclose(other.noise_std_ / model.noise_std_, [1e-6, 1.0, 1e9], rtol=1e-5)


def test_weights_are_repeated_rows():
    X, Y = table(40)
    weight = np.random.default_rng(0).integers(1, 4, 40)
    left = GPRegressor("ard", **SMALL).fit(X, Y, weight)
    right = GPRegressor("ard", **SMALL).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    assert np.array_equal(left.predict(X), right.predict(X))


def test_scorers_add_targets_and_average_rows():
    X, Y = table()
    model = GPRegressor("ard", **SMALL).fit(X[:60], Y[:60])
    mean, std = model.predict(X[60:], return_std=True)
    expected = log_density(Y[60:], mean, std).sum(axis=1).mean()
    assert log_density_scorer(model, X[60:], Y[60:]) == pytest.approx(expected)
    assert 0.5 < coverage_scorer(model, X[60:], Y[60:]) <= 1
    assert np.isfinite(cross_val_score(model, X, Y, scoring=log_density_scorer, cv=3)).all()


def test_a_constant_target_beside_others_is_predicted_exactly():
    X, Y = table()
    Y[:, 1] = 7.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GPRegressor(**SMALL).fit(X, Y)
    assert model.predict(X)[:, 1] == pytest.approx(np.full(80, 7.0), abs=1e-9)


def test_the_real_thing():
    X, Y = load_linnerud(return_X_y=True)
    model = GPRegressor(**SMALL).fit(X, Y)
    assert model.predict(X).shape == (20, 3)
    assert "noise std" in model.summary()
