"""Gaussian factors whose exponents double, e^(−2^l c r²), l = 0, 1, …: each is the square of the one before.

In: tables of r² (rows, n) and the first exponent c. Out: sums of these factors over rows, or over l. Names, arguments
and results are those of `reference.py`. Some columns at a time, so that all factors stay near.
"""

import numpy as np

from alakarte.compiled.jit import compiled, wide_vectors
from alakarte.compiled.profiles import exponential

_COLUMNS = 1024  # whose factors stay near
_TINY = 1e-150  # what is smaller has a square that is no normal number, which takes many times as long


@compiled
def _first_factor(r2, rate, factor):
    wide_vectors()
    for j in range(r2.size):
        factor[j] = exponential(-rate * r2[j])


@compiled
def _add(factor, weight, row):
    wide_vectors()
    for j in range(factor.size):
        row[j] += weight * factor[j]


@compiled
def _add_products(factor, weights, row):
    wide_vectors()
    for j in range(factor.size):
        row[j] += weights[j] * factor[j]


@compiled
def _add_and_square(factor, weight, row):
    """`_add`, then factor ← factor², or nothing where that is tiny."""
    wide_vectors()
    for j in range(factor.size):
        value = factor[j]
        row[j] += weight * value
        factor[j] = value * value if value > _TINY else 0.0


@compiled
def _add_products_and_square(factor, weights, row):
    """`_add_products`, then the same."""
    wide_vectors()
    for j in range(factor.size):
        value = factor[j]
        row[j] += weights[j] * value
        factor[j] = value * value if value > _TINY else 0.0


@compiled
def sums_of_powers(r2, rate, n_powers, weights, sums):
    """sums (L, K, n) += Σ_i weights_ik e^(−2^l rate r2_ij) for l < n_powers_i; n_powers (rows,), weights (rows, K)."""
    factor = np.empty(_COLUMNS)
    for first in range(0, r2.shape[1], _COLUMNS):
        last = min(first + _COLUMNS, r2.shape[1])
        some = factor[: last - first]
        for i in range(r2.shape[0]):
            _first_factor(r2[i][first:last], rate, some)
            for power in range(n_powers[i]):
                for k in range(1, sums.shape[1]):
                    _add(some, weights[i, k], sums[power][k][first:last])
                _add_and_square(some, weights[i, 0], sums[power][0][first:last])


@compiled
def powers_dot(r2, rate, sums, total):
    """total (rows, K, n) += Σ_l sums_lkj e^(−2^l rate r2_ij); sums (L, K, n)."""
    factor = np.empty(_COLUMNS)
    for first in range(0, r2.shape[1], _COLUMNS):
        last = min(first + _COLUMNS, r2.shape[1])
        some = factor[: last - first]
        for i in range(r2.shape[0]):
            _first_factor(r2[i][first:last], rate, some)
            for power in range(sums.shape[0]):
                for k in range(1, sums.shape[1]):
                    _add_products(some, sums[power][k][first:last], total[i][k][first:last])
                _add_products_and_square(some, sums[power][0][first:last], total[i][0][first:last])
