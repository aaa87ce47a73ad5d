"""BLAS without copies: the products of NumPy, and an error instead of a crash for another layout."""

import numpy as np
import pytest

from alakarte.linalg.blas import add_gram, solve_rows_lower, times_symmetric

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_gram_is_added_to_what_is_kept(dtype):
    rng, eps = np.random.default_rng(0), np.finfo(dtype).eps
    for rows, k in ((0, 3), (1, 1), (7, 4), (40, 17)):
        block = rng.standard_normal((rows, k)).astype(dtype)
        for keep in (0.0, 1.0):
            lower = np.asfortranarray(np.ones((k, k), dtype))
            add_gram(lower, block, keep)
            if rows:
                expected = np.tril(block.T @ block) + keep * np.tril(np.ones((k, k)))
                assert np.abs(np.tril(lower) - expected).max() < 100 * eps * (1 + rows)


def test_rows_times_a_symmetric_matrix_and_solved_by_a_factor():
    rng = np.random.default_rng(0)
    rows, square = rng.standard_normal((5, 8)), rng.standard_normal((8, 8))
    symmetric = np.asfortranarray(np.tril(square) + np.tril(square, -1).T)
    assert np.allclose(times_symmetric(rows, symmetric), rows @ symmetric)
    factor = np.asfortranarray(np.tril(square) + 8 * np.eye(8))
    assert np.allclose(solve_rows_lower(factor, rows.copy()), np.linalg.solve(factor, rows.T).T)
    assert np.allclose(solve_rows_lower(factor, rows.copy(), transposed=True), np.linalg.solve(factor.T, rows.T).T)


def test_another_layout_is_an_error():
    square, rows = np.asfortranarray(np.eye(4)), np.ones((3, 4))
    for wrong in (np.ascontiguousarray(np.eye(5)[:4, :4]), np.eye(4)[:, :3], np.eye(4, dtype=np.float32, order="F")):
        with pytest.raises(TypeError, match="need a square"):
            add_gram(wrong, rows)
    for wrong in (rows[:, :3], np.asfortranarray(rows)):
        with pytest.raises(TypeError, match="need row-major"):
            add_gram(square, wrong)
