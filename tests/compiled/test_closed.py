"""Kernels in closed form as compiled loops: their NumPy twins, and rows without company."""

from itertools import product

import numpy as np
import pytest

from alakarte.compiled import closed, reference
from alakarte.compiled.layout import prepare, table_scale

DOF = (0, 1, 3, 5)
SIZES = [(1, 1, 1, 1), (3, 7, 2, 1), (17, 5, 3, 2), (2, 130, 9, 3)]  # rows, other rows, inputs, components


def arguments(n, m, d, q, centred):
    """Of `kernel_rows` but for the profile; two of the rows coincide with others."""
    rng = np.random.default_rng([n, m, d, q])
    x, other = rng.standard_normal((n, d)), rng.standard_normal((m, d))
    other[: min(n, m, 2)] = x[: min(n, m, 2)]
    centre = rng.standard_normal((q, d)) if centred else None
    return (x, other), (rng.uniform(0.5, 2, q), rng.uniform(0.2, 2, (q, d)), centre)


def kernel_rows(x, other, dof, variance, scale, centre):
    """Of the compiled loops, with the arguments of their twin."""
    return closed.kernel_rows(prepare(x, centre), prepare(other, centre), dof, variance, scale)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_small_kernels_agree_with_their_twins(size):
    for dof, centred in product(DOF, (False, True)):
        rows, components = arguments(*size, centred)
        expected = reference.kernel_rows(*rows, dof, *components)
        got = kernel_rows(*rows, dof, *components)
        assert np.abs(got - expected).max() < 1e-14 * np.abs(expected).max(), (dof, centred)


def parts(n):
    return [(0, n), (0, n // 2), (n // 3, n)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_small_triangles_and_their_pullbacks_agree_with_their_twins(size):
    n, d, q = size[1], *size[2:]
    rng = np.random.default_rng(0)
    for dof, centred, part in product(DOF, (False, True), parts(n)):
        (_, x), (variance, scale, centre) = arguments(*size, centred)
        x[-1], root = x[0], rng.uniform(0.5, 2, n)
        table = prepare(x, centre)
        expected = reference.gram_rows(x, root, dof, variance, scale, centre, part)
        got = np.zeros((n, n))
        closed.gram_rows(table, root, dof, variance, scale, part, got)
        assert np.abs(got - expected).max() <= 1e-14 * np.abs(expected).max(), (dof, centred)
        solved = rng.standard_normal((n, n)), rng.standard_normal((2, n))
        expected = reference.gram_rows_pullback(x, root, dof, variance, scale, centre, part, *solved)
        got = closed.gram_rows_pullback(table, root, dof, variance, scale, part, *solved)
        assert got.shape == (q, 1 + 2 * d)
        assert np.abs(got - expected).max() < 1e-12 * max(np.abs(expected).max(), 1e-3), (dof, centred)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_inputs_that_are_mapped_agree_with_their_twins(size):
    n, d, q = size[1], *size[2:]
    rng = np.random.default_rng(1)
    for dof, part in product(DOF, parts(n)):
        (other, x), (variance, _, centre) = arguments(*size, True)
        maps, root = rng.standard_normal((q, d, d)), rng.uniform(0.5, 2, n)
        table, components = prepare(x, centre, maps), (variance, table_scale(None, maps))
        one = np.ones(d)
        expected = sum(
            reference.kernel_rows(other @ A.T, x @ A.T, dof, variance[i : i + 1], one[None], None)
            * np.cos((other @ centre[i])[:, None] - x @ centre[i])
            for i, A in enumerate(maps)
        )
        got = closed.kernel_rows(prepare(other, centre, maps), table, dof, *components)
        assert np.abs(got - expected).max() < 1e-13 * np.abs(expected).max(), dof
        solved = rng.standard_normal((n, n)), rng.standard_normal((2, n))
        bar = reference.pair_bar(root, part, *solved)
        sums, moved = closed.mapped_gram_rows_pullback(table, root, dof, *components, part, *solved)
        for i, A in enumerate(maps):
            of_sums, of_rows = reference.mapped_pullback(x, bar, dof, variance[i], A, centre[i])
            assert np.allclose(np.append(sums[i, 0], sums[i, -d:]), of_sums, rtol=1e-10, atol=1e-10), dof
            assert np.allclose(moved[i * d : (i + 1) * d], of_rows, rtol=1e-10, atol=1e-10), dof


def test_a_row_does_not_depend_on_its_company():
    rows, components = arguments(40, 130, 5, 3, True)
    x, other = rows
    for dof in DOF:
        whole = kernel_rows(x, other, dof, *components)
        for part in (slice(0, 1), slice(3, 20), slice(39, 40)):
            assert np.array_equal(kernel_rows(x[part], other, dof, *components), whole[part])


def test_any_memory_layout_serves():
    (x, other), components = arguments(9, 12, 4, 2, True)
    expected = kernel_rows(x, other, 3, *components)
    strided = np.repeat(x, 2, axis=0)[::2], np.asfortranarray(other)
    assert np.array_equal(kernel_rows(*strided, 3, *components), expected)
    prepared, again = (prepare(rows, components[2]) for rows in (x, strided[0]))
    assert np.array_equal(prepared.rows, again.rows)
    assert np.array_equal(prepared.columns, again.columns)


def test_no_loop_is_compiled_twice():
    """One profile for all components or one for each: the first fit would wait for both."""
    (x, _), (variance, scale, centre) = arguments(3, 7, 2, 1, False)
    table, out, solved = prepare(x, centre), np.zeros((3, 3)), (np.ones((3, 3)), np.ones((1, 3)))
    for dof in (3, np.array([3])):
        closed.kernel_rows(table, table, dof, variance, scale)
        closed.gram_rows(table, np.ones(3), dof, variance, scale, (0, 3), out)
        closed.gram_rows_pullback(table, np.ones(3), dof, variance, scale, (0, 3), *solved)
    loops = (closed._kernel_rows, closed._gram_rows, closed._gram_rows_pullback)
    assert [len(getattr(loop, "signatures", [()])) for loop in loops] == [1, 1, 1]
