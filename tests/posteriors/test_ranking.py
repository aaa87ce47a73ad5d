"""Kernels are ranked by evidence less half a nat per number learned; weights have the temperature of √N."""

import numpy as np
import pytest

from alakarte.posteriors.ranking import average_weights, score, stacked_weights


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


def test_stacked_weights_have_the_most_log_density_of_rows_left_out():
    log_density = np.random.default_rng(0).standard_normal((40, 2))
    weight = np.random.default_rng(1).uniform(0.5, 2, 40)
    grid = np.linspace(0, 1, 2001)
    sums = [weight @ np.log(np.exp(log_density) @ [part, 1 - part]) for part in grid]
    weights = stacked_weights(log_density, weight)
    assert weights[0] == pytest.approx(grid[np.argmax(sums)], abs=0.02)
    assert weights.sum() == pytest.approx(1)


def test_stacked_weights_need_no_common_level_and_drop_what_never_helps():
    log_density = np.array([[-1.0, -3.0], [-2.0, -2.5], [-800.0, -801.0]])
    assert stacked_weights(log_density, np.ones(3)) == pytest.approx([1, 0], abs=1e-3)
    assert stacked_weights(log_density[:, :1], np.ones(3)).tolist() == [1.0]
    twice = log_density[[0, 0, 1, 2]]
    mixed = -twice[:, ::-1] / 100
    assert stacked_weights(mixed, np.ones(4)) == pytest.approx(stacked_weights(mixed[1:], np.array([2.0, 1, 1])))
