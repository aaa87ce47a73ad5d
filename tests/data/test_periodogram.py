"""The fast transform of places that lie anywhere, beside plain sums."""

import numpy as np

from alakarte.data.periodogram import Spread, grid_of


def spread_of(x, highest):
    grid = grid_of(np.ptp(x, axis=0), np.asarray(highest, dtype=float))
    return Spread(grid, *grid.laid(x))


def test_the_power_is_that_of_plain_sums():
    rng = np.random.default_rng(0)
    for d, highest in ((1, [200.0]), (2, [30.0, 20.0]), (3, [9.0, 12.0, 7.0])):
        x, r = rng.uniform(-1.7, 1.7, (200, d)), rng.standard_normal((200, 2))
        spread = spread_of(x, highest)
        power = spread.power(r)
        cells = rng.integers(0, power.size, 100)
        w = spread.frequencies(cells)
        assert (np.abs(w) <= 1.2 * np.asarray(highest)).all()
        plain = (np.abs(np.exp(-1j * x @ w.T).T @ r) ** 2).sum(axis=1)
        assert np.abs(power.flat[cells] - plain).max() < 1e-3 * plain.mean()


def test_peaks_are_the_strongest_waves_apart_from_each_other():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (600, 2))
    y = np.cos(x @ [20.0, -11.0]) + 0.8 * np.sin(x @ [-6.0, 25.0])
    spread = spread_of(x, [40.0, 40.0])
    peaks = spread.peaks(spread.power(y[:, None]), 2, 0.3)
    peaks *= np.sign(peaks[:, :1] * [[20.0], [-6.0]])
    assert np.allclose(peaks, [[20, -11], [-6, 25]], atol=1.6)  # half a cell
