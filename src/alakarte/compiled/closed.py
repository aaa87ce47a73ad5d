"""Kernels in closed form, k(x, x') = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ, and their pullback, as plain loops.

With A_qτ in place of a_q∘τ, columns of a table hold A_qx; scales are then zero or one, and zeros take no time.

In: rows, degrees of freedom of the profile g, variance, scale and centre of each component. Out: k between two
tables, or within one some rows of its triangle; sums of derivatives. Names, arguments and results are those of
`reference.py`. One row at a time against all others: a row's bits do not depend on its company. Differences are
squared, never expanded: where rows nearly coincide the other way loses half the digits.
"""

import numpy as np

from alakarte.compiled.jit import compiled, compiled_sum, wide_vectors
from alakarte.compiled.layout import Table, row_major
from alakarte.compiled.profiles import profile, profile_and_slope
from alakarte.compiled.reference import Dof
from alakarte.records import Array, Integers


@compiled
def _distances(row, others, first, scale, r2):
    """r2_j = Σ_k a_k² (x_jk − x_k)² from row `first` on; others (d, n) by columns of the table."""
    wide_vectors()
    for j in range(r2.size):
        r2[j] = 0.0
    for k in range(row.size):
        column, value, a = others[k][first:], row[k], scale[k]
        if a != 0.0:
            for j in range(r2.size):
                t = (column[j] - value) * a
                r2[j] += t * t


@compiled
def _times_cosine(values, cosine, sine, columns_cosine, columns_sine):
    """values_j ← values_j cos(ζ − ζ_j)."""
    wide_vectors()
    for j in range(values.size):
        values[j] *= cosine * columns_cosine[j] + sine * columns_sine[j]


@compiled
def _kernel_row(row, waves, others, first, dof, components, buffers, total):
    """k of one row and all others from `first` on; `waves`: cosines and sines of the row and of the others."""
    variance, scale = components
    r2, g = buffers
    row_cosine, row_sine, cosine, sine = waves
    for j in range(total.size):
        total[j] = 0.0
    for q in range(scale.shape[0]):
        _distances(row, others, first, scale[q], r2)
        profile(r2, dof[q], g)
        if cosine.shape[0] > 0:
            _times_cosine(g, row_cosine[q], row_sine[q], cosine[q][first:], sine[q][first:])
        v = variance[q]
        for j in range(total.size):
            total[j] += v * g[j]


@compiled
def _gram_rows(table, root, dof, components, start, stop, out):
    x, x_waves, others, waves = table
    n = others.shape[1]
    r2, g = np.empty(n), np.empty(n)
    x_cosine, x_sine = x_waves
    cosine, sine = waves
    for i in range(start, stop):
        row_waves = (x_cosine[i], x_sine[i], cosine, sine)
        total = out[i][i:]
        _kernel_row(x[i], row_waves, others, i, dof, components, (r2[: n - i], g[: n - i]), total)
        for j in range(n - i):
            total[j] *= root[i] * root[i + j]


@compiled_sum
def _sum_products(u, v):
    wide_vectors()
    total = 0.0
    for j in range(u.size):
        total += u[j] * v[j]
    return total


@compiled
def _kernel_rows(x, x_waves, others, waves, dof, components, weights, dot, out):
    """k into `out` (rows, rows'), where it has rows, and k·w into `dot` (rows, T) for weights (T, rows')."""
    n = others.shape[1]
    buffers, total = (np.empty(n), np.empty(n)), np.empty(n)
    x_cosine, x_sine = x_waves
    cosine, sine = waves
    for i in range(x.shape[0]):
        _kernel_row(x[i], (x_cosine[i], x_sine[i], cosine, sine), others, 0, dof, components, buffers, total)
        for t in range(weights.shape[0]):
            dot[i, t] = _sum_products(total, weights[t])
        if out.shape[0] > 0:
            for j in range(n):
                out[i, j] = total[j]


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
def _bar_row(i, inverse, alpha, root, bar):
    """bar_j = w_i^½ w_j^½ (T K⁻¹_ij − Σ_t α_ti α_tj), for both triangles; half of that on the diagonal."""
    wide_vectors()
    n_targets = alpha.shape[0]
    kernel = inverse[i][i:]
    for j in range(bar.size):
        bar[j] = n_targets * kernel[j]
    for t in range(n_targets):
        mine, others = alpha[t, i], alpha[t][i:]
        for j in range(bar.size):
            bar[j] -= mine * others[j]
    mine, others = root[i], root[i:]
    for j in range(bar.size):
        bar[j] *= mine * others[j]
    bar[0] *= 0.5


@compiled_sum
def _move_rows(weight, column, value, moved):
    """moved_j += w_j (c_j − c), and the sum of these."""
    wide_vectors()
    total = 0.0
    for j in range(weight.size):
        t = weight[j] * (column[j] - value)
        moved[j] += t
        total += t
    return total


@compiled
def _gram_rows_pullback(table, root, dof, components, start, stop, inverse, alpha, sums, moved):
    x, x_waves, others, waves = table
    variance, scale = components
    x_cosine, x_sine = x_waves
    cosine, sine = waves
    n_components, d = scale.shape
    n_inputs = sums.shape[1] - 1 - d
    n = others.shape[1]
    work = np.empty((6, n))
    for i in range(start, stop):
        size = n - i
        bar, r2, g = work[0][:size], work[1][:size], work[2][:size]
        slope, weight, odd = work[3][:size], work[4][:size], work[5][:size]
        _bar_row(i, inverse, alpha, root, bar)
        for q in range(n_components):
            v, row = variance[q], sums[q]
            _distances(x[i], others, i, scale[q], r2)
            profile_and_slope(r2, dof[q], g, slope)
            if cosine.shape[0] > 0:
                wave = (x_cosine[i, q], x_sine[i, q], cosine[q][i:], sine[q][i:])
                _weigh(bar, slope, g, wave, weight, odd)
                for k in range(n_inputs):
                    row[1 + d + k] += v * _sum_differences(odd, others[k][i:], x[i, k])
            else:
                for j in range(size):
                    weight[j] = bar[j] * slope[j]
            row[0] += 2.0 * v * _sum_products(bar, g)
            if moved.shape[0] > 0:
                for j in range(size):
                    weight[j] *= 2.0 * v
                for k in range(n_inputs * (q + 1), n_inputs * (q + 2)):
                    moved[k - n_inputs, i] -= _move_rows(weight, others[k][i:], x[i, k], moved[k - n_inputs][i:])
            else:
                for k in range(d):
                    row[1 + k] += 2.0 * v * scale[q, k] * _sum_squares(weight, others[k][i:], x[i, k])


def profiles(dof: Dof, n_components: int) -> Integers:
    """(Q,) degrees of freedom of the profile of each component, from one for all or one for each."""
    return np.full(n_components, dof, dtype=np.int64)


def kernel_rows(table: Table, others: Table, dof: Dof, variance: Array, scale: Array) -> Array:
    """k of two tables (rows, rows'); other arguments as in `reference.py`."""
    out = np.empty((len(table.rows), len(others.rows)))
    kernel_rows_dot(table, others, dof, variance, scale, np.empty((0, len(others.rows))), out)
    return out


def kernel_rows_dot(
    table: Table, others: Table, dof: Dof, variance: Array, scale: Array, weights: Array, out: Array
) -> Array:
    """k·w (rows, T) of two tables for weights (T, rows'); k itself into the first rows of `out`, where that has any."""
    dot = np.empty((len(table.rows), len(weights)))
    if len(out) and (len(out) < len(dot) or out.shape[1] != len(others.rows)):
        raise ValueError(f"an array to write into has shape {out.shape}, the result needs {len(dot), len(others.rows)}")
    components = tuple(row_major(np.float64, variance, scale))
    tables = table.rows, table.row_waves, others.columns, others.column_waves
    _kernel_rows(*tables, profiles(dof, len(variance)), components, weights, dot, out)
    return dot


def gram_rows(
    table: Table, root: Array, dof: Dof, variance: Array, scale: Array, part: tuple[int, int], out: Array
) -> None:
    """Rows `part` of w_i^½ k w_j^½, from the diagonal on, into out (n, n)."""
    components = tuple(row_major(np.float64, variance, scale))
    _gram_rows(table[:4], root, profiles(dof, len(variance)), components, *part, out)


def gram_rows_pullback(
    table: Table,
    root: Array,
    dof: Dof,
    variance: Array,
    scale: Array,
    part: tuple[int, int],
    inverse: Array,
    alpha: Array,
) -> Array:
    """Sums (Q, 1 + 2d) by log v, a and μ of rows `part`; K⁻¹ (n, n) from its diagonal on, α (T, n)."""
    return _pullback(table, root, dof, (variance, scale), part, inverse, alpha, np.empty((0, 0)))


def mapped_gram_rows_pullback(
    table: Table,
    root: Array,
    dof: Dof,
    variance: Array,
    scale: Array,
    part: tuple[int, int],
    inverse: Array,
    alpha: Array,
) -> tuple[Array, Array]:
    """The same of a table with columns A_qx: its sums by the scale are zero; and derivatives by A_qx (Q·d, n)."""
    moved = np.zeros((table.columns.shape[0] - table.n_inputs, len(table.rows)))
    return _pullback(table, root, dof, (variance, scale), part, inverse, alpha, moved), moved


def _pullback(
    table: Table,
    root: Array,
    dof: Dof,
    components: tuple[Array, Array],
    part: tuple[int, int],
    inverse: Array,
    alpha: Array,
    moved: Array,
) -> Array:
    variance, scale = row_major(np.float64, *components)
    sums = np.zeros((len(variance), 1 + scale.shape[1] + table.n_inputs))
    of_components = (variance, scale)
    _gram_rows_pullback(
        table[:4], root, profiles(dof, len(variance)), of_components, *part, inverse, alpha, sums, moved
    )
    return sums
