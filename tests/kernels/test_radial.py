"""Radii of a piecewise linear density: one knot is the hat, the ends stay inside."""

import numpy as np
import pytest

from alakarte.kernels.radial import hat_quantile, knot_radii, knot_radii_pullback

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def test_one_knot_is_the_hat():
    """K = 1 with two equal gaps: both roads to the same radii."""
    u = (np.arange(20) + 0.5) / 20
    assert np.abs(knot_radii(u, np.array([0.7, 0.7]), np.array([3.0])) - 0.7 * hat_quantile(u)).max() < 1e-14


@pytest.mark.parametrize("ends", [(0.0, 1e-9), (1 - 1e-9, 1 - 1e-16)])
def test_radii_at_the_ends_of_the_density_stay_inside_it(ends):
    gaps, weights = np.array([0.5, 1.0, 0.25]), np.array([2.0, 0.5])
    radii = knot_radii(np.linspace(*ends, 5), gaps, weights)
    bars = knot_radii_pullback(np.linspace(*ends, 5), gaps, weights, np.ones(5))
    assert (radii >= 0).all()
    assert (radii <= gaps.sum() * (1 + 1e-12)).all()
    assert all(np.isfinite(bar).all() for bar in bars)
