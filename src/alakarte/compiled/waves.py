"""Sines and cosines of phases, the features made of them, and the pullbacks, as plain loops.

In: phases of one block of rows, float32 or float64. Out: written into the array passed last, or returned.
Names, arguments and results are those of `reference.py`, where the formulas stand.
All callees are in this file: Numba's cache notices changes of a function's own file only. Paper, section 4.
"""

import math

import numpy as np
from numba.extending import overload

from alakarte.compiled.jit import compiled, compiled_sum, wide_vectors
from alakarte.compiled.layout import row_major, writable

_CHUNK = 1024  # numbers that share one guard against large arguments, and that stay in the first-level cache
_LIMIT64, _LIMIT32 = 1.0e5, np.float32(8192)  # |quadrant| × π/2 is exact in the first two steps of the reduction
_ROUND64, _ROUND32 = (
    6755399441055744.0,
    np.float32(12582912),
)  # 1.5·2^52, 1.5·2^23: x + c − c is x to the nearest integer
_F32 = np.float32


@compiled
def _sincos64(x, sine, cosine):
    """Write sin x and cos x (n,) of float64; Cody–Waite: r = x − k π/2 with π/2 in three parts, then polynomials."""
    wide_vectors()
    within = True
    for i in range(x.size):
        shifted = x[i] * 0.6366197723675814 + _ROUND64
        k = shifted - _ROUND64
        r = ((x[i] - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21
        z = r * r
        s = 2.5050760253406863e-08 - z * 1.5896909952115501e-10
        s = 8.3333333333224895e-03 - z * (1.9841269829857949e-04 - z * (2.7557313707070068e-06 - z * s))
        s = r - r * z * (1.6666666666666632e-01 - z * s)
        c = 2.7557314351390663e-07 - z * (2.0875723212981748e-09 - z * 1.1359647557788195e-11)
        c = 4.1666666666666602e-02 - z * (1.3888888888874110e-03 - z * (2.4801587289476729e-05 - z * c))
        c = (1.0 - 0.5 * z) + z * z * c
        quadrant = np.float64(shifted).view(np.int64)  # its low bits are those of k
        odd = (quadrant & 1) != 0
        u, v = (c, s) if odd else (s, c)
        sine[i] = -u if (quadrant & 2) != 0 else u
        cosine[i] = -v if ((quadrant + 1) & 2) != 0 else v
        within = within & (abs(x[i]) <= _LIMIT64)
    if not within:
        _sincos_any(x, sine, cosine)


@compiled
def _sincos32(x, sine, cosine):
    """`_sincos64` for float32."""
    wide_vectors()
    within = True
    for i in range(x.size):
        shifted = x[i] * _F32(0.63661977) + _ROUND32
        k = shifted - _ROUND32
        r = ((x[i] - k * _F32(1.5703125)) - k * _F32(4.837512969970703e-4)) - k * _F32(7.549789954891882e-8)
        z = r * r
        s = r - r * z * (_F32(1.6666654611e-1) - z * (_F32(8.3321608736e-3) - z * _F32(1.9515295891e-4)))
        c = _F32(4.166664568298827e-2) - z * (_F32(1.388731625493765e-3) - z * _F32(2.443315711809948e-5))
        c = (_F32(1) - _F32(0.5) * z) + z * z * c
        quadrant = _F32(shifted).view(np.int32)
        odd = (quadrant & np.int32(1)) != 0
        u, v = (c, s) if odd else (s, c)
        sine[i] = -u if (quadrant & np.int32(2)) != 0 else u
        cosine[i] = -v if ((quadrant + np.int32(1)) & np.int32(2)) != 0 else v
        within = within & (abs(x[i]) <= _LIMIT32)
    if not within:
        _sincos_any(x, sine, cosine)


@compiled
def _sincos_any(x, sine, cosine):
    """Write sin x and cos x (n,) the slow way, good for every argument; NaN for NaN and inf."""
    for i in range(x.size):
        finite = math.isfinite(x[i])
        sine[i] = math.sin(x[i]) if finite else math.nan
        cosine[i] = math.cos(x[i]) if finite else math.nan


def _sincos(x, sine, cosine):
    """Call the function for the dtype of `x`; compiled, the overload below makes the choice."""
    (_sincos32 if x.dtype == np.float32 else _sincos64)(x, sine, cosine)


@overload(_sincos)
def _sincos_of_dtype(x, sine, cosine):
    if x.dtype.bitwidth == 32:
        return lambda x, sine, cosine: _sincos32(x, sine, cosine)
    return lambda x, sine, cosine: _sincos64(x, sine, cosine)


@compiled
def _sincos_chunks(x, sine, cosine):
    for start in range(0, x.size, _CHUNK):
        chunk = slice(start, min(start + _CHUNK, x.size))
        _sincos(x[chunk], sine[chunk], cosine[chunk])


def sincos(x, sine, cosine):
    """Write sin x and cos x into two arrays of the shape of `x`."""
    (x,) = row_major(x.dtype, x)
    with writable(sine, *x.shape) as sine_out, writable(cosine, *x.shape) as cosine_out:
        _sincos_chunks(x.reshape(-1), sine_out.reshape(-1), cosine_out.reshape(-1))


def wave_pairs(phase, phi):
    """Write phi (rows, 2F) = [cos phase | sin phase]."""
    n_rows, n_frequencies = phase.shape
    with writable(phi, n_rows, 2 * n_frequencies) as out:
        _wave_pairs(*row_major(phi.dtype, phase), out)


@compiled
def _wave_pairs(phase, phi):
    n_rows, n = phase.shape
    group = max(1, _CHUNK // max(n, 1))  # short rows share a chunk: a call costs as much as a hundred numbers
    flat, cosine, sine = phase.reshape(-1), np.empty(group * n, phase.dtype), np.empty(group * n, phase.dtype)
    for first in range(0, n_rows, group):
        last = min(first + group, n_rows)
        if group == 1:
            _sincos_chunks(phase[first], phi[first, n:], phi[first, :n])
            continue
        size = (last - first) * n
        _sincos(flat[first * n : last * n], sine[:size], cosine[:size])
        for i in range(first, last):
            part = slice((i - first) * n, (i - first + 1) * n)
            _copy(cosine[part], sine[part], phi[i, :n], phi[i, n:])


@compiled
def _copy(u, v, u_out, v_out):
    wide_vectors()
    for i in range(u.size):
        u_out[i] = u[i]
        v_out[i] = v[i]


def wave_pairs_pullback(phi, phi_p, residual, weight_mean, row_weight, phase_bar):
    """phase_bar (rows, F) from Φ_bar = W (Φ P − r βᵀ); arguments as in `reference.py`."""
    arguments = row_major(phi.dtype, phi, phi_p, residual, weight_mean, row_weight)
    with writable(phase_bar, phi.shape[0], phi.shape[1] // 2) as out:
        _wave_pairs_pullback(*arguments, out)


@compiled
def _wave_pairs_pullback(phi, phi_p, residual, weight_mean, row_weight, phase_bar):
    wide_vectors()
    n_rows, n = phase_bar.shape
    for i in range(n_rows):
        r, w = residual[i], row_weight[i]
        for f in range(n):
            cosine_bar = phi_p[i, f] - r * weight_mean[f]
            sine_bar = phi_p[i, n + f] - r * weight_mean[n + f]
            phase_bar[i, f] = w * (phi[i, f] * sine_bar - phi[i, n + f] * cosine_bar)


def wave_pairs_dot(phase, weight_mean):
    """φᵀβ (rows,) of `wave_pairs`, phi never stored; a row's value does not depend on the other rows."""
    return _wave_pairs_dot(*row_major(phase.dtype, phase, weight_mean))


@compiled
def _wave_pairs_dot(phase, weight_mean):
    n_rows, n = phase.shape
    mean = np.zeros(n_rows, phase.dtype)
    cosine, sine = np.empty(n, phase.dtype), np.empty(n, phase.dtype)
    for i in range(n_rows):
        _sincos_chunks(phase[i], sine, cosine)
        mean[i] = _dot(cosine, weight_mean[:n]) + _dot(sine, weight_mean[n:])
    return mean


@compiled_sum
def _dot(u, v):
    wide_vectors()
    total = u.dtype.type(0)
    for i in range(u.size):
        total += u[i] * v[i]
    return total


def wave_products(phase, shift, component, phi):
    """Write phi (rows, 4F) = [cos ξ cos ζ | sin ξ cos ζ | cos ξ sin ζ | sin ξ sin ζ], as in `reference.py`."""
    n_rows, n_frequencies = phase.shape
    with writable(phi, n_rows, 4 * n_frequencies) as out:
        _wave_products(*row_major(phi.dtype, phase, shift), *_runs(component), out)


@compiled
def _wave_products(phase, shift, run_start, run_component, phi):
    n_rows, n = phase.shape
    cos_zeta, sin_zeta = np.empty_like(shift), np.empty_like(shift)
    _sincos_chunks(shift.reshape(-1), sin_zeta.reshape(-1), cos_zeta.reshape(-1))
    group = max(1, _CHUNK // max(n, 1))
    flat, cosine, sine = phase.reshape(-1), np.empty(group * n, phase.dtype), np.empty(group * n, phase.dtype)
    for first in range(0, n_rows, group):
        last = min(first + group, n_rows)
        size = (last - first) * n
        _sincos_chunks(flat[first * n : last * n], sine[:size], cosine[:size])
        for i in range(first, last):
            for k in range(run_component.size):
                q, start, stop = run_component[k], run_start[k], run_start[k + 1]
                part = slice((i - first) * n + start, (i - first) * n + stop)
                c, s, row = cosine[part], sine[part], phi[i]
                _times(c, cos_zeta[i, q], sin_zeta[i, q], row[start:stop], row[2 * n + start : 2 * n + stop])
                _times(s, cos_zeta[i, q], sin_zeta[i, q], row[n + start : n + stop], row[3 * n + start : 3 * n + stop])


@compiled
def _times(u, first, second, v, w):
    wide_vectors()
    for i in range(u.size):
        v[i] = u[i] * first
        w[i] = u[i] * second


def wave_products_pullback(phi, phi_p, residual, weight_mean, row_weight, component, phase_bar, shift_bar):
    """phase_bar (rows, F) and shift_bar (rows, Q) of `wave_products`; arguments as in `reference.py`."""
    arguments = row_major(phi.dtype, phi, phi_p, residual, weight_mean, row_weight)
    n_rows, n_columns = phi.shape
    with (
        writable(phase_bar, n_rows, n_columns // 4) as phase_out,
        writable(shift_bar, n_rows, shift_bar.shape[1]) as shift_out,
    ):
        _wave_products_pullback(*arguments, *_runs(component), phase_out, shift_out)


@compiled
def _wave_products_pullback(
    phi, phi_p, residual, weight_mean, row_weight, run_start, run_component, phase_bar, shift_bar
):
    wide_vectors()
    n_rows, n = phase_bar.shape
    bar, zeta_bar = np.empty(4 * n, phi.dtype), np.empty(n, phi.dtype)
    shift_bar[:] = 0
    for i in range(n_rows):
        r, w = residual[i], row_weight[i]
        for f in range(4 * n):
            bar[f] = w * (phi_p[i, f] - r * weight_mean[f])
        cc, sc, cs, ss = phi[i, :n], phi[i, n : 2 * n], phi[i, 2 * n : 3 * n], phi[i, 3 * n :]
        cc_bar, sc_bar, cs_bar, ss_bar = bar[:n], bar[n : 2 * n], bar[2 * n : 3 * n], bar[3 * n :]
        _turn(cc, sc, cc_bar, sc_bar, cs, ss, cs_bar, ss_bar, phase_bar[i])
        _turn(cc, cs, cc_bar, cs_bar, sc, ss, sc_bar, ss_bar, zeta_bar)
        for k in range(run_component.size):
            shift_bar[i, run_component[k]] += _sum(zeta_bar[run_start[k] : run_start[k + 1]])


@compiled
def _turn(c, s, c_bar, s_bar, c2, s2, c2_bar, s2_bar, angle_bar):
    """angle_bar = c∘s_bar − s∘c_bar, for two pairs of columns."""
    wide_vectors()
    for f in range(angle_bar.size):
        angle_bar[f] = (c[f] * s_bar[f] - s[f] * c_bar[f]) + (c2[f] * s2_bar[f] - s2[f] * c2_bar[f])


@compiled_sum
def _sum(u):
    wide_vectors()
    total = u.dtype.type(0)
    for i in range(u.size):
        total += u[i]
    return total


def wave_products_dot(phase, shift, component, weight_mean):
    """φᵀβ (rows,) of `wave_products`, phi never stored; a row's value does not depend on the other rows."""
    return _wave_products_dot(*row_major(phase.dtype, phase, shift, weight_mean), *_runs(component))


@compiled
def _wave_products_dot(phase, shift, weight_mean, run_start, run_component):
    n_rows, n = phase.shape
    mean = np.zeros(n_rows, phase.dtype)
    cosine, sine = np.empty(n, phase.dtype), np.empty(n, phase.dtype)
    cos_zeta, sin_zeta = np.empty_like(shift), np.empty_like(shift)
    _sincos_chunks(shift.reshape(-1), sin_zeta.reshape(-1), cos_zeta.reshape(-1))
    for i in range(n_rows):
        _sincos_chunks(phase[i], sine, cosine)
        for k in range(run_component.size):
            q, start, stop = run_component[k], run_start[k], run_start[k + 1]
            for j in range(2):
                zeta = sin_zeta[i, q] if j else cos_zeta[i, q]
                beta = weight_mean[2 * n * j : 2 * n * (j + 1)]
                mean[i] += zeta * _dot(cosine[start:stop], beta[start:stop])
                mean[i] += zeta * _dot(sine[start:stop], beta[n + start : n + stop])
    return mean


def _runs(component):
    """Bounds (K + 1,) and component (K,) of the runs of equal entries of `component` (F,)."""
    component = np.asarray(component, dtype=np.intp)
    inner = np.flatnonzero(np.diff(component)) + 1
    start = np.concatenate(([0], inner, [component.size])).astype(np.intp)
    return (
        start,
        component[start[:-1]] if component.size else component,
    )
