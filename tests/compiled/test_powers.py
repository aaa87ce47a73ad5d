"""Factors that are squares of others: compiled loops beside their NumPy twins."""

import numpy as np
import pytest

from alakarte.compiled import powers
from alakarte.compiled import powers_reference as reference


@pytest.mark.parametrize(("rows", "n", "n_weights", "n_powers"), [(1, 1, 1, 2), (3, 70, 2, 10), (5, 64, 1, 20)])
def test_sums_agree_with_their_twins(rows, n, n_weights, n_powers):
    rng = np.random.default_rng(rows)
    r2 = rng.uniform(0, 30, (rows, n))
    r2[0, 0] = np.inf
    r2[-1, -1] = 0.0
    weights, start = rng.standard_normal((rows, n_weights)), rng.standard_normal((n_powers, n_weights, n))
    got, expected = start.copy(), start.copy()
    wanted_powers = np.repeat(2 * rng.integers(0, n_powers // 2 + 1, -(-rows // 2)), 2)[:rows]  # two rows together
    powers.sums_of_powers(r2, 0.003, wanted_powers, weights, got)
    reference.sums_of_powers(r2, 0.003, wanted_powers, weights, expected)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11)
    total, wanted = np.ones((rows, n_weights, n)), np.ones((rows, n_weights, n))
    powers.powers_dot(r2, 0.003, start, total)
    reference.powers_dot(r2, 0.003, start, wanted)
    np.testing.assert_allclose(total, wanted, rtol=0, atol=1e-10)


def test_distances_and_near_pairs_agree_with_their_twins():
    rng = np.random.default_rng(0)
    rows, columns = rng.standard_normal((5, 3)), rng.standard_normal((3, 70))
    columns[:, 2] = rows[1]
    r2 = np.empty((2, 5, 70))
    powers.distances(rows, columns, r2[0])
    reference.distances(rows, columns, r2[1])
    np.testing.assert_allclose(*r2, rtol=1e-13)
    places, least = np.zeros((2, 2, r2[0].size), dtype=np.int64), np.empty((2, 5))
    r2[1] = r2[0]
    counts = [loops.take_near(r2[k], 0.4, *places[k], least[k]) for k, loops in enumerate((powers, reference))]
    assert counts[0] == counts[1] > 1
    np.testing.assert_array_equal(*places)
    np.testing.assert_array_equal(*r2)
    np.testing.assert_array_equal(*least)
