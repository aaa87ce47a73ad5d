"""Standardised columns have mean zero and deviation one."""

import numpy as np
import pytest

from problems import scaling_of


def test_standardised_columns_have_mean_zero_and_deviation_one():
    rng = np.random.default_rng(0)
    x, y, weight = rng.gamma(2, 3, (40, 3)) + 1e6, rng.standard_normal(40) * 1e-9, rng.integers(1, 4, 40).astype(float)
    x[:, 2] = 7.0
    y = np.column_stack([y, 5 * y + 3])
    scaling = scaling_of(x, y, weight)
    z, target = scaling.inputs(x), scaling.target(y)
    assert np.allclose(np.average(z, axis=0, weights=weight), 0, atol=1e-8)
    assert np.allclose(np.average(z[:, :2] ** 2, axis=0, weights=weight), 1, rtol=1e-8)
    assert (z[:, 2] == 0).all()
    assert np.average(target, axis=0, weights=weight) == pytest.approx([0, 0], abs=1e-6)
    assert np.average(target**2, axis=0, weights=weight) == pytest.approx([1, 1], rel=1e-6)
    assert scaling.log_evidence(10.0, 2.0) == pytest.approx(-10 - 2 * np.log(scaling.y_scale).sum())


def test_a_constant_target_keeps_its_scale():
    scaling = scaling_of(np.arange(5.0)[:, None], np.full(5, 3.0))
    assert (scaling.y_mean, scaling.y_scale) == (3.0, 1.0)


def test_several_targets_are_standardised_row_by_row_whatever_their_layout():
    """Else products with them would have other last digits."""
    y = np.random.default_rng(0).standard_normal((50, 3))
    scaling = scaling_of(y, y)
    for order in "CF":
        standardised = scaling.target(np.array(y, order=order))
        assert standardised.flags.c_contiguous
        assert np.array_equal(standardised, scaling.target(y))
