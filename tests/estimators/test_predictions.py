"""Intervals, covariances and samples belong to the predicted mean and deviation."""

import numpy as np
import pytest

from alakarte import GPRegressor
from problems import small, table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_intervals_and_covariances_agree_with_the_deviation(data):
    X, y = data
    model = small("ard").fit(X, y)
    mean, std = model.predict(X, return_std=True)
    low, high = model.predict_interval(X, coverage=0.95)
    assert np.allclose(high - mean, 1.959963984540054 * std)
    assert np.allclose(mean - low, high - mean)
    same, covariance = model.predict(X, return_cov=True)
    assert np.array_equal(same, mean)
    assert np.allclose(np.sqrt(covariance.diagonal()), std, rtol=1e-9)
    latent = model.predict(X, return_cov=True, include_noise=False)[1]
    assert np.allclose(covariance - latent, model.noise_std_**2 * np.eye(50), atol=1e-12)
    assert np.linalg.eigvalsh(latent).min() > -1e-9 * np.abs(latent).max()


@pytest.mark.parametrize("expansion", ["fastfood", "exact"])
def test_samples_follow_the_prediction(expansion, data):
    X, y = data
    model = small("ard", expansion=expansion).fit(X, y)
    samples = model.sample_y(X[:4], n_samples=20_000, random_state=1)
    mean, covariance = model.predict(X[:4], return_cov=True)
    assert samples.shape == (4, 20_000)
    scale = np.sqrt(covariance.diagonal())
    assert (np.abs(samples.mean(axis=1) - mean) < 5 * scale / np.sqrt(20_000)).all()
    assert (np.abs(np.cov(samples) - covariance) < 5 * np.sqrt(2 / 20_000) * np.outer(scale, scale)).all()
    assert np.array_equal(model.sample_y(X[:4], 3, random_state=5), model.sample_y(X[:4], 3, random_state=5))


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_covariance_in_units_without_a_square(unit):
    X, y, _ = table(3)
    fitted = small("ard", expansion="exact").fit(X, y * unit)
    if unit < 1:
        assert np.isfinite(fitted.predict(X, return_cov=True)[1]).all()
        return
    for function in (lambda: fitted.predict(X, return_cov=True), lambda: fitted.kernel_(X)):
        with pytest.raises(ValueError, match=r"standard deviation of y.*1e\+150.*return_std"):
            function()


def test_one_row_says_nothing_of_spread():
    for y in (5.0, -3e6, 0.0):
        mean, std = GPRegressor().fit([[1.0, 2.0]], [y]).predict([[1.0, 2.0], [9.0, 9.0]], return_std=True)
        assert mean == pytest.approx([y, y])
        assert (std > 0.1 * (abs(y) or 1.0)).all()
        assert (std < 2 * (abs(y) or 1.0)).all()
