"""Inputs along few directions: those of most variance, weights, coordinates without company, inputs that never vary."""

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.data.directions import Directions, leading_directions
from alakarte.data.rows import Block


def block(n=200, d=12, seed=0):
    rng = np.random.default_rng(seed)
    return Block(rng.standard_normal((n, d)) * 2.0 ** -np.arange(d), np.zeros((n, 1)), np.ones(n))


@pytest.mark.parametrize("n", [200, 8])
def test_coordinates_are_principal_components_of_mean_variance_one(n):
    some, unit = block(n), np.linspace(1, 2, 12)
    directions, scale = leading_directions(some, unit, 4)
    centred = (some.x - some.x.mean(axis=0)) * unit
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    expected = (u * s)[:, :4] * scale
    got = directions.along(some.x - some.x.mean(axis=0))
    assert np.abs(got) == pytest.approx(np.abs(expected), abs=1e-9)
    assert (got**2).mean() == pytest.approx(1)


def test_all_directions_keep_distances():
    some, unit = block(), np.linspace(1, 2, 12)
    directions, scale = leading_directions(some, unit, 64)
    got = directions.along(some.x)
    assert got.shape == (200, 12)
    apart = np.linalg.norm((some.x[3] - some.x[7]) * unit) * scale
    assert np.linalg.norm(got[3] - got[7]) == pytest.approx(apart)


def test_a_weight_of_two_is_the_row_given_twice():
    some = block()
    twice = Block(np.vstack([some.x, some.x[:50]]), np.zeros((250, 1)), np.ones(250))
    weighted = Block(some.x, some.y, np.where(np.arange(200) < 50, 2.0, 1.0))
    first, second = (leading_directions(each, np.ones(12), 3)[0].along(some.x) for each in (twice, weighted))
    assert np.abs(first) == pytest.approx(np.abs(second))


def test_a_row_has_the_same_coordinates_in_any_company():
    directions = Directions(np.random.default_rng(1).standard_normal((300, 64)))
    x = np.random.default_rng(2).standard_normal((1000, 300))
    whole = directions.along(x)
    for part in (slice(0, 1), slice(513, 514), slice(37, 960), slice(999, 1000)):
        assert np.array_equal(directions.along(x[part]), whole[part])
    rows = ArrayRows(x, np.zeros((1000, 1)), np.ones(1000), block_rows=77)
    assert np.array_equal(directions.rows(rows, n_jobs=2).x, whole)


def test_where_nothing_varies_there_are_no_directions():
    some = Block(np.zeros((9, 5)), np.zeros((9, 1)), np.ones(9))
    directions, scale = leading_directions(some, np.ones(5), 3)
    assert directions.n_directions == 0
    assert scale == 1
    live = Block(np.arange(9.0)[:, None] * np.array([0.0, 1.0, 0.0]), np.zeros((9, 1)), np.ones(9))
    assert leading_directions(live, np.ones(3), 3)[0].n_directions == 1
