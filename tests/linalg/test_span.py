"""Rows in few directions: a product that gives them again, to half of the digits."""

import numpy as np
import pytest

from alakarte.linalg.span import spanned

CURVE = np.exp(-np.linspace(0, 1, 60)[:, None] * np.linspace(0, 3, 500))


@pytest.mark.parametrize(
    ("rows", "most"),
    [
        (CURVE, 20),
        (1e-100 * CURVE, 20),
        (np.random.default_rng(0).standard_normal((7, 9)), 7),
        (np.random.default_rng(0).standard_normal((9, 4)), 4),
        (np.zeros((3, 5)), 0),
        (np.ones((0, 5)), 0),
    ],
)
def test_the_product_is_the_rows(rows, most):
    combinations, directions = spanned(rows)
    assert len(directions) <= most
    length = np.linalg.norm(rows, axis=1).max(initial=0.0)
    np.testing.assert_allclose(combinations @ directions, rows, rtol=0, atol=3e-7 * length)
