"""The nearest rows: brute force, ties by row number, and queries without company."""

import pickle

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.posteriors.neighbours import Neighbours, neighbours_among


def by_brute_force(points, queries, k):
    """Of equals the first row."""
    squares = ((queries[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    return np.argsort(squares, axis=1, kind="stable")[:, :k]


def table(n=600, d=3):
    return np.random.default_rng(0).standard_normal((n, d))


@pytest.mark.parametrize("k", [1, 7, 600, 900])
def test_nearest_rows_are_those_of_brute_force(k):
    points, queries = table(), table(40)
    assert np.array_equal(Neighbours(points, np.ones(3)).nearest(queries, k), by_brute_force(points, queries, k))


def test_ties_are_broken_by_row_number():
    points = np.random.default_rng(0).integers(0, 3, (500, 2)).astype(float)  # nine places
    got = Neighbours(points, np.ones(2)).nearest(points[:20], 30)
    assert np.array_equal(got, by_brute_force(points, points[:20], 30))


def test_a_query_does_not_depend_on_company_threads_or_pickling():
    near = Neighbours(table(3000), np.ones(3))
    queries = table(1500)
    whole = near.nearest(queries, 9)
    assert np.array_equal(near.nearest(queries, 9, n_jobs=2), whole)
    assert np.array_equal(
        np.vstack([near.nearest(queries[i : i + 1], 9) for i in (0, 700, 1499)]), whole[[0, 700, 1499]]
    )
    assert np.array_equal(pickle.loads(pickle.dumps(near)).nearest(queries, 9), whole)


def test_a_row_is_left_out_of_its_own_neighbours_unless_it_stands_for_several():
    points, picked = table(50), np.array([3, 20])
    near = Neighbours(points, np.ones(3))
    expected = by_brute_force(points, points[picked], 6)
    assert np.array_equal(near.nearest_others(picked, 5), expected[:, 1:])
    weight = np.ones(50)
    weight[20] = 2.0
    got = near.nearest_others(picked, 5, weight)
    assert np.array_equal(got[0], expected[0, 1:])
    assert np.array_equal(got[1], expected[1, :5])


def test_many_copies_of_a_row_leave_as_many_neighbours():
    near = Neighbours(np.zeros((30, 2)), np.ones(2)).nearest_others(np.array([29]), 4)
    assert np.array_equal(near, [[0, 1, 2, 3]])


def test_points_are_scaled_rows():
    x = table(20)
    rows = ArrayRows(x, np.zeros((20, 1)), np.ones(20))
    scale = np.array([1.0, 2.0, 0.5])
    near = neighbours_among(rows, scale)
    assert np.array_equal(near.points, x * scale)
    assert np.array_equal(near.same(x[4] * scale), [4])
