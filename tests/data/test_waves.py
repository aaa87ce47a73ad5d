"""Lines are gathered into bands; periods that are given come first."""

import numpy as np

from alakarte.data.rows import Block
from alakarte.data.waves import find_waves, given_waves

NUMBER = np.array([True])


def block_of(y, t):
    return Block(((t - t.mean()) / t.std())[:, None], ((y - y.mean()) / y.std())[:, None], np.ones(len(t)))


def test_near_lines_are_one_band_as_wide_as_they_are_apart():
    t = np.arange(600.0)
    rng = np.random.default_rng(0)
    beat = np.sin(2 * np.pi * 60 * t / 600) + 0.6 * np.sin(2 * np.pi * 62 * t / 600)
    y = beat + 0.5 * np.sin(2 * np.pi * 150 * t / 600) + 0.2 * rng.standard_normal(600)
    block = block_of(y, t)
    waves = find_waves(block, NUMBER, (6, 32), rng)
    assert waves.centre.shape == (2, 1)
    assert len(waves.lines) == 3
    cycle = 2 * np.pi / np.ptp(block.x)
    assert abs(waves.centre[0, 0] / cycle - 60.5) < 1
    assert abs(waves.centre[1, 0] / cycle - 150) < 0.5
    assert waves.lengthscale[0, 0] < waves.lengthscale[1, 0]
    assert np.isclose(waves.lengthscale[1, 0], 2 * np.ptp(block.x))
    assert find_waves(block, NUMBER, (1, 32), rng).centre.shape == (1, 1)


def test_given_periods_come_before_those_that_were_found():
    t = np.arange(300.0)
    rng = np.random.default_rng(1)
    block = block_of(np.sin(2 * np.pi * t / 12) + 0.5 * np.sin(2 * np.pi * t / 31) + 0.2 * rng.standard_normal(300), t)
    found = find_waves(block, NUMBER, (6, 32), rng)
    given = np.array([[2 * np.pi / 31 * t.std()]])
    waves = given_waves(block, NUMBER, given, found)
    assert len(waves.centre) == 2
    assert waves.centre[0] == given[0]
    assert np.isclose(waves.centre[1], 2 * np.pi / 12 * t.std(), rtol=1e-2)
    alone = given_waves(block, NUMBER, given, None)
    assert alone.centre.shape == alone.lengthscale.shape == (1, 1)
    assert alone.variance.shape == (1,)
