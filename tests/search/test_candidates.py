"""The menu: which kernels stand on it, for few rows and for exact kernels."""

import numpy as np
import pytest

from alakarte import GPRegressor
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_the_menu_of_few_rows_has_a_rough_kernel():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (120, 1))
    y = np.abs(X[:, 0]) + np.sign(X[:, 0] - 0.3) + 0.02 * rng.standard_normal(120)
    settings = {"n_restarts": 2, "max_iter": 30, "random_state": 0}
    ranking = GPRegressor(**settings).fit(X, y).ranking_
    found = {one["kernel"]: one["log_marginal_likelihood"] for one in ranking}
    assert found["matern"] > found["ard"]
    assert "matern" not in [one["kernel"] for one in GPRegressor(expansion="fastfood", **settings).fit(X, y).ranking_]


SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def in_order(ranking):
    """Best first, by evidence less half a nat per parameter."""
    score = [one["log_marginal_likelihood"] - one["n_parameters"] / 2 for one in ranking]
    return score == sorted(score, reverse=True)


def test_few_rows_have_a_menu_of_closed_forms():
    X, y, _ = table(3, n=150)
    model, again = (GPRegressor(n_jobs=n_jobs, **SMALL).fit(X, y) for n_jobs in (1, 2))
    columns = {one["kernel"]: one["n_basis"] for one in model.ranking_}
    assert columns == dict.fromkeys(("ard", "rbf", "matern", "gm", "mm"), 150)
    assert in_order(model.ranking_)
    assert (again.theta_ == model.theta_).all()
    assert (again.predict(X) == model.predict(X)).all()


def test_few_rows_of_a_round_function():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((560, 12))
    f = np.exp(-0.05 * (X**2).sum(axis=1))
    y, new = f[:60] + 0.01 * rng.standard_normal(60), slice(60, None)
    errors = {}
    for kernel in ("auto", "rbf", "ard"):
        model = GPRegressor(kernel, random_state=0, max_iter=40).fit(X[:60], y)
        mean, std = model.predict(X[new], return_std=True)
        errors[kernel] = np.sqrt(np.mean((mean - f[new]) ** 2)) / f.std()
        covered = np.mean(np.abs(f[new] - mean) < 1.96 * std)
        assert kernel != "auto" or covered > 0.95
    assert errors["auto"] < 0.7 * errors["rbf"] < errors["ard"]  # rough kernels, half as far off, share the average


def test_the_menu_of_exact_kernels():
    X, y, _ = table(2, n=60)
    model = GPRegressor(expansion="exact", **SMALL).fit(X, y)
    assert [one["kernel"] for one in model.ranking_].count("matern") == 1
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)
