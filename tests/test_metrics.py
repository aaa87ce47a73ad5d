"""Log density, CRPS and coverage against their formulas."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import norm, t

from alakarte.metrics import coverage, crps, crps_of_quantiles, half_width, log_density


def test_scores():
    y, mean, std = np.array([0.0, 1.0]), np.array([0.0, 0.0]), np.array([1.0, 2.0])
    expected = -0.5 * np.log(2 * np.pi) - np.log([1.0, 2.0]) - [0.0, 0.125]
    assert np.allclose(log_density(y, mean, std), expected)
    assert coverage([0.0, 1.0, 3.0], [0.0, 0, 0], [1.0, 1, 1], level=0.9) == pytest.approx(2 / 3)


def test_students_t_is_given_by_its_standard_deviation():
    y, std, dof = np.array([[0.3, -2.0, 5.0]]).T, np.array([0.5, 2.0]), np.array([3.0, np.inf])
    scale = 0.5 * np.sqrt(1 / 3)
    expected = np.column_stack([t.logpdf(y[:, 0] / scale, 3) - np.log(scale), norm.logpdf(y[:, 0] / 2) - np.log(2)])
    np.testing.assert_allclose(log_density(y, 0.0, std, dof), expected)
    np.testing.assert_allclose(half_width(0.9, dof), [t.ppf(0.95, 3) * np.sqrt(1 / 3), norm.ppf(0.95)])
    assert coverage([1.7], [0.0], [1.0], dof=3.0) == 1.0
    assert coverage([1.85], [0.0], [1.0], dof=3.0) == 0.0


def test_crps_is_the_integral_of_squared_differences():
    for y, mean, std in ((0.3, 0.0, 1.0), (-4.0, 1.0, 0.5), (2.0, 1.9, 3.0)):
        below = quad(lambda t: ndtr((t - mean) / std) ** 2, -60, y)[0]  # noqa: B023
        above = quad(lambda t: (1 - ndtr((t - mean) / std)) ** 2, y, 60)[0]  # noqa: B023
        assert crps([y], [mean], [std])[0] == pytest.approx(below + above, abs=1e-6)
        levels = (np.arange(2000) + 0.5) / 2000
        assert crps_of_quantiles([y], [mean + std * ndtri(levels)], levels)[0] == pytest.approx(below + above, rel=0.01)
