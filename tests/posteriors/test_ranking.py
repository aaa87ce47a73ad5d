"""Kernels are ranked by evidence less half a nat per number learned; weights have the temperature of √N."""

import numpy as np
import pytest

from alakarte.posteriors.ranking import average_weights, score


def test_a_number_costs_half_a_nat():
    assert score(-10.0, 0) == 10.0
    assert score(-10.0, 4) == 8.0
    assert score(3.0, 1) == -3.5


def test_shares_have_the_temperature_of_root_n():
    assert average_weights([3.0, 3.0], 50) == pytest.approx([0.5, 0.5])
    weights = average_weights([0.0, -10.0, -1e6], 100)  # ten nats are √100
    assert weights[1] / weights[0] == pytest.approx(np.exp(-1))
    assert weights[2] == 0
    assert weights.sum() == pytest.approx(1)
