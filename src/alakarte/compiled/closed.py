"""Kernels in closed form, k(x, x') = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ, and their pullback, as plain loops.

With A_qτ in place of a_q∘τ, columns of a table hold A_qx; scales are then zero or one, and zeros take no time.

In: rows, degrees of freedom of the profile g, variance, scale and centre of each component. Out: k between two
tables, or within one some rows of its triangle; sums of derivatives. Names, arguments and results are those of
`reference.py`. Some rows at a time against all others: a row's bits do not depend on its company. Differences are
squared, never expanded: where rows nearly coincide the other way loses half the digits.
"""

import numpy as np

from alakarte.compiled.jit import compiled, compiled_sum, wide_vectors
from alakarte.compiled.layout import Table, row_major
from alakarte.compiled.profiles import profile, profile_and_slope
from alakarte.compiled.reference import Dof
from alakarte.compiled.strips import (
    add,
    distances,
    strip,
    strip_height,
    sum_differences,
    sum_products,
    sum_squares,
    times,
    times_cosine,
    weigh_rows,
    weigh_waves,
)
from alakarte.records import Array, Integers


@compiled
def _kernel_strip(rows, row_waves, others, waves, first, dof, components, buffers):
    """k of rows (m, d) and all others from `first` on, (m, n − first) in the first of three buffers."""
    variance, scale = components
    row_cosine, row_sine = row_waves
    cosine, sine = waves
    n_rows, size = rows.shape[0], others.shape[1] - first
    total, r2 = strip(buffers, 0, n_rows, size), strip(buffers, 1, n_rows, size)
    g = strip(buffers, 2, n_rows, size)
    total[:] = 0.0
    for q in range(scale.shape[0]):
        distances(rows, others, first, scale[q], r2)
        profile(r2.reshape(-1), dof[q], g.reshape(-1))
        if cosine.shape[0] > 0:
            times_cosine(g, row_cosine[:, q], row_sine[:, q], cosine[q][first:], sine[q][first:])
        add(g.reshape(-1), variance[q], total.reshape(-1))
    return total


@compiled
def _gram_rows(table, root, dof, components, start, stop, out):
    x, x_waves, others, waves = table
    height = strip_height(others.shape[1])
    buffers = np.empty((3, height * others.shape[1]))
    x_cosine, x_sine = x_waves
    for i in range(start, stop, height):
        end = min(i + height, stop)
        strip_waves = x_cosine[i:end], x_sine[i:end]
        total = _kernel_strip(x[i:end], strip_waves, others, waves, i, dof, components, buffers)
        weigh_rows(total, root[i:end], root[i:], out[i:end, i:])


@compiled
def _kernel_rows(x, x_waves, others, waves, dof, components, weights, dot, out):
    """k into `out` (rows, rows'), where it has rows, and k·w into `dot` (rows, T) for weights (T, rows')."""
    height = strip_height(others.shape[1])
    buffers = np.empty((3, height * others.shape[1]))
    x_cosine, x_sine = x_waves
    for i in range(0, x.shape[0], height):
        end = min(i + height, x.shape[0])
        strip_waves = x_cosine[i:end], x_sine[i:end]
        total = _kernel_strip(x[i:end], strip_waves, others, waves, 0, dof, components, buffers)
        for b in range(end - i):
            for t in range(weights.shape[0]):
                dot[i + b, t] = sum_products(total[b], weights[t])
        if out.shape[0] > 0:
            out[i:end] = total


@compiled
def _bar_row(i, first, inverse, alpha, root, bar):
    """bar_j = w_i^½ w_j^½ (T K⁻¹_ij − Σ_t α_ti α_tj), for both triangles; half of that on the diagonal, zero before."""
    wide_vectors()
    n_targets = alpha.shape[0]
    kernel = inverse[i][first:]
    for j in range(bar.size):
        bar[j] = n_targets * kernel[j]
    for t in range(n_targets):
        mine, others = alpha[t, i], alpha[t][first:]
        for j in range(bar.size):
            bar[j] -= mine * others[j]
    mine, others = root[i], root[first:]
    for j in range(bar.size):
        bar[j] *= mine * others[j]
    bar[: i - first] = 0.0
    bar[i - first] *= 0.5


@compiled_sum
def _move_rows(weight, factor, column, value, moved):
    """moved_j += factor w_j (c_j − c), and the sum of these."""
    wide_vectors()
    total = 0.0
    for j in range(weight.size):
        t = factor * weight[j] * (column[j] - value)
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
    height = strip_height(n)
    buffers = np.empty((6, height * n))
    for i in range(start, stop, height):
        m, size = min(height, stop - i), n - i
        bar, r2, g = strip(buffers, 0, m, size), strip(buffers, 1, m, size), strip(buffers, 2, m, size)
        slope, weight, odd = strip(buffers, 3, m, size), strip(buffers, 4, m, size), strip(buffers, 5, m, size)
        for b in range(m):
            _bar_row(i + b, i, inverse, alpha, root, bar[b])
        for q in range(n_components):
            v, row = variance[q], sums[q]
            distances(x[i : i + m], others, i, scale[q], r2)
            profile_and_slope(r2.reshape(-1), dof[q], g.reshape(-1), slope.reshape(-1))
            if cosine.shape[0] > 0:
                rc, rs = x_cosine[i : i + m, q], x_sine[i : i + m, q]
                weigh_waves(bar, slope, g, rc, rs, cosine[q][i:], sine[q][i:], weight, odd)
                for k in range(n_inputs):
                    row[1 + d + k] += v * sum_differences(odd, others[k][i:], x[i : i + m, k])
            else:
                times(bar.reshape(-1), slope.reshape(-1), weight.reshape(-1))
            row[0] += 2.0 * v * sum_products(bar.reshape(-1), g.reshape(-1))
            if moved.shape[0] > 0:
                for k in range(n_inputs * (q + 1), n_inputs * (q + 2)):
                    to = moved[k - n_inputs]
                    for b in range(m):
                        to[i + b] -= _move_rows(weight[b], 2.0 * v, others[k][i:], x[i + b, k], to[i:])
            else:
                for k in range(d):
                    row[1 + k] += 2.0 * v * scale[q, k] * sum_squares(weight, others[k][i:], x[i : i + m, k])


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
    """Rows `part` of w_i^½ k w_j^½, from the diagonal on, into out (n, n); some entries before it are written, too."""
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
