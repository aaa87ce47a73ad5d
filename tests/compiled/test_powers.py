"""Factors that are squares of others: compiled loops beside their NumPy twins."""

import numpy as np
import pytest

from alakarte.compiled import powers, reference


@pytest.mark.parametrize(("rows", "n", "n_weights", "n_powers"), [(1, 1, 1, 1), (3, 70, 2, 9), (5, 64, 1, 20)])
def test_sums_agree_with_their_twins(rows, n, n_weights, n_powers):
    rng = np.random.default_rng(rows)
    r2 = rng.uniform(0, 30, (rows, n))
    r2[0, 0] = np.inf
    r2[-1, -1] = 0.0
    weights, start = rng.standard_normal((rows, n_weights)), rng.standard_normal((n_powers, n_weights, n))
    got, expected = start.copy(), start.copy()
    wanted_powers = rng.integers(0, n_powers + 1, rows)
    powers.sums_of_powers(r2, 0.003, wanted_powers, weights, got)
    reference.sums_of_powers(r2, 0.003, wanted_powers, weights, expected)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11)
    total, wanted = np.ones((rows, n_weights, n)), np.ones((rows, n_weights, n))
    powers.powers_dot(r2, 0.003, start, total)
    reference.powers_dot(r2, 0.003, start, wanted)
    np.testing.assert_allclose(total, wanted, rtol=0, atol=1e-10)
