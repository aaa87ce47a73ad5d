"""Factors solve, invert and have determinants; where there is none, the error says so."""

import numpy as np
import pytest

from alakarte.errors import IllConditioned
from alakarte.linalg.blas import times_symmetric
from alakarte.linalg.factorise import cholesky, inverse, log_determinant, mirror, solve, solve_lower, square_root
from problems import naming

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def test_factor_of_zero_is_an_error_and_its_root_is_zero():
    with pytest.raises(IllConditioned):
        cholesky(np.zeros((3, 3)))
    np.testing.assert_array_equal(square_root(np.zeros((3, 3))), 0)


def test_root_of_an_indefinite_matrix_is_that_of_its_positive_part():
    matrix = np.array([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and −1
    root = square_root(matrix)
    np.testing.assert_allclose(root @ root.T, np.full((2, 2), 1.5), rtol=1e-14)


def random_spd(k, seed=0):
    a = np.random.default_rng(seed).standard_normal((k, k + 2))
    return a @ a.T


@pytest.mark.parametrize("k", [1, 5, 300, 513])  # more than one tile, and two halves
def test_factors_solve_and_invert(k):
    matrix, right = random_spd(k), np.random.default_rng(1).standard_normal((k, 2))
    factor = cholesky(matrix.copy())
    lower = np.tril(factor)
    assert np.allclose(lower @ lower.T, matrix, atol=1e-10 * matrix.max())
    assert np.allclose(matrix @ solve(factor, right), right, atol=1e-5)
    assert np.allclose(lower @ solve_lower(factor, right), right, atol=1e-8)
    assert np.allclose(lower.T @ solve_lower(factor, right, transposed=True), right, atol=1e-8)
    assert log_determinant(factor) == pytest.approx(np.linalg.slogdet(matrix)[1], rel=1e-9)
    whole = inverse(factor)
    rows = right.T.copy()
    assert np.allclose(times_symmetric(rows, whole) @ matrix, rows, atol=1e-5)  # reads the lower triangle alone
    mirror(whole)
    assert np.allclose(whole @ matrix, np.eye(k), atol=1e-5)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_singular_matrix_gets_the_least_jitter(order):
    matrix = np.array(np.ones((6, 6)), order=order)
    lower = np.tril(cholesky(matrix.copy(order=order)))
    assert np.abs(lower @ lower.T - np.ones((6, 6))).max() < 1e-12


@pytest.mark.parametrize("k", [5, 513])
def test_a_factor_may_take_the_place_of_its_matrix(k):
    matrix = np.asfortranarray(random_spd(k))
    expected = np.tril(cholesky(matrix))
    factor = cholesky(matrix, out=matrix)
    assert factor is matrix
    np.testing.assert_array_equal(np.tril(factor), expected)
    singular = np.ones((k, k), order="F")
    with pytest.raises(IllConditioned):  # the matrix is gone: nothing to add jitter to
        cholesky(singular, out=singular)


def with_entry(value, row, column):
    """The unit matrix of three rows, one entry and its mirror image replaced."""
    matrix = np.eye(3)
    matrix[row, column] = matrix[column, row] = value
    return matrix


def test_a_hopeless_matrix_is_reported():
    broken = [with_entry(bad, *place) for bad in (np.nan, np.inf) for place in ((0, 0), (1, 2))]
    for matrix in (np.diag([1.0, -1.0]), np.full((2, 2), np.nan), np.diag([1.0, np.inf]), *broken):
        with naming(matrix.tolist()), pytest.raises(IllConditioned):
            cholesky(matrix.copy())
