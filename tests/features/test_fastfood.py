"""The fast transform is the matrix that it stands for."""

import numpy as np
import pytest

from alakarte.features.fastfood import fast_transform
from alakarte.features.feature_map import feature_map
from problems import SHAPES, explicit_frequencies, phases, problem, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_transform_as_a_matrix_is_what_it_does_to_unit_vectors(shape):
    made, theta = problem("fsgbard", shape)
    transform = fast_transform(made.kernel.spectrum(values_at(made, theta), made.draws), made.draws)
    unit, size = np.eye(made.draws.shape.n_inputs), made.draws.shape.n_frequencies
    np.testing.assert_allclose(transform.matrix(), phases(transform, size, unit), rtol=0, atol=1e-12)
    bar = np.random.default_rng(0).standard_normal((len(unit), size))
    for mine, theirs in zip(transform.matrix_pullback(bar), transform.pullback(unit, bar), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-11)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_transform_and_matrix_give_the_same_phases(shape):
    made, theta = problem("fsgbard", shape)
    spectrum = made.kernel.spectrum(values_at(made, theta), made.draws)
    expected = made.rows.x @ explicit_frequencies(spectrum, made.draws).T
    for transform in ("fast", "matrix"):
        projection = feature_map(spectrum, made.draws, transform).projection
        got = phases(projection, made.draws.shape.n_frequencies, made.rows.x)
        assert np.abs(got - expected).max() < 1e-13 * np.abs(expected).max() * shape[0]
