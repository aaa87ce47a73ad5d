"""Kernels in closed form, k(x, x') = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ, and their pullback, as plain loops.

In: rows, other rows, the degrees of freedom of the profile g, variance, scale and centre of each component. Out: k, or
sums of derivatives. Names, arguments and results are those of `reference.py`. One row of x at a time against all
others: a row's bits do not depend on its company. Differences are squared, never expanded: where rows nearly coincide
the other way loses half the digits. The exponential is compiled apart from sums, whose order is the compiler's.
"""

import numpy as np

from alakarte.compiled.jit import compiled, compiled_sum, wide_vectors
from alakarte.compiled.layout import row_major
from alakarte.records import Array

_ROUND = 6755399441055744.0  # 1.5·2^52: x + c − c is x to the next integer
_LOWEST = -708.0  # exp of less has no full precision, and is nothing here


@compiled
def _exp(x):
    """exp x for x ≤ 0; x = k log 2 + r with log 2 in two parts, then a polynomial of degree 13."""
    x = max(x, _LOWEST)
    shifted = x * 1.4426950408889634 + _ROUND
    k = shifted - _ROUND
    r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    p = 1.6059043836821613e-10
    p = p * r + 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.755731922398589e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 1.984126984126984e-04
    p = p * r + 1.388888888888889e-03
    p = p * r + 8.333333333333333e-03
    p = p * r + 4.1666666666666664e-02
    p = p * r + 1.6666666666666666e-01
    p = p * r + 0.5
    p = (p * r + 1.0) * r + 1.0
    power = (np.float64(shifted).view(np.int64) + 1023) << 52  # the low bits of `shifted` are those of k
    return p * np.int64(power).view(np.float64)


@compiled
def _distances(row, others, scale, r2):
    """r2_j = Σ_k a_k² (x_jk − x_k)²; others (d, n) by columns of the table."""
    wide_vectors()
    for j in range(r2.size):
        r2[j] = 0.0
    for k in range(row.size):
        column, value, a = others[k], row[k], scale[k]
        for j in range(r2.size):
            t = (column[j] - value) * a
            r2[j] += t * t


@compiled
def _values(r2, dof, g):
    """g(r²): Gaussian for 0, Matérn of smoothness ν for 2ν = 1, 3, 5 degrees of freedom."""
    wide_vectors()
    if dof == 0:
        for j in range(r2.size):
            g[j] = _exp(-0.5 * r2[j])
    elif dof == 1:
        for j in range(r2.size):
            g[j] = _exp(-np.sqrt(r2[j]))
    elif dof == 3:
        for j in range(r2.size):
            t = np.sqrt(3.0 * r2[j])
            g[j] = (1.0 + t) * _exp(-t)
    else:
        for j in range(r2.size):
            t = np.sqrt(5.0 * r2[j])
            g[j] = (1.0 + t + t * t / 3.0) * _exp(-t)


@compiled
def _values_and_slopes(r2, dof, g, slope):
    """g and dg/d(r²); of Matérn ½ the slope is infinite at r = 0, where it multiplies τ² = 0: zero there."""
    wide_vectors()
    if dof == 0:
        for j in range(r2.size):
            g[j] = _exp(-0.5 * r2[j])
            slope[j] = -0.5 * g[j]
    elif dof == 1:
        for j in range(r2.size):
            t = np.sqrt(r2[j])
            g[j] = _exp(-t)
            slope[j] = -0.5 * g[j] / max(t, 1e-150) if t > 0.0 else 0.0
    elif dof == 3:
        for j in range(r2.size):
            t = np.sqrt(3.0 * r2[j])
            e = _exp(-t)
            g[j] = (1.0 + t) * e
            slope[j] = -1.5 * e
    else:
        for j in range(r2.size):
            t = np.sqrt(5.0 * r2[j])
            e = _exp(-t)
            g[j] = (1.0 + t + t * t / 3.0) * e
            slope[j] = -(5.0 / 6.0) * (1.0 + t) * e


@compiled
def _times_cosine(values, cosine, sine, columns_cosine, columns_sine):
    """values_j ← values_j cos(ζ − ζ_j)."""
    wide_vectors()
    for j in range(values.size):
        values[j] *= cosine * columns_cosine[j] + sine * columns_sine[j]


@compiled
def _kernel_rows(x, others, dof, variance, scale, waves, out):
    n_components = scale.shape[0]
    n_rows, n = out.shape
    r2, g = np.empty(n), np.empty(n)
    x_cosine, x_sine, cosine, sine = waves
    for i in range(n_rows):
        total = out[i]
        for j in range(n):
            total[j] = 0.0
        for q in range(n_components):
            _distances(x[i], others, scale[q], r2)
            _values(r2, dof, g)
            if cosine.shape[0] > 0:
                _times_cosine(g, x_cosine[q, i], x_sine[q, i], cosine[q], sine[q])
            v = variance[q]
            for j in range(n):
                total[j] += v * g[j]


@compiled_sum
def _sum_products(u, v):
    wide_vectors()
    total = 0.0
    for j in range(u.size):
        total += u[j] * v[j]
    return total


@compiled_sum
def _sum_squares(weight, column, value):
    wide_vectors()
    total = 0.0
    for j in range(weight.size):
        t = column[j] - value
        total += weight[j] * t * t
    return total


@compiled_sum
def _sum_differences(weight, column, value):
    wide_vectors()
    total = 0.0
    for j in range(weight.size):
        total += weight[j] * (column[j] - value)
    return total


@compiled
def _weigh(bar, slope, g, wave, weight, odd):
    """weight_j = bar_j slope_j cos, odd_j = bar_j g_j sin, and g_j cos into g; `wave`: of the row and of all others."""
    wide_vectors()
    row_cosine, row_sine, cosine, sine = wave
    for j in range(bar.size):
        c = row_cosine * cosine[j] + row_sine * sine[j]
        s = row_sine * cosine[j] - row_cosine * sine[j]
        weight[j] = bar[j] * slope[j] * c
        odd[j] = bar[j] * g[j] * s
        g[j] *= c


@compiled
def _kernel_rows_pullback(x, others, dof, variance, scale, waves, bar, sums):
    n_components, d = scale.shape
    n_rows, n = bar.shape
    r2, g, slope, weight, odd = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    x_cosine, x_sine, cosine, sine = waves
    for i in range(n_rows):
        for q in range(n_components):
            v, row = variance[q], sums[q]
            _distances(x[i], others, scale[q], r2)
            _values_and_slopes(r2, dof, g, slope)
            if cosine.shape[0] > 0:
                _weigh(bar[i], slope, g, (x_cosine[q, i], x_sine[q, i], cosine[q], sine[q]), weight, odd)
                for k in range(d):
                    row[1 + d + k] += v * _sum_differences(odd, others[k], x[i, k])
            else:
                for j in range(n):
                    weight[j] = bar[i, j] * slope[j]
            row[0] += 2.0 * v * _sum_products(bar[i], g)
            for k in range(d):
                row[1 + k] += 2.0 * v * scale[q, k] * _sum_squares(weight, others[k], x[i, k])


def _prepared(x: Array, other: Array, centre: Array | None) -> tuple[Array, Array, tuple[Array, Array, Array, Array]]:
    """Rows, the other rows by columns, and cosines and sines (Q, rows) of ζ = μᵀx for both; none without centres."""
    x, others = row_major(np.float64, x, other.T)
    if centre is None:
        none = np.empty((0, 0))
        return x, others, (none, none, none, none)
    zeta, eta = _angles(x, centre), _angles(other, centre)
    return x, others, (np.cos(zeta), np.sin(zeta), np.cos(eta), np.sin(eta))


def _angles(x: Array, centre: Array) -> Array:
    """μᵀx (Q, rows), row by row: the bits of a product by BLAS depend on the number of rows."""
    return np.stack([(x * each).sum(axis=1) for each in centre])


def kernel_rows(x: Array, other: Array, dof: int, variance: Array, scale: Array, centre: Array | None) -> Array:
    """k(x, other) (rows, rows'); arguments as in `reference.py`."""
    rows, others, waves = _prepared(x, other, centre)
    out = np.empty((len(x), len(other)))
    _kernel_rows(rows, others, dof, *row_major(np.float64, variance, scale), waves, out)
    return out


def kernel_rows_pullback(
    x: Array, other: Array, dof: int, variance: Array, scale: Array, centre: Array | None, bar: Array
) -> Array:
    """Sums (Q, 1 + 2d) by log v, a and μ, from the derivative bar (rows, rows') of nlml by k."""
    rows, others, waves = _prepared(x, other, centre)
    sums = np.zeros((len(variance), 1 + 2 * x.shape[1]))
    variance, scale, bar = row_major(np.float64, variance, scale, bar)
    _kernel_rows_pullback(rows, others, dof, variance, scale, waves, bar, sums)
    return sums
