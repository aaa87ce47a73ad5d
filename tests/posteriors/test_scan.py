"""Neighbours by a look at all points: those of brute force, in parts, with ties, without company."""

import pickle

import numpy as np
import pytest

import alakarte.posteriors.scan as scan
from alakarte.posteriors.neighbours import Neighbours


def by_brute_force(points, queries, k):
    """Of equals the first row."""
    squares = np.array([((points - query) ** 2).sum(axis=1) for query in queries])
    return np.argsort(squares, axis=1, kind="stable")[:, :k]


def table(n, seed=0, d=70):
    return np.random.default_rng(seed).standard_normal((n, d))


@pytest.mark.parametrize("k", [1, 9, 300, 400])
def test_nearest_rows_are_those_of_brute_force_and_of_the_tree(k, monkeypatch):
    monkeypatch.setattr(scan, "_POINT_ROWS", 64)
    points, queries = table(300), table(130, 1)
    got = Neighbours(points, np.ones(70), scanned=True).nearest(queries, k)
    assert np.array_equal(got, by_brute_force(points, queries, min(k, 300)))
    assert np.array_equal(got, Neighbours(points, np.ones(70)).nearest(queries, k))


def test_ties_are_broken_by_row_number(monkeypatch):
    monkeypatch.setattr(scan, "_POINT_ROWS", 100)
    points = np.random.default_rng(0).integers(0, 3, (500, 2)).astype(float)  # nine places
    got = Neighbours(points, np.ones(2), scanned=True).nearest(points[:20], 80)
    assert np.array_equal(got, by_brute_force(points, points[:20], 80))


def test_distances_that_products_round_away():
    points = 1234.5 + 1e-6 * table(500, d=3)
    got = Neighbours(points, np.ones(3), scanned=True).nearest(points[:20], 9)
    assert np.array_equal(got, by_brute_force(points, points[:20], 9))


def test_a_query_does_not_depend_on_company_threads_or_pickling():
    near, queries = Neighbours(table(2000), np.ones(70), scanned=True), table(700, 1)
    whole = near.nearest(queries, 9)
    assert np.array_equal(near.nearest(queries, 9, n_jobs=2), whole)
    assert np.array_equal(near.nearest(queries[600:601], 9), whole[600:601])
    assert pickle.loads(pickle.dumps(near)).scanned
    assert near.nearest(queries[:0], 9).shape == (0, 9)
    others = near.nearest_others(np.array([5, 77]), 4)
    assert np.array_equal(others, by_brute_force(near.points, near.points[[5, 77]], 5)[:, 1:])
