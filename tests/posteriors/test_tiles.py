"""Tiles: results of any number of rows, the same for each of them."""

import numpy as np

from alakarte.posteriors.tiles import PAD, by_tiles, padded, padded_rows, whiten


def test_any_number_of_rows_and_threads_gives_what_the_function_gives():
    for n in (0, 1, 5, 8, 23):
        x = np.arange(2.0 * n).reshape(n, 2)
        for n_jobs in (1, 3):
            got = by_tiles(lambda tile, scratch: tile.sum(axis=1, keepdims=True), x, 8, n_jobs)
            assert np.array_equal(got, x.sum(axis=1, keepdims=True))


def test_a_padded_factor_solves_as_the_factor_does():
    rng = np.random.default_rng(0)
    for k in (1, PAD - 1, PAD, PAD + 3):
        factor = np.tril(rng.standard_normal((k, k))) + k * np.eye(k)
        psi = rng.standard_normal((5, k))
        whitened = whiten(padded(factor), psi)
        assert len(whitened) % PAD == 0
        assert np.allclose(whitened[:k], np.linalg.solve(factor, psi.T))
        assert not whitened[k:].any()
        assert padded_rows(psi.T).shape == (len(whitened), 5)
