"""A product with a matrix pulls back as the transform does."""

import numpy as np
import pytest

from alakarte.features.dense import matrix_product
from alakarte.features.fastfood import fast_transform
from problems import SHAPES, problem, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_matrix_and_transform_pull_back_alike(shape):
    made, theta = problem("fsgbard", shape)
    spectrum, x = made.kernel.spectrum(values_at(made, theta), made.draws), made.rows.x
    u = np.random.default_rng(0).standard_normal((len(x), made.draws.shape.n_frequencies))
    fast, dense = (
        projection.spectrum_pullback(list(projection.pullback(x, u)), spectrum, made.draws)
        for projection in (fast_transform(spectrum, made.draws), matrix_product(spectrum, made.draws))
    )
    assert set(fast) == set(dense)
    for name in fast:
        live = slice(None), slice(None, shape[0] if name == "signs" else None)  # signs of padded inputs meet zeros
        left, right = (np.atleast_2d(bars[name])[live] for bars in (fast, dense))
        assert np.abs(left - right).max() < 1e-12 * np.abs(left).max(), name
