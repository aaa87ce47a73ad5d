"""Kernels are ranked by evidence less half a nat per number learned; weights have the temperature of √N."""

import numpy as np
import pytest

from alakarte.posteriors.ranking import score, shares


def test_a_number_costs_half_a_nat():
    assert score(-10.0, 0) == 10.0
    assert score(-10.0, 4) == 8.0
    assert score(3.0, 1) == -3.5


def test_shares_have_the_temperature_of_root_n():
    assert shares([3.0, 3.0], 50) == pytest.approx([0.5, 0.5])
    share = shares([0.0, -10.0, -1e6], 100)  # ten nats are √100
    assert share[1] / share[0] == pytest.approx(np.exp(-1))
    assert share[2] == 0
    assert share.sum() == pytest.approx(1)
