"""Ranges and distances of the inputs: robust, weighted, without zeros."""

import numpy as np

from alakarte.data.summary import summarise
from alakarte.records import Summary


def test_ranges_are_robust():
    """From the 1 % to the 99 % quantile; the whole range where that is zero; 1 where nothing varies."""
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.uniform(0, 1, 1000), np.zeros(1000), np.ones(1000)])
    x[0] = [1e6, 5.0, 1.0]
    ranges = summarise(x, np.ones(1000), rng).ranges
    assert 0.95 < ranges[0] < 1
    assert ranges[1] == 5
    assert ranges[2] == 1


def test_summary_counts_weights_as_repeated_rows():
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((50, 2)), rng.integers(1, 5, 50).astype(float)
    weighted = summarise(x, weight, np.random.default_rng(1)).ranges
    repeated = summarise(np.repeat(x, weight.astype(int), axis=0), np.ones(int(weight.sum())), np.random.default_rng(1))
    assert np.array_equal(weighted, repeated.ranges)


def test_distances_that_are_zero_are_dropped():
    summary = Summary(np.ones(1), np.array([[0.0], [0.0], [0.0], [2.0]]))
    assert summary.distance(0.1) == 2
