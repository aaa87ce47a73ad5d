"""Averages over the inverse of a transform: closed forms of the log-normal distribution, and a fine sum."""

import numpy as np
import pytest

from alakarte.data.target_transform import Log, YeoJohnson
from alakarte.model.transformed import moments, without_noise

MEAN, STD = np.array([[-2.0], [0.3], [4.0]]), np.array([[0.1], [1.0], [1.5]])
ROOT = YeoJohnson(np.zeros(1), np.array([0.5]), np.array([1.3]), np.array([0.4]))


def test_a_logarithm_has_the_moments_of_a_log_normal():
    mean, std = moments(Log(np.zeros(1)), MEAN, STD)
    known = np.exp(MEAN + STD**2 / 2)
    np.testing.assert_allclose(mean, known, rtol=1e-10)
    np.testing.assert_allclose(std, known * np.sqrt(np.expm1(STD**2)), rtol=1e-8)


def test_a_power_has_the_moments_of_a_fine_sum():
    grid = np.linspace(-9, 9, 20_001)[:, None, None]
    weights = np.exp(-0.5 * grid**2) / np.exp(-0.5 * grid**2).sum()
    y = ROOT.inverse(MEAN + STD * grid)
    mean, std = moments(ROOT, MEAN, STD)
    known = (weights * y).sum(axis=0)
    np.testing.assert_allclose(mean, known, rtol=1e-4)  # the third derivative of the inverse jumps
    np.testing.assert_allclose(std, np.sqrt((weights * (y - known) ** 2).sum(axis=0)), rtol=1e-4)


@pytest.mark.parametrize("transform", [Log(np.zeros(1)), ROOT], ids=["log", "yeo-johnson"])
def test_variances_of_function_and_noise_add_up(transform):
    """The law of total variance: E[y | f] has the mean of y, and less variance by that of y given f."""
    noise = 0.7
    both = np.sqrt(STD**2 + noise**2)
    mean, std = moments(transform, MEAN, both)
    function_mean, function_std = moments(transform, MEAN, STD, noise)
    np.testing.assert_allclose(function_mean, mean, rtol=1e-4)
    assert (function_std < std).all()


def test_without_noise_is_the_log_normal_mean():
    t = np.linspace(-1, 1, 5)[:, None]
    np.testing.assert_allclose(without_noise(Log(np.zeros(1)), t, 0.5), np.exp(t + 0.125), rtol=1e-12)


def test_blocks_of_rows_change_no_bit(monkeypatch):
    import alakarte.model.transformed as transformed

    rows = np.random.default_rng(0).standard_normal((50, 2))
    whole = moments(Log(np.zeros(2)), rows, np.ones((50, 2)))
    monkeypatch.setattr(transformed, "_CHUNK_NUMBERS", 300)
    for one, other in zip(whole, moments(Log(np.zeros(2)), rows, np.ones((50, 2))), strict=True):
        np.testing.assert_array_equal(one, other)
