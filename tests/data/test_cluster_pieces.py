"""A table in pieces: columns of it, and other targets and weights, as of the same arrays."""

import numpy as np
import pytest

from alakarte.data.cluster_pieces import ClusterColumns, Pieces
from alakarte.data.pieces import sum_over_pieces
from alakarte.errors import InvalidInput

RNG = np.random.default_rng(0)
X, Y, WEIGHT = RNG.standard_normal((30, 4)), RNG.standard_normal((30, 2)), RNG.uniform(1, 2, 30)


class Here:
    """A cluster whose values are where they are asked for."""

    def run(self, function, calls, shared=None, said=""):
        return [function(shared, *arguments) for arguments in calls]

    def submit(self, function, *arguments):
        return function(*arguments)

    def submit_shared(self, value):
        return value


def pieces():
    edges = np.array([0, 11, 30])
    cut = tuple((X[low:high], Y[low:high], WEIGHT[low:high]) for low, high in ((0, 11), (11, 30)))
    return Pieces(Here(), cut, edges, 2)


def weighted(values, weight):
    return (values * weight[:, None]).sum(axis=0)


def test_columns_are_those_of_the_table():
    for part, table in ((0, X), (1, Y)):
        columns = ClusterColumns(pieces(), part)
        assert len(columns) == 30
        for picked in (slice(0, 1), slice(1, 2), slice(0, 2)):
            expected = weighted(X[:11, picked] if part == 0 else Y[:11, picked], WEIGHT[:11])
            expected = expected + weighted(table[11:, picked], WEIGHT[11:])
            assert np.array_equal(sum_over_pieces(columns[:, picked], None, weighted), expected)
    with pytest.raises(AssertionError):
        columns[3:, 0:1]


def other(x, y, weight, factor):
    if factor < 0:
        raise InvalidInput("no")
    return x[:, :2] * factor, weight * factor


def test_other_targets_and_weights_of_the_same_inputs():
    changed = pieces().changed(other, 3.0)
    x, y, weight = changed.take(np.arange(30))
    assert np.array_equal(x, X)
    assert np.array_equal(y, 3 * X[:, :2])
    assert np.array_equal(weight, 3 * WEIGHT)
    assert np.array_equal(pieces().targets()[0], Y)  # as they were
