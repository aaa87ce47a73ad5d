"""Identical rows are merged into one: sorted, distinct, with all the weight."""

import numpy as np
import pytest

from alakarte.data.merge import merge_rows


@pytest.mark.parametrize("n_columns", [1, 3, 20])
def test_merged_rows_are_sorted_distinct_and_keep_the_total(n_columns):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(200, n_columns)) * rng.choice([-0.0, 1.0], size=(200, 1))
    y, weight = rng.integers(0, 2, size=200).astype(float), rng.integers(0, 3, size=200).astype(float)
    merged_X, merged_y, merged_weight = merge_rows(X, y[:, None], weight)
    expected = np.unique(np.column_stack([X, y])[weight > 0], axis=0)
    np.testing.assert_array_equal(np.column_stack([merged_X, merged_y]), expected)
    assert merged_weight.sum() == weight.sum()
    assert merged_X.flags.c_contiguous
    assert not np.signbit(merged_X).any()


def test_rows_that_differ_in_the_last_columns_alone_are_told_apart():
    X = np.zeros((3, 30))
    X[:, -1] = [2.0, 1.0, 1.0]
    merged_X, _, weight = merge_rows(X, np.zeros((3, 1)), np.ones(3))
    np.testing.assert_array_equal(merged_X[:, -1], [1.0, 2.0])
    np.testing.assert_array_equal(weight, [2.0, 1.0])


def test_merged_rows_are_sorted_distinct_and_carry_all_weight():
    X = np.array([[2.0, 1.0], [0.0, -0.0], [2.0, 1.0], [0.0, 0.0], [2.0, 1.0]])
    y, weight = np.array([[1.0, 5.0, 1.0, 5.0, 2.0], [0.0, 0.0, 0.0, 0.0, 9.0]]).T, np.array([1.0, 2.0, 3.0, 4.0, 0.5])
    x, target, total = merge_rows(X, y, weight)
    assert np.array_equal(x, [[0, 0], [2, 1], [2, 1]])
    assert np.array_equal(target, [[5, 0], [1, 0], [2, 9]])
    assert np.array_equal(total, [6, 4, 0.5])
    assert merge_rows(X, y, np.array([0.0, 1, 0, 0, 0]))[0].shape == (1, 2)
