"""The least noise that float64 can tell from none."""

import numpy as np
import pytest

from alakarte.process.weight_space import noise_floor


def test_the_noise_floor_grows_with_size_and_amplitude():
    eps = np.finfo(float).eps
    assert noise_floor(10, 100.0, np.log([1.0, 2.0])) == pytest.approx(2 * 10 * eps * 100 * 5)
