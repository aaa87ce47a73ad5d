"""Intervals, covariances and samples belong to the predicted mean and deviation."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.metrics import half_width, log_density
from alakarte.posteriors.calibration import UNCALIBRATED, Calibration
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


def calibrated(model, scale, dof):
    """The model with its deviations times `scale` and tails of Student's t."""
    model.model_ = replace(model.model_, calibration=Calibration(np.array([scale]), np.array([dof])))
    return model


def test_one_distribution_answers_all_questions(data):
    X, y = data
    model = small("ard").fit(X, y)
    plain = calibrated(model, 1.0, np.inf).predict(X, return_std=True)
    function_std = model.predict(X, return_std=True, include_noise=False)[1]
    noise_std = model.noise_std_
    calibrated(model, 1.5, 4.0)
    mean, std = model.predict(X, return_std=True)
    assert np.array_equal(mean, plain[0])
    np.testing.assert_allclose(std, 1.5 * plain[1])
    assert model.noise_std_ == pytest.approx(1.5 * noise_std)
    np.testing.assert_allclose(np.sqrt(model.predict(X, return_cov=True)[1].diagonal()), std)
    np.testing.assert_allclose(model.predict_interval(X, 0.9)[1] - mean, half_width(0.9, 4.0) * std)
    np.testing.assert_allclose(model.log_predictive_density(X, y), log_density(y, mean, std, 4.0))
    drawn = model.sample_y(X[:3], 100_000)
    low, high = model.predict_interval(X[:3], 0.9)
    assert ((low[:, None] <= drawn) & (drawn <= high[:, None])).mean(axis=1) == pytest.approx(0.9, abs=0.006)
    # the function stays normal, whatever its observations do
    low, high = model.predict_interval(X, 0.9, include_noise=False)
    np.testing.assert_allclose(high - low, 2 * half_width(0.9) * 1.5 * function_std)
    drawn = model.sample_y(X[:3], 100_000, include_noise=False)
    np.testing.assert_allclose(drawn.std(axis=1), 1.5 * function_std[:3], rtol=0.02)


def test_rows_that_come_and_go_leave_the_calibration_as_it_was(data):
    X, y = data
    model = calibrated(small("ard").fit(X[:40], y[:40]), 1.5, 4.0)
    before = model.model_.calibration
    model.partial_fit(X[40:], y[40:])
    assert model.model_.calibration is before
    assert model.forget(X[40:], y[40:]).model_.calibration is before
    assert "Student-t, dof 4; standard deviations x 1.5" in model.summary()


def test_noise_that_was_given_is_kept(data):
    model = small("ard", noise_std=0.3).fit(*data)
    assert model.model_.calibration is UNCALIBRATED
    assert model.noise_std_ == pytest.approx(0.3)
    assert "normal, as learned" in model.summary()


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
