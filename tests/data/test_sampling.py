"""The highest frequencies that places tell: lattices, gaps, irregular places, and decimals that were written down."""

import numpy as np
import pytest

from alakarte.data.sampling import sampling


def highest(x, is_number=True):
    x = np.asarray(x, dtype=float).reshape(len(x), -1)
    return sampling(x, np.broadcast_to(is_number, x.shape[1])).highest


def test_a_lattice_tells_up_to_half_a_wave_per_step():
    t = 0.25 * np.arange(100)
    assert highest(t) == pytest.approx(np.pi / 0.25)
    with_gaps = np.delete(t, [3, 4, 50, 51, 52, 77])
    assert highest(with_gaps) == pytest.approx(np.pi / 0.25)
    image = np.stack(np.meshgrid(np.arange(12.0), 2 * np.arange(9.0)), -1).reshape(-1, 2)
    assert np.allclose(highest(image), [np.pi, np.pi / 2])


def test_irregular_places_tell_more_than_as_many_regular_ones():
    t = np.sort(np.random.default_rng(0).uniform(0, 1, 300))
    assert highest(t) == pytest.approx(4 * np.pi * 300 / np.ptp(t))
    x = np.random.default_rng(1).uniform(0, 1, (400, 2))
    assert np.allclose(highest(x), 4 * np.pi * 20 / np.ptp(x, axis=0))


def test_recorded_decimals_and_repeated_places_do_not_stand_for_a_fine_lattice():
    rng = np.random.default_rng(2)
    rounded = np.unique(np.round(rng.uniform(0, 100, 80), 2))
    assert highest(rounded) == pytest.approx(np.pi * len(rounded) / np.ptp(rounded))
    ages = rng.choice([1.0, 3, 7, 14, 28, 56, 90, 91, 100, 120, 180, 270, 360, 365], 900)
    assert highest(ages) <= np.pi * 14 / 364 * 1.0001


def test_categories_and_constants_take_no_part():
    x = np.stack([np.arange(20.0), np.ones(20), np.arange(20) % 2], axis=1)
    assert (sampling(x, np.array([True, True, False])).takes_part == [True, False, False]).all()
