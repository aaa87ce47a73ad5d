"""Random awkward problems, a handful of rows, no noise, far queries: nothing but finite numbers comes out.

ALAKARTE_PROBLEMS=500 runs as many random problems as the reliability figures ask for; the default is a sample of
them.
"""

import os

import numpy as np
import pytest

from alakarte import GPRegressor
from problems import naming, table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
N_PROBLEMS = int(os.environ.get("ALAKARTE_PROBLEMS", "60"))
SMALL = {"n_components": 2, "n_frequencies": 8, "n_restarts": 2, "max_iter": 10, "max_iter_restart": 4, "n_jobs": 1}
CLOSED = ("rbf", "ard", "matern12", "matern32", "matern52", "gm")
KERNELS = (*CLOSED, "pwl", "fsard", "fsgbard", "ssgpr", "auto")


def model(kernel, **settings):
    return GPRegressor(kernel, **SMALL | {"random_state": 0} | settings)


def random_inputs(rng, n, d):
    """(n, d): normal, heavy tails, a coarse grid or near a line; columns and rows may be duplicated or constant."""
    X = rng.standard_normal((n, d))
    X = [X, X**9, np.round(X), X[:, :1] + 1e-9 * X][rng.integers(4)]
    X = X[:, rng.integers(d, size=d)] if rng.uniform() < 0.4 else X
    X = X[rng.integers(max(n // 4, 1), size=n)] if rng.uniform() < 0.3 else X
    X[:, rng.uniform(size=d) < 0.1] = 3.0
    return X


def random_target(rng, X):
    """(n,): without noise, with noise, noise alone, a step, or an outlier; at any scale."""
    n = len(X)
    z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    wave = np.sin(z.sum(axis=1))
    outlier = wave + 1e6 * (np.arange(n) == 0)
    y = [wave, wave + 0.1 * rng.standard_normal(n), rng.standard_normal(n), np.sign(wave), outlier][rng.integers(5)]
    return y * 10.0 ** rng.integers(-100, 100) if rng.uniform() < 0.2 else y


def random_model(rng):
    kernel = str(rng.choice(KERNELS))
    expansions = ["fastfood", "dense"] if kernel != "fsgbard" else ["fastfood"]
    expansion = str(rng.choice(expansions + ["exact"] * (kernel in CLOSED)))
    settings = {"n_frequencies": int(rng.choice([1, 3, 8, 40])), "n_components": int(rng.integers(1, 4))}
    noise_std = [None, None, 0.0, 1e-12][rng.integers(4)]
    precision = str(rng.choice(["double", "mixed"]))
    return GPRegressor(
        kernel, **SMALL | settings, expansion=expansion, noise_std=noise_std, precision=precision, random_state=0
    )


def check_finite(fitted, X):
    mean, std = fitted.predict(X, return_std=True)
    _, latent = fitted.predict(X, return_std=True, include_noise=False)
    lower, upper = fitted.predict_interval(X)
    for values in (mean, std, latent, lower, upper, fitted.sample_y(X, 3)):
        assert np.isfinite(values).all()
    assert (latent >= 0).all()
    assert (std >= latent).all()
    assert (lower <= mean).all()
    assert (mean <= upper).all()


def check_random_problem(seed):
    rng = np.random.default_rng([7, seed])
    n = int(rng.choice([*range(1, 6), 12, 25, 60]))
    X = random_inputs(rng, n, int(rng.integers(1, 10)))
    y = random_target(rng, X)
    X = X * 10.0 ** rng.integers(-200, 180, size=X.shape[1]) if rng.uniform() < 0.2 else X
    weight = rng.integers(0, 4, size=n) + (np.arange(n) == 0) if rng.uniform() < 0.3 else None
    fitted = random_model(rng).fit(X, y, weight)
    spread = X.max(axis=0) - X.min(axis=0)
    check_finite(fitted, X)
    for distance in (0.1, 1e3, 1e100):
        check_finite(fitted, X + distance * spread * rng.standard_normal(X.shape))
    value, gradient = fitted.log_marginal_likelihood(X, y, sample_weight=weight, eval_gradient=True)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert np.isfinite(fitted.log_marginal_likelihood_)
    assert np.isfinite(fitted.relevance_).all()


def test_random_problem():
    for seed in range(N_PROBLEMS):
        with naming(seed):
            check_random_problem(seed)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_handful_of_rows(kernel):
    for n_rows in range(1, 6):
        with naming(n_rows):
            X = np.random.default_rng(0).standard_normal((n_rows, 2))
            for expansion in ("fastfood", *(["exact"] if kernel in CLOSED else [])):
                check_finite(model(kernel, expansion=expansion).fit(X, X[:, 0]), X)


@pytest.mark.parametrize("kernel", ["ard", "gm", "pwl", "fsgbard"])
def test_thousands_of_columns_for_three_rows(kernel):
    X = np.random.default_rng(0).standard_normal((3, 2))
    fitted = model(kernel, n_frequencies=1024, n_restarts=1, max_iter=2).fit(X, [1.0, 2.0, 3.0])
    assert fitted.n_basis_ >= 4096
    check_finite(fitted, X)


WAYS = [("ard", "fastfood"), ("gm", "fastfood"), ("pwl", "fastfood"), ("ard", "exact"), ("gm", "exact")]


@pytest.mark.parametrize(("kernel", "expansion"), WAYS)
def test_a_function_without_noise_is_followed(kernel, expansion):
    for noise_std in (None, 0.0, 1e-9):
        with naming(noise_std):
            X = np.linspace(0, 6, 50)[:, None]
            y = np.sin(X[:, 0])
            fitted = model(kernel, expansion=expansion, noise_std=noise_std, max_iter=60, n_frequencies=24).fit(X, y)
            check_finite(fitted, X)
            assert np.abs(fitted.predict(X) - y).max() < 1e-2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_numbers_beyond_single_precision_are_a_wall_and_not_a_warning(n_jobs):
    X, y, _ = table(3, n=2000)
    settings = {"n_frequencies": 3, "noise_std": 1e-12, "precision": "mixed", "n_jobs": n_jobs}
    fitted = model("ard", **settings).fit(X, y * 1e-100)  # s = 1e176
    check_finite(fitted, X)


@pytest.mark.parametrize(("kernel", "expansion"), WAYS[:2] + WAYS[3:])
def test_ten_thousand_copies_of_one_row(kernel, expansion):
    X = np.concatenate([np.zeros((10_000, 2)), [[1.0, 1.0]]])
    fitted = model(kernel, expansion=expansion, noise_std=0.0).fit(X, X[:, 0])
    check_finite(fitted, X[-3:])


@pytest.mark.parametrize("kernel", KERNELS)
def test_far_from_the_data_the_variance_is_finite_and_not_negative(kernel):
    X, y, _ = table(3)
    for expansion in ("fastfood", *(["exact"] if kernel in CLOSED else [])):
        fitted = model(kernel, expansion=expansion).fit(X, y)
        for distance in (1e2, 1e8, 1e200):
            check_finite(fitted, X * distance)
            covariance = fitted.predict(X * distance, return_cov=True)[1]
            assert np.isfinite(covariance).all()
            assert (covariance.diagonal() >= 0).all()
