"""Kernels in closed form as compiled loops: their NumPy twins, an exponential to the last bit, rows without company."""

from itertools import product

import numpy as np
import pytest

from alakarte.compiled import closed, reference

DOF = (0, 1, 3, 5)
SIZES = [(1, 1, 1, 1), (3, 7, 2, 1), (17, 5, 3, 2), (2, 130, 9, 3)]  # rows, other rows, inputs, components


def arguments(n, m, d, q, centred):
    """Of `kernel_rows` but for the profile; two of the rows coincide with others."""
    rng = np.random.default_rng([n, m, d, q])
    x, other = rng.standard_normal((n, d)), rng.standard_normal((m, d))
    other[: min(n, m, 2)] = x[: min(n, m, 2)]
    centre = rng.standard_normal((q, d)) if centred else None
    return (x, other), (rng.uniform(0.5, 2, q), rng.uniform(0.2, 2, (q, d)), centre)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_small_kernels_and_pullbacks_agree_with_their_twins(size):
    for dof, centred in product(DOF, (False, True)):
        rows, components = arguments(*size, centred)
        expected = reference.kernel_rows(*rows, dof, *components)
        got = closed.kernel_rows(*rows, dof, *components)
        assert np.abs(got - expected).max() < 1e-14 * np.abs(expected).max(), (dof, centred)
        bar = np.random.default_rng(0).standard_normal(expected.shape)
        expected = reference.kernel_rows_pullback(*rows, dof, *components, bar)
        got = closed.kernel_rows_pullback(*rows, dof, *components, bar)
        assert got.shape == (size[3], 1 + 2 * size[2])
        assert np.abs(got - expected).max() < 1e-12 * max(np.abs(expected).max(), 1e-3), (dof, centred)


def test_small_exponential_is_that_of_numpy():
    x = np.concatenate([-np.geomspace(1e-300, 700, 3001), [0.0, -0.0]])
    got = np.array([closed._exp(value) for value in x])
    assert np.abs(got / np.exp(x) - 1).max() < 3e-16
    assert closed._exp(0.0) == 1.0
    assert 0 <= closed._exp(-1e300) < 1e-300
    assert 0 <= closed._exp(-np.inf) < 1e-300


def test_a_row_does_not_depend_on_its_company():
    rows, components = arguments(40, 130, 5, 3, True)
    x, other = rows
    for dof in DOF:
        whole = closed.kernel_rows(x, other, dof, *components)
        for part in (slice(0, 1), slice(3, 20), slice(39, 40)):
            assert np.array_equal(closed.kernel_rows(x[part], other, dof, *components), whole[part])


def test_any_memory_layout_serves():
    (x, other), components = arguments(9, 12, 4, 2, True)
    expected = closed.kernel_rows(x, other, 3, *components)
    strided = np.repeat(x, 2, axis=0)[::2], np.asfortranarray(other)
    assert np.array_equal(closed.kernel_rows(*strided, 3, *components), expected)
    bar = np.asfortranarray(expected)
    sums = closed.kernel_rows_pullback(x, other, 3, *components, expected)
    assert np.array_equal(closed.kernel_rows_pullback(*strided, 3, *components, bar), sums)
