"""Plain loops over a strip: some rows of a matrix side by side, so that few loops begin, and one reads for several.

In: rows and columns of a table, buffers. Out: written into the arrays passed last, or sums. What each entry of a strip
is does not depend on the other rows of it; the order of a sum is the compiler's. Numba's cache of the callers in
`closed.py` does not notice a change of this file: remove their *.nbi files after one.
"""

from alakarte.compiled.jit import compiled, compiled_sum, wide_vectors

_MOST, _NUMBERS = 16, 4096  # rows of a strip, and numbers of a buffer: several fit the cache
_LEAST = 4  # rows that sums read at once


@compiled
def strip_height(size):
    """Rows of a strip of such a length."""
    return min(max(_NUMBERS // size // _LEAST * _LEAST, _LEAST), _MOST)


@compiled
def strip(buffers, k, n_rows, size):
    """Buffer k as the rows of a strip, one after the other, so that few loops run over all of them."""
    return buffers[k][: n_rows * size].reshape(n_rows, size)


@compiled
def distances(rows, others, first, scale, r2):
    """r2_bj = Σ_k a_k² (x_jk − x_bk)² of each of the rows (m, d), from `first` on; others (d, n) by columns."""
    wide_vectors()
    n_rows, size = r2.shape
    r2[:] = 0.0
    for k in range(scale.size):
        a = scale[k]
        if a != 0.0:
            column = others[k][first:]
            for b in range(n_rows):
                value, row = rows[b, k], r2[b]
                for j in range(size):
                    t = (column[j] - value) * a
                    row[j] += t * t


@compiled
def times_cosine(values, row_cosine, row_sine, cosine, sine):
    """values_bj ← values_bj cos(ζ_b − ζ_j)."""
    wide_vectors()
    for b in range(values.shape[0]):
        row, c, s = values[b], row_cosine[b], row_sine[b]
        for j in range(row.size):
            row[j] *= c * cosine[j] + s * sine[j]


@compiled
def add(values, factor, total):
    """total_j ← total_j + factor·values_j."""
    wide_vectors()
    for j in range(values.size):
        total[j] += factor * values[j]


@compiled
def times(u, v, out):
    """out_j = u_j v_j."""
    wide_vectors()
    for j in range(u.size):
        out[j] = u[j] * v[j]


@compiled
def weigh_rows(values, mine, others, out):
    """out_bj = values_bj w_b^½ w_j^½."""
    wide_vectors()
    for b in range(values.shape[0]):
        root, row, to = mine[b], values[b], out[b]
        for j in range(row.size):
            to[j] = row[j] * (root * others[j])


@compiled
def weigh_waves(bar, slope, g, row_cosine, row_sine, cosine, sine, weight, odd):
    """weight_bj = bar_bj slope_bj cos, odd_bj = bar_bj g_bj sin, and g_bj cos into g, of ζ_b − ζ_j."""
    wide_vectors()
    for b in range(bar.shape[0]):
        rc, rs = row_cosine[b], row_sine[b]
        bar_row, slope_row, g_row, weight_row, odd_row = bar[b], slope[b], g[b], weight[b], odd[b]
        for j in range(bar_row.size):
            c = rc * cosine[j] + rs * sine[j]
            s = rs * cosine[j] - rc * sine[j]
            weight_row[j] = bar_row[j] * slope_row[j] * c
            odd_row[j] = bar_row[j] * g_row[j] * s
            g_row[j] *= c


@compiled_sum
def sum_products(u, v):
    """Σ u_j v_j."""
    wide_vectors()
    total = 0.0
    for j in range(u.size):
        total += u[j] * v[j]
    return total


@compiled_sum
def sum_squares(weight, column, values):
    """Σ w_bj (c_j − c_b)²."""
    wide_vectors()
    total, whole = 0.0, weight.shape[0] // 4 * 4
    for b in range(0, whole, 4):  # four rows at once: the column is read, and the total summed, once for all
        w0, w1, w2, w3 = weight[b], weight[b + 1], weight[b + 2], weight[b + 3]
        c0, c1, c2, c3 = values[b], values[b + 1], values[b + 2], values[b + 3]
        for j in range(w0.size):
            c = column[j]
            total += w0[j] * (c - c0) ** 2 + w1[j] * (c - c1) ** 2 + w2[j] * (c - c2) ** 2 + w3[j] * (c - c3) ** 2
    for b in range(whole, weight.shape[0]):
        row, value = weight[b], values[b]
        for j in range(row.size):
            total += row[j] * (column[j] - value) ** 2
    return total


@compiled_sum
def sum_differences(weight, column, values):
    """Σ w_bj (c_j − c_b)."""
    wide_vectors()
    total, whole = 0.0, weight.shape[0] // 4 * 4
    for b in range(0, whole, 4):
        w0, w1, w2, w3 = weight[b], weight[b + 1], weight[b + 2], weight[b + 3]
        c0, c1, c2, c3 = values[b], values[b + 1], values[b + 2], values[b + 3]
        for j in range(w0.size):
            c = column[j]
            total += w0[j] * (c - c0) + w1[j] * (c - c1) + w2[j] * (c - c2) + w3[j] * (c - c3)
    for b in range(whole, weight.shape[0]):
        row, value = weight[b], values[b]
        for j in range(row.size):
            total += row[j] * (column[j] - value)
    return total
