"""Pieces of a table: cut by its size, added in order."""

import numpy as np

from alakarte.data.pieces import over_pieces, piece_edges, sum_of_weights


def test_pieces_cover_the_table():
    for n in (1, 1000, 5000, 10**6):
        edges = piece_edges(n)
        assert edges[0] == 0
        assert edges[-1] == n
        assert (np.diff(edges) > 0).all()
    x, weight = np.arange(3000.0)[:, None], np.ones(3000)
    parts = over_pieces(x, weight, lambda values, w, power: (values**power).sum(), 2)
    assert len(parts) == len(piece_edges(3000)) - 1
    assert np.isclose(sum(parts), (x**2).sum())


def test_weights_are_added_piece_by_piece():
    weight = np.random.default_rng(0).uniform(size=5000)
    assert np.isclose(sum_of_weights(weight), weight.sum(), rtol=1e-14)
    assert sum_of_weights(np.broadcast_to(np.float64(1), 10**7)) == 10**7
