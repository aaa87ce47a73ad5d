"""Profiles as compiled loops: their NumPy twin, and an exponential to the last bit."""

import numpy as np

from alakarte.compiled import reference
from alakarte.compiled.profiles import exponential, profile, profile_and_slope


def test_small_profiles_agree_with_their_twin():
    r2 = np.concatenate([[0.0], np.geomspace(1e-12, 1e4, 57)])
    for dof in (0, 1, 3, 5):
        expected = reference.profile(r2, dof)
        g, again, slope = np.empty((3, r2.size))
        profile(r2, dof, g)
        profile_and_slope(r2, dof, again, slope)
        assert np.array_equal(g, again)
        np.testing.assert_allclose(g, expected[0], rtol=1e-14, atol=1e-300)
        np.testing.assert_allclose(slope, expected[1], rtol=1e-13, atol=1e-300)


def test_small_exponential_is_that_of_numpy():
    x = np.concatenate([-np.geomspace(1e-300, 700, 3001), [0.0, -0.0]])
    got = np.array([exponential(value) for value in x])
    assert np.abs(got / np.exp(x) - 1).max() < 3e-16
    assert exponential(0.0) == 1.0
    assert 0 <= exponential(-1e300) < 1e-300
    assert 0 <= exponential(-np.inf) < 1e-300
