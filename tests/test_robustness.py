"""Random awkward problems, weights against repeated rows, far queries, threads: nothing but finite numbers comes out.

ALAKARTE_PROBLEMS=500 runs as many random problems as the reliability figures ask for; the default is a sample of them.
"""

import os
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from alakarte import GPRegressor
from alakarte.data import read
from alakarte.errors import IllConditioned, Unavailable
from alakarte.execution.threads import one_blas_thread
from alakarte.linalg.factorise import cholesky, square_root

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N_PROBLEMS = int(os.environ.get("ALAKARTE_PROBLEMS", "60"))
SMALL = {"n_components": 2, "n_frequencies": 8, "n_restarts": 2, "max_iter": 10, "max_iter_restart": 4, "n_jobs": 1}
CLOSED = ("rbf", "ard", "matern12", "matern32", "matern52", "gm")
KERNELS = (*CLOSED, "pwl", "fsard", "fsgbard", "ssgpr", "auto")
WEIGHTED = {
    "ard": {"kernel": "ard"},
    "gm": {"kernel": "gm"},
    "pwl": {"kernel": "pwl"},
    "ssgpr": {"kernel": "ssgpr"},
    "weights": {"kernel": "ard", "n_frequencies": 3},  # D < n
    "exact": {"kernel": "ard", "expansion": "exact"},
}


def model(kernel, **settings):
    return GPRegressor(kernel, **SMALL | {"random_state": 0} | settings)


def table(n=30):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n)


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


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_random_problem(seed):
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


# --------------------------------------------------------------------------- sizes and noise


@pytest.mark.parametrize("n_rows", range(1, 6))
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_handful_of_rows(kernel, n_rows):
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
@pytest.mark.parametrize("noise_std", [None, 0.0, 1e-9])
def test_a_function_without_noise_is_followed(noise_std, kernel, expansion):
    X = np.linspace(0, 6, 50)[:, None]
    y = np.sin(X[:, 0])
    fitted = model(kernel, expansion=expansion, noise_std=noise_std, max_iter=60, n_frequencies=24).fit(X, y)
    check_finite(fitted, X)
    assert np.abs(fitted.predict(X) - y).max() < 1e-2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_numbers_beyond_single_precision_are_a_wall_and_not_a_warning(n_jobs):
    X, y = table(2000)
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
    X, y = table()
    for expansion in ("fastfood", *(["exact"] if kernel in CLOSED else [])):
        fitted = model(kernel, expansion=expansion).fit(X, y)
        for distance in (1e2, 1e8, 1e200):
            check_finite(fitted, X * distance)
            covariance = fitted.predict(X * distance, return_cov=True)[1]
            assert np.isfinite(covariance).all()
            assert (covariance.diagonal() >= 0).all()


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_covariance_in_units_without_a_square(unit):
    X, y = table()
    fitted = model("ard", expansion="exact").fit(X, y * unit)
    if unit < 1:
        assert np.isfinite(fitted.predict(X, return_cov=True)[1]).all()
        return
    for function in (lambda: fitted.predict(X, return_cov=True), lambda: fitted.kernel_(X)):
        with pytest.raises(ValueError, match=r"standard deviation of y.*1e\+150.*return_std"):
            function()


@pytest.mark.parametrize("method", ["predict", "predict_interval", "sample_y"])
def test_no_rows_are_refused_as_by_scikit_learn(method):
    fitted = model("ard").fit(*table())
    with pytest.raises(ValueError, match=r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"):
        getattr(fitted, method)(np.empty((0, 3)))


def test_evidence_of_absurd_targets_is_refused():
    X, y = table()
    fitted = model("ard").fit(X, y)
    with pytest.raises(ValueError, match=r"y = 1e\+200 lies more than 1e\+100 standard deviations"):
        fitted.log_marginal_likelihood(X[:1], [1e200])


# --------------------------------------------------------------------------- factors


def test_factor_of_zero_is_an_error_and_its_root_is_zero():
    with pytest.raises(IllConditioned):
        cholesky(np.zeros((3, 3)))
    np.testing.assert_array_equal(square_root(np.zeros((3, 3))), 0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", [(0, 0), (1, 2)])
def test_factor_of_nan_is_an_error(place, bad):
    matrix = np.eye(3)
    matrix[place] = matrix[place[::-1]] = bad
    with pytest.raises(IllConditioned):
        cholesky(matrix)


def test_root_of_an_indefinite_matrix_is_that_of_its_positive_part():
    matrix = np.array([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and −1
    root = square_root(matrix)
    np.testing.assert_allclose(root @ root.T, np.full((2, 2), 1.5), rtol=1e-14)


# --------------------------------------------------------------------------- weights are repeated rows


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_equal_repeated_rows_to_the_last_bit(name):
    X, y = table()
    weight = np.random.default_rng(1).integers(0, 4, size=len(X))
    repeated = np.random.default_rng(2).permutation(np.repeat(np.arange(len(X)), weight))
    weighted = model(**WEIGHTED[name]).fit(X, y, weight)
    plain = model(**WEIGHTED[name]).fit(X[repeated], y[repeated])
    np.testing.assert_array_equal(weighted.theta_, plain.theta_)
    np.testing.assert_array_equal(weighted.predict(X, return_std=True), plain.predict(X, return_std=True))
    assert weighted.log_marginal_likelihood_ == plain.log_marginal_likelihood_


@pytest.mark.parametrize("name", WEIGHTED)
def test_order_of_rows_does_not_matter_to_the_last_bit(name):
    X, y = table()
    weight = np.random.default_rng(1).uniform(size=len(X))
    X[5:9], y[5:9] = X[0], y[0]  # equal rows whose weights add to the same bits in any order
    order = np.random.default_rng(2).permutation(len(X))
    first = model(**WEIGHTED[name]).fit(X, y, weight)
    second = model(**WEIGHTED[name]).fit(X[order], y[order], weight[order])
    np.testing.assert_array_equal(first.predict(X, return_std=True), second.predict(X, return_std=True))


@pytest.mark.parametrize("name", WEIGHTED)
def test_rows_of_weight_zero_may_be_anything(name):
    X, y = table()
    junk_X, junk_y = np.concatenate([X, 1e6 * X]), np.concatenate([y, 1e6 * y])
    weight = np.repeat([1.0, 0.0], len(X))
    weighted, plain = model(**WEIGHTED[name]).fit(junk_X, junk_y, weight), model(**WEIGHTED[name]).fit(X, y)
    np.testing.assert_array_equal(weighted.predict(X), plain.predict(X))


@pytest.mark.parametrize("name", WEIGHTED)
def test_large_tables_are_not_merged_but_the_evidence_agrees(name, monkeypatch):
    monkeypatch.setattr(read, "MERGE_ROWS", 0)
    X, y = table()
    weight = np.random.default_rng(1).integers(0, 4, size=len(X))
    fitted = model(**WEIGHTED[name]).fit(X, y)
    weighted = fitted.log_marginal_likelihood(X, y, sample_weight=weight, eval_gradient=True)
    repeated = fitted.log_marginal_likelihood(X.repeat(weight, axis=0), y.repeat(weight), eval_gradient=True)
    np.testing.assert_allclose(weighted[0], repeated[0], rtol=1e-9)
    np.testing.assert_allclose(weighted[1], repeated[1], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("n_columns", [1, 3, 20])
def test_merged_rows_are_sorted_distinct_and_keep_the_total(n_columns):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(200, n_columns)) * rng.choice([-0.0, 1.0], size=(200, 1))
    y, weight = rng.integers(0, 2, size=200).astype(float), rng.integers(0, 3, size=200).astype(float)
    merged_X, merged_y, merged_weight = read.merge_rows(X, y, weight)
    expected = np.unique(np.column_stack([X, y])[weight > 0], axis=0)
    np.testing.assert_array_equal(np.column_stack([merged_X, merged_y]), expected)
    assert merged_weight.sum() == weight.sum()
    assert merged_X.flags.c_contiguous
    assert not np.signbit(merged_X).any()


def test_rows_that_differ_in_the_last_columns_alone_are_told_apart():
    X = np.zeros((3, 30))
    X[:, -1] = [2.0, 1.0, 1.0]
    merged_X, _, weight = read.merge_rows(X, np.zeros(3), np.ones(3))
    np.testing.assert_array_equal(merged_X[:, -1], [1.0, 2.0])
    np.testing.assert_array_equal(weight, [2.0, 1.0])


# --------------------------------------------------------------------------- threads


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_two_fits_at_once_equal_the_same_fits_alone():
    X, y = table(300)
    names = ["gm", "ard"]
    alone = [model(name, n_jobs=2).fit(X, y).predict(X) for name in names]
    together = [None, None]

    def run(index):
        together[index] = model(names[index], n_jobs=2).fit(X, y).predict(X)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(together, alone)


def test_blas_threads_are_restored_after_a_fit_that_raises():
    X, y = table()
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with pytest.raises(Unavailable, match="closed form"):
            model("pwl", expansion="exact").fit(X, y)
        assert blas_threads() == before
        model("ard").fit(X, y)
        assert blas_threads() == before


def test_a_failed_fit_beside_another_does_not_lift_its_limit():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread():
            with pytest.raises(Unavailable):
                model("pwl", expansion="exact").fit(*table())
            assert set(blas_threads()) == {1}
        assert blas_threads() == before
