"""Solves after the moments are known: the NumPy twin."""

import numpy as np
import pytest

from alakarte.compiled import local, local_reference, votes
from alakarte.compiled.layout import LocalBlock, LocalKernel


@pytest.mark.parametrize(("n_queries", "k", "n_targets"), [(1, 1, 1), (3, 8, 1), (2, 23, 2)])
def test_whitening_is_a_solve_with_the_factor(n_queries, k, n_targets):
    rng = np.random.default_rng(k)
    x, query = rng.standard_normal((n_queries, k, 3)), rng.standard_normal((n_queries, 3))
    block = LocalBlock(query, x, rng.standard_normal((n_queries, k, n_targets)), np.full((n_queries, k), 0.1))
    kernel = LocalKernel(np.array([1]), np.ones(1), np.ones((1, 3)), np.empty((0, 0)))
    factors = local.moments(block, kernel)[0]
    before, z = factors.copy(), rng.standard_normal((n_queries, k))
    votes.whiten(factors, z)
    assert np.abs(factors[:, :, -1] - local_reference.whiten(before, z)).max() < 1e-12
    assert np.array_equal(factors[:, :, :-1], before[:, :, :-1], equal_nan=True)
