"""How near boxes are: the compiled loop beside its NumPy twin."""

import numpy as np

from alakarte.compiled import boxes, local_reference


def test_nearness_agrees_with_its_twin():
    rng = np.random.default_rng(0)
    low = rng.standard_normal((7, 3))
    corners, x = (low, low + rng.uniform(0, 1, (7, 3))), 2 * rng.standard_normal((40, 3))
    x[0], x[1] = corners[0][2], corners[1][5]  # corners belong to their box
    arguments = x, corners, rng.uniform(1, 9, 7), rng.uniform(0.2, 2, (4, 3)), np.array([0, 1, 3, 5])
    got = boxes.nearness(*arguments)
    assert np.isinf(got[:2]).all()
    assert np.isfinite(got).any()
    np.testing.assert_allclose(got, local_reference.nearness(*arguments), rtol=1e-12)
