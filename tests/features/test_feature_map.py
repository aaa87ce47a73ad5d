"""Columns of components that differ in size."""

import numpy as np
import pytest

from alakarte.features.draws import draw
from alakarte.features.feature_map import FeaturesBar, feature_map, spectrum_bar
from alakarte.records import Shape, Spectrum

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.mark.parametrize("counts", [(8,), (3, 5), (1, 16, 2)])
def test_components_of_different_sizes_share_one_axis(counts):
    """Nothing assumes that all components have the same number of frequencies."""
    shape = Shape(3, counts)
    rng = np.random.default_rng(0)
    draws = draw(shape, "fastfood", rng)
    q, size = len(counts), sum(counts)
    spectrum = Spectrum(
        rng.standard_normal(q), rng.uniform(0.5, 2, (q, 3)), rng.uniform(1, 2, size), rng.normal(size=(q, 3))
    )
    x = rng.standard_normal((5, 3))
    fast, dense = (feature_map(spectrum, draws, transform) for transform in ("fast", "matrix"))
    assert np.abs(fast.phi(x) - dense.phi(x)).max() < 1e-12
    variance = spectrum.weight_variance(shape)
    assert np.allclose((fast.phi(x) ** 2) @ variance, np.exp(2 * spectrum.log_amplitude).sum(), rtol=1e-13)
    u = rng.standard_normal(fast.phi(x).shape)
    bar = FeaturesBar(u, np.zeros((5, 1)), np.zeros((variance.size, 1)), np.ones(5))
    bars = [
        spectrum_bar(features, features.pullback(x, fast.phi(x), bar), np.zeros(q), spectrum, draws)
        for features in (fast, dense)
    ]
    for name in ("input_scale", "radii", "centre"):
        assert (
            np.abs(getattr(bars[0], name) - getattr(bars[1], name)).max() < 1e-12 * np.abs(getattr(bars[0], name)).max()
        )
