"""Many small processes, one per query, each on k rows near it: factors, moments of the query, and their pullback.

In: a block of queries (B, d) with their neighbours (B, k, d), targets (B, k, T) and noise variances (B, k); a kernel in
closed form. Out: mean (B, T) and variance (B,) of the latent function at each query, and sums of derivatives. Names,
arguments and results are those of `local_reference.py`. One query at a time: its bits do not depend on its company.

Of C = K + diag(noise) = UᵀU one array holds U beside U⁻ᵀk and U⁻ᵀy, k the kernel between query and neighbours: the
columns that follow C are whitened while it is factorised.
"""

import numpy as np

from alakarte.compiled.jit import compiled, compiled_sum, wide_vectors
from alakarte.compiled.layout import LocalBlock, LocalKernel, row_major
from alakarte.compiled.profiles import profile, profile_and_slope
from alakarte.records import Array


@compiled
def _fill_columns(query, x, columns):
    """The query, then its neighbours, as columns (d, 1 + k)."""
    for m in range(query.size):
        columns[m, 0] = query[m]
        for j in range(x.shape[0]):
            columns[m, 1 + j] = x[j, m]


@compiled
def _fill_waves(columns, centre, waves):
    """Cosines and sines (2, Q, 1 + k) of μᵀx."""
    for q in range(centre.shape[0]):
        for j in range(columns.shape[1]):
            angle = 0.0
            for m in range(columns.shape[0]):
                angle += centre[q, m] * columns[m, j]
            waves[0, q, j] = np.cos(angle)
            waves[1, q, j] = np.sin(angle)


@compiled
def _distances(columns, i, scale, r2):
    """r2_j = Σ_m a_m² (x_jm − x_im)² of the points after point i."""
    wide_vectors()
    for j in range(r2.size):
        r2[j] = 0.0
    for m in range(columns.shape[0]):
        column, value, a = columns[m][i + 1 :], columns[m, i], scale[m]
        for j in range(r2.size):
            t = (column[j] - value) * a
            r2[j] += t * t


@compiled
def _add_kernel_row(columns, waves, i, kernel, buffers, total):
    """k of point i and the points after it."""
    dof, variance, scale, centre = kernel
    r2, g = buffers[0][: total.size], buffers[1][: total.size]
    for j in range(total.size):
        total[j] = 0.0
    for q in range(variance.size):
        _distances(columns, i, scale[q], r2)
        profile(r2, dof[q], g)
        v = variance[q]
        if centre.shape[0] > 0:
            cosine, sine = waves[0, q], waves[1, q]
            for j in range(total.size):
                g[j] *= cosine[i] * cosine[i + 1 + j] + sine[i] * sine[i + 1 + j]
        for j in range(total.size):
            total[j] += v * g[j]


@compiled
def _subtract_four_from_four(rows, others, factors):
    """rows_i −= Σ_p factors_pi others_p, four by four: what is loaded serves four times."""
    wide_vectors()
    r0, r1, r2, r3 = rows
    o0, o1, o2, o3 = others
    f00, f01, f02, f03 = factors[0][0], factors[0][1], factors[0][2], factors[0][3]
    f10, f11, f12, f13 = factors[1][0], factors[1][1], factors[1][2], factors[1][3]
    f20, f21, f22, f23 = factors[2][0], factors[2][1], factors[2][2], factors[2][3]
    f30, f31, f32, f33 = factors[3][0], factors[3][1], factors[3][2], factors[3][3]
    for j in range(r0.size):
        a, b, c, d = o0[j], o1[j], o2[j], o3[j]
        r0[j] -= f00 * a + f10 * b + f20 * c + f30 * d
        r1[j] -= f01 * a + f11 * b + f21 * c + f31 * d
        r2[j] -= f02 * a + f12 * b + f22 * c + f32 * d
        r3[j] -= f03 * a + f13 * b + f23 * c + f33 * d


@compiled
def _subtract(row, other, factor):
    wide_vectors()
    for j in range(row.size):
        row[j] -= factor * other[j]


@compiled
def _factorise(k, U):
    """UᵀU = C in the first k columns of U (k, k + 1 + T), the other columns whitened; below the diagonal: anything."""
    for first in range(0, k, 4):
        last = min(first + 4, k)
        done = 0
        if last == first + 4:
            rows = (U[first][first:], U[first + 1][first:], U[first + 2][first:], U[first + 3][first:])
            while done < first:
                others = (U[done][first:], U[done + 1][first:], U[done + 2][first:], U[done + 3][first:])
                _subtract_four_from_four(rows, others, others)
                done += 4
        for j in range(first, last):
            row = U[j][j:]
            for p in range(done, j):
                _subtract(row, U[p][j:], U[p, j])
            scale = 1.0 / np.sqrt(row[0])
            for m in range(row.size):
                row[m] *= scale


@compiled
def _moments(query, x, y, noise, kernel, factors, mean, variance):
    n_queries, k, d = x.shape
    n_targets = y.shape[2]
    columns, buffers, row = np.empty((d, 1 + k)), np.empty((2, 1 + k)), np.empty(k)
    waves = np.empty((2, kernel[3].shape[0], 1 + k))
    prior = kernel[1].sum()
    for b in range(n_queries):
        U = factors[b % len(factors)]
        _fill_columns(query[b], x[b], columns)
        _fill_waves(columns, kernel[3], waves)
        _add_kernel_row(columns, waves, 0, kernel, buffers, row)
        for i in range(k):
            _add_kernel_row(columns, waves, 1 + i, kernel, buffers, U[i][i + 1 : k])
            U[i, i] = prior + noise[b, i]
            U[i, k] = row[i]
            for t in range(n_targets):
                U[i, k + 1 + t] = y[b, i, t]
        _factorise(k, U)
        explained = 0.0
        for t in range(n_targets):
            mean[b, t] = 0.0
        for i in range(k):
            explained += U[i, k] * U[i, k]
            for t in range(n_targets):
                mean[b, t] += U[i, k] * U[i, k + 1 + t]
        variance[b] = max(prior - explained, 0.0)


@compiled_sum
def _sum_products(u, v):
    wide_vectors()
    total = 0.0
    for j in range(u.size):
        total += u[j] * v[j]
    return total


@compiled
def _solve_upper(U, k, z, out):
    """out = U⁻¹z for the first k columns of U."""
    for step in range(k):
        j = k - 1 - step
        out[j] = (z[j] - _sum_products(U[j][j + 1 : k], out[j + 1 :])) / U[j, j]


@compiled
def _weights(factors, out):
    n_queries, k = out.shape
    for b in range(n_queries):
        _solve_upper(factors[b], k, factors[b, :, k].copy(), out[b])


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
def _weigh(bar, slope, g, waves, i, weight, odd):
    """weight_j = bar_j slope_j cos, odd_j = bar_j g_j sin, and g_j cos into g; `waves`: cosines and sines (1 + k,)."""
    cosine, sine = waves
    for j in range(bar.size):
        c = cosine[i] * cosine[i + 1 + j] + sine[i] * sine[i + 1 + j]
        s = sine[i] * cosine[i + 1 + j] - cosine[i] * sine[i + 1 + j]
        weight[j] = bar[j] * slope[j] * c
        odd[j] = bar[j] * g[j] * s
        g[j] *= c


@compiled
def _add_row_pullback(columns, waves, i, kernel, bar, work, sums):
    """Derivatives by log v, a and μ of Σ_j bar_j k(x_i, x_j) over the points after point i."""
    dof, variance, scale, centre = kernel
    size, d = bar.size, columns.shape[0]
    r2, g, slope, weight, odd = work[0][:size], work[1][:size], work[2][:size], work[3][:size], work[4][:size]
    for q in range(variance.size):
        v, row = variance[q], sums[q]
        _distances(columns, i, scale[q], r2)
        profile_and_slope(r2, dof[q], g, slope)
        if centre.shape[0] > 0:
            _weigh(bar, slope, g, (waves[0, q], waves[1, q]), i, weight, odd)
            for m in range(d):
                row[1 + d + m] += v * _sum_differences(odd, columns[m][i + 1 :], columns[m, i])
        else:
            for j in range(size):
                weight[j] = bar[j] * slope[j]
        row[0] += 2.0 * v * _sum_products(bar, g)
        for m in range(d):
            row[1 + m] += 2.0 * v * scale[q, m] * _sum_squares(weight, columns[m][i + 1 :], columns[m, i])


@compiled
def _moments_pullback(query, x, noise, kernel, factors, bars, sums):
    """Sums (Q, 1 + 2d) by log v, a and μ; the derivative by the logarithm of all noise is what comes back."""
    mean_bar, variance_bar = bars
    n_queries, k, d = x.shape
    n_targets = mean_bar.shape[1]
    columns, work, bar = np.empty((d, 1 + k)), np.empty((5, 1 + k)), np.empty(k)
    waves = np.empty((2, kernel[3].shape[0], 1 + k))
    w, beta, z, u = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    log_noise_bar = 0.0
    for b in range(n_queries):
        U, v_bar = factors[b], variance_bar[b]
        for i in range(k):
            z[i], u[i] = U[i, k], 0.0
            for t in range(n_targets):
                u[i] += mean_bar[b, t] * U[i, k + 1 + t]
        _solve_upper(U, k, z, w)
        _solve_upper(U, k, u, beta)
        _fill_columns(query[b], x[b], columns)
        _fill_waves(columns, kernel[3], waves)
        diagonal = v_bar
        for j in range(k):
            bar[j] = beta[j] - 2.0 * v_bar * w[j]
            on_diagonal = v_bar * w[j] * w[j] - w[j] * beta[j]
            diagonal += on_diagonal
            log_noise_bar += on_diagonal * noise[b, j]
        _add_row_pullback(columns, waves, 0, kernel, bar, work, sums)
        for i in range(k):
            pairs = bar[i + 1 :]
            for j in range(pairs.size):
                pairs[j] = 2.0 * v_bar * w[i] * w[i + 1 + j] - w[i] * beta[i + 1 + j] - w[i + 1 + j] * beta[i]
            _add_row_pullback(columns, waves, 1 + i, kernel, pairs, work, sums)
        for q in range(kernel[1].size):
            sums[q, 0] += 2.0 * kernel[1][q] * diagonal
    return log_noise_bar


def moments(block: LocalBlock, kernel: LocalKernel, *, keep: bool = True) -> tuple[Array, Array, Array]:
    """Factors (B, k, k + 1 + T), mean (B, T) and variance (B,) of the latent function at the queries.

    Without `keep`, one factor is written over the other: memory that is used again is much faster.
    """
    query, x, y, noise = row_major(np.float64, *block)
    (n_queries, k), n_targets = x.shape[:2], y.shape[2]
    factors = np.empty((n_queries if keep else 1, k, k + 1 + n_targets))
    mean, variance = np.empty((n_queries, n_targets)), np.empty(n_queries)
    _moments(query, x, y, noise, tuple(kernel), factors, mean, variance)
    return factors, mean, variance


def moments_pullback(
    block: LocalBlock, kernel: LocalKernel, factors: Array, mean_bar: Array, variance_bar: Array
) -> tuple[Array, float]:
    """Sums (Q, 1 + 2d) by log v, a and μ, and the derivative by the logarithm of all noise variances together."""
    query, x, _, noise = row_major(np.float64, *block)
    sums = np.zeros((len(kernel.variance), 1 + 2 * x.shape[2]))
    bars = row_major(np.float64, mean_bar, variance_bar)
    log_noise_bar = _moments_pullback(query, x, noise, tuple(kernel), factors, bars, sums)
    return sums, float(log_noise_bar)


def neighbour_weights(factors: Array) -> Array:
    """C⁻¹k (B, k): what each neighbour's target counts in the mean of its query."""
    out = np.empty(factors.shape[:2])
    _weights(factors, out)
    return out
