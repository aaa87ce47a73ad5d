"""A prepared predictor says what `predict` says; threads that share a model get the same bits."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from alakarte import GPRegressor, InvalidInput, Unavailable
from model.kept_models import RECIPES, X, fitted

REGRESSORS = [
    name for name, (estimator, _) in RECIPES.items() if isinstance(estimator, GPRegressor) and name != "input_noise"
]


@pytest.mark.parametrize("name", REGRESSORS)
def test_it_predicts_as_the_estimator(name):
    model = fitted(name)
    mean, std = model.predict(X, return_std=True)
    alone, exact, auto = (model.predictor(kind) for kind in (None, "exact", "auto"))
    spread = np.std(RECIPES[name][1])
    for rows, some in ((X, slice(None)), (X[:1], slice(1)), (X[3], 3)):
        assert np.abs(alone(rows) - mean[some]).max() <= 1e-10 * spread
        assert np.shape(alone(rows)) == mean[some].shape
        for found in (exact(rows), auto(rows)):
            assert np.abs(found[0] - mean[some]).max() <= 1e-10 * spread
            assert np.shape(found[1]) == std[some].shape
        assert np.abs(exact(rows)[1] - std[some]).max() <= 1e-10 * spread
        assert (np.abs(auto(rows)[1] - std[some]) <= 0.01 * np.asarray(model.noise_std_) + 1e-12).all()
    assert exact.about == "exact"


@pytest.fixture(scope="module")
def smooth():
    """A model whose standard deviations need few directions, and rows near and far."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 3))
    y = np.sin(X[:, 0]) + 0.3 * rng.standard_normal(900)
    model = GPRegressor("ard", n_frequencies=128, n_restarts=1, max_iter=0, random_state=0).fit(X, y)
    return model, np.vstack([rng.standard_normal((400, 3)), 6 * rng.standard_normal((20, 3))])


@pytest.mark.parametrize("std_error", [0.01, 0.001])
def test_the_error_of_low_rank_is_as_stated(smooth, std_error):
    model, rows = smooth
    predict = model.predictor("low_rank", std_error)
    assert predict.about.startswith("low rank:")
    std = model.predict(rows, return_std=True)[1]
    error = np.abs(predict(rows)[1] - std)
    assert error.max() <= std_error * model.noise_std_
    assert np.abs(predict(rows[0])[1] - std[0]) <= std_error * model.noise_std_
    assert error.max() > 0  # it is not the exact one


def test_where_few_directions_do_not_suffice_it_says_so(smooth):
    model, rows = smooth
    predict = model.predictor("low_rank", 1e-9)
    assert "exact: an eighth of the 256 columns do not suffice" in predict.about
    np.testing.assert_allclose(predict(rows)[1], model.predict(rows, return_std=True)[1], atol=1e-12)
    assert "RowPosterior" in fitted("rows").predictor("low_rank").about


@pytest.mark.parametrize("name", ["rows", "average", "weights_fast", "low_rank", "student_t"])
def test_eight_threads_get_the_same_bits(name):
    model, predict = fitted(name), fitted(name).predictor()
    rows = np.tile(X, (12, 1))

    def work(_):
        parts = [*model.predict(rows, return_std=True), *predict(rows), *predict(X[2])]
        return [part.tobytes() for part in parts]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(24)))
    assert all(each == found[0] for each in found)


def test_eight_threads_with_low_rank_get_the_same_bits(smooth):
    model, rows = smooth
    predict = model.predictor("low_rank")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: [part.tobytes() for part in (*predict(rows), *predict(rows[1]))], range(24)))
    assert all(each == found[0] for each in found)


def test_what_cannot_be_predicted_is_named():
    model = fitted("rows")
    predict = model.predictor()
    with pytest.raises(InvalidInput, match=r"X has shape \(2,\): give \(rows, 3\)"):
        predict([1.0, 2.0])
    with pytest.raises(InvalidInput, match="contains NaN"):
        predict([1.0, np.nan, 2.0])
    with pytest.raises(InvalidInput, match="std='full'"):
        model.predictor("full")
    with pytest.raises(InvalidInput, match="std_error=0"):
        model.predictor(std_error=0)


def test_noise_that_depends_on_the_input_is_refused():
    with pytest.raises(Unavailable, match="depends on the input"):
        fitted("input_noise").predictor()
