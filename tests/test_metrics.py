"""Log density and coverage against their formulas."""

import numpy as np
import pytest

from alakarte.metrics import coverage, log_density


def test_scores():
    y, mean, std = np.array([0.0, 1.0]), np.array([0.0, 0.0]), np.array([1.0, 2.0])
    expected = -0.5 * np.log(2 * np.pi) - np.log([1.0, 2.0]) - [0.0, 0.125]
    assert np.allclose(log_density(y, mean, std), expected)
    assert coverage([0.0, 1.0, 3.0], [0.0, 0, 0], [1.0, 1, 1], level=0.9) == pytest.approx(2 / 3)
