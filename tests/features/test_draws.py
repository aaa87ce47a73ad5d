"""Random draws are what they say, and those of a component stay with it."""

import numpy as np
import pytest

from alakarte.features.draws import draw
from alakarte.features.feature_map import feature_map
from alakarte.records import Shape
from problems import problem, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.mark.parametrize("expansion", ["fastfood", "dense"])
@pytest.mark.parametrize("name", ["gm", "pwl"])
def test_components_that_are_left_keep_their_frequencies(name, expansion):
    made, theta = problem(name, shape=(5, 3, 11), expansion=expansion)
    keep = np.array([True, False, True])
    fewer = made.draws.of_components(keep)
    values = values_at(made, theta)
    left = {key: value[keep] if np.shape(value)[:1] == (3,) else value for key, value in values.items()}
    x = made.rows.x[:4]
    for transform in ("matrix", "fast"):
        all_columns = feature_map(made.kernel.spectrum(values, made.draws), made.draws, transform).phi(x)
        columns = feature_map(made.kernel.spectrum(left, fewer), fewer, transform).phi(x)
        mine = np.tile(keep[made.draws.shape.component], columns.shape[1] // 22)
        assert np.allclose(columns, all_columns[:, mine], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [Shape(3, (8, 1, 5)), Shape(90, (8,)), Shape(1, (3, 2))], ids=str)
def test_draws_are_what_they_say(shape):
    draws = draw(shape, "fastfood", np.random.default_rng(0))
    stacks, p = draws.stacks, shape.n_padded
    assert set(np.unique(stacks.signs)) <= {-1.0, 1.0}
    assert (np.sort(stacks.permutation, axis=1) == np.arange(p)).all()
    assert (np.diff(stacks.position) > 0).all()
    assert np.array_equal(shape.stack_component[stacks.position // p], shape.component)
    for q, m in enumerate(shape.counts):  # one point in every stratum
        points = np.sort(draws.points[shape.component == q])
        assert np.array_equal(np.floor(points * m), np.arange(m))
    dense = draw(shape, "dense", np.random.default_rng(0))
    assert np.allclose(np.linalg.norm(dense.directions, axis=0), 1)
    assert (dense.lengths == 1).all()
