"""Gaussian factors whose exponents double, e^(−2^l c r²), l = 0, 1, …: each is the square of the one before.

In: tables of r² (rows, n) and the first exponent c. Out: sums of these factors over rows, or over l; and r² itself.
Names, arguments and results are those of `powers_reference.py`. Some columns of two rows at a time, so that all
factors stay near; and two powers, so that they are read and written half as often.
"""

import numpy as np

from alakarte.compiled.jit import compiled, wide_vectors
from alakarte.compiled.profiles import exponential

_COLUMNS = 1024  # whose factors stay near
_ANEW = 4  # powers, after which a factor is computed anew: each square doubles its rounding error
_TINY = 1e-75  # what is smaller has a fourth power that is no normal number, which takes many times as long


@compiled
def _first_factor(r2, rate, factor):
    wide_vectors()
    for j in range(factor.size):
        value = exponential(-rate * r2[j])
        factor[j] = value if value > _TINY else 0.0


@compiled
def _add_and_go_on(a, b, weights, first, second):
    """`_add`, then a and b become their fourth powers, or nothing where these are tiny."""
    wide_vectors()
    u, v = weights[0], weights[1]
    for j in range(first.size):
        x, y = a[j], b[j]
        first[j] += u * x + v * y
        x, y = x * x, y * y
        second[j] += u * x + v * y
        a[j] = x * x if x > _TINY else 0.0
        b[j] = y * y if y > _TINY else 0.0


@compiled
def _add(a, b, weights, first, second):
    """first_j += u a_j + v b_j, second_j += u a_j² + v b_j²."""
    wide_vectors()
    u, v = weights[0], weights[1]
    for j in range(first.size):
        x, y = a[j], b[j]
        first[j] += u * x + v * y
        second[j] += u * (x * x) + v * (y * y)


@compiled
def _dot(factor, first, second, row):
    """row_j += first_j f_j + second_j f_j²."""
    wide_vectors()
    for j in range(factor.size):
        row[j] += first[j] * factor[j] + second[j] * (factor[j] * factor[j])


@compiled
def _fourth_power(factor):
    wide_vectors()
    for j in range(factor.size):
        square = factor[j] * factor[j]
        factor[j] = square * square if square > _TINY else 0.0


@compiled
def sums_of_powers(r2, rate, n_powers, weights, sums):
    """sums (L, K, n) += Σ_i weights_ik e^(−2^l rate r2_ij) for l < n_powers_i at least; weights (rows, K).

    L and n_powers (rows,) are even; of two rows both are added for as long as either has powers.
    """
    left, right, two = np.empty(_COLUMNS), np.empty(_COLUMNS), np.zeros((sums.shape[1], 2))
    for i in range(0, r2.shape[0], 2):
        other = min(i + 1, r2.shape[0] - 1)  # an odd last row is beside itself, with no weight
        two[:, 0] = weights[i]
        two[:, 1] = weights[other] * (other - i)
        for first in range(0, r2.shape[1], _COLUMNS):
            last = min(first + _COLUMNS, r2.shape[1])
            a, b = left[: last - first], right[: last - first]
            _first_factor(r2[i][first:last], rate, a)
            _first_factor(r2[other][first:last], rate, b)
            for power in range(0, max(n_powers[i], n_powers[other]), 2):
                rows, squares = sums[power], sums[power + 1]
                for k in range(1, sums.shape[1]):
                    _add(a, b, two[k], rows[k][first:last], squares[k][first:last])
                _add_and_go_on(a, b, two[0], rows[0][first:last], squares[0][first:last])


@compiled
def powers_dot(r2, rate, sums, total):
    """total (rows, K, n) += Σ_l sums_lkj e^(−2^l rate r2_ij); sums (L, K, n), L even."""
    factor = np.empty(_COLUMNS)
    for first in range(0, r2.shape[1], _COLUMNS):
        last = min(first + _COLUMNS, r2.shape[1])
        some = factor[: last - first]
        for i in range(r2.shape[0]):
            for power in range(0, sums.shape[0], 2):
                if power % _ANEW == 0:
                    _first_factor(r2[i][first:last], rate * 2.0**power, some)
                else:
                    _fourth_power(some)
                for k in range(sums.shape[1]):
                    _dot(some, sums[power][k][first:last], sums[power + 1][k][first:last], total[i][k][first:last])


@compiled
def distances(rows, columns, r2):
    """r2_ij = Σ_k (rows_ik − columns_kj)²; rows (rows, d), columns (d, n)."""
    for i in range(r2.shape[0]):
        row = r2[i]
        row[:] = 0.0
        for k in range(columns.shape[0]):
            _add_squares(columns[k], rows[i, k], row)


@compiled
def _add_squares(column, value, row):
    wide_vectors()
    for j in range(row.size):
        t = column[j] - value
        row[j] += t * t


@compiled
def take_near(r2, near, i, j, least):
    """How many entries of r2 (rows, n) are ≤ near: their places go into i and j, and they become infinite.

    `least` (rows,) is the smallest of the others in each row.
    """
    n_near = 0
    for row in range(r2.shape[0]):
        values, smallest = r2[row], np.inf
        for column in range(values.size):
            value = values[column]
            if value <= near:
                i[n_near], j[n_near] = row, column
                n_near += 1
                values[column] = np.inf
            elif value < smallest:
                smallest = value
        least[row] = smallest
    return n_near
