"""Rows in random order: the first of them lie within each other."""

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.data.subsets import shuffle

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_rows_in_random_order_lie_within_each_other_and_are_shared():
    x = np.arange(500.0)[:, None]
    rows = ArrayRows(x, x, np.ones(500))
    shuffled = shuffle(rows, np.random.default_rng(0))
    small, large = shuffled.first(20), shuffled.first(200)
    assert shuffled.first(500) is rows
    assert shuffled.first(20) is small
    assert set(small.x[:, 0]) < set(large.x[:, 0])
    assert np.abs(large.x.mean() - x.mean()) < 40
