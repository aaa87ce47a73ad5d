"""Sines and cosines of phases, the features made of them, and the pullbacks, as plain loops.

In: phases of one block of rows, float32 or float64. Out: written into the array passed last.
Names, arguments and results are those of `reference.py`, where the formulas stand. The loops are few and flat: each
costs a user's first fit a fifth of a second. All callees are in this file: Numba's cache notices changes of a
function's own file only. Paper, section 4.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import DTypeLike

from alakarte.compiled.jit import OPTIONS, compiled, compiled_sum, wide_vectors
from alakarte.compiled.layout import row_major, writable
from alakarte.records import Array, Integers

_LIMIT = {4: 8192.0, 8: 1.0e5}  # bytes: the largest |x| for which k π/2 is exact in the first two steps of _sincos
_ROUND64, _ROUND32 = 6755399441055744.0, np.float32(12582912)  # 1.5·2^52, 1.5·2^23: x + c − c is x to the next integer
_F32 = np.float32


def _sincos64(x):
    """sin x and cos x; Cody–Waite: r = x − k π/2 with π/2 in three parts, then polynomials."""
    shifted = x * 0.6366197723675814 + _ROUND64
    k = shifted - _ROUND64
    r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21
    z = r * r
    s = 2.5050760253406863e-08 - z * 1.5896909952115501e-10
    s = 8.3333333333224895e-03 - z * (1.9841269829857949e-04 - z * (2.7557313707070068e-06 - z * s))
    s = r - r * z * (1.6666666666666632e-01 - z * s)
    c = 2.7557314351390663e-07 - z * (2.0875723212981748e-09 - z * 1.1359647557788195e-11)
    c = 4.1666666666666602e-02 - z * (1.3888888888874110e-03 - z * (2.4801587289476729e-05 - z * c))
    c = (1.0 - 0.5 * z) + z * z * c
    quadrant = np.float64(shifted).view(np.int64)  # its low bits are those of k
    u, v = (c, s) if (quadrant & 1) != 0 else (s, c)
    return -u if (quadrant & 2) != 0 else u, -v if ((quadrant + 1) & 2) != 0 else v


def _sincos32(x):
    """`_sincos64` for float32."""
    shifted = x * _F32(0.63661977) + _ROUND32
    k = shifted - _ROUND32
    r = ((x - k * _F32(1.5703125)) - k * _F32(4.837512969970703e-4)) - k * _F32(7.549789954891882e-8)
    z = r * r
    s = r - r * z * (_F32(1.6666654611e-1) - z * (_F32(8.3321608736e-3) - z * _F32(1.9515295891e-4)))
    c = _F32(4.166664568298827e-2) - z * (_F32(1.388731625493765e-3) - z * _F32(2.443315711809948e-5))
    c = (_F32(1) - _F32(0.5) * z) + z * z * c
    quadrant = _F32(shifted).view(np.int32)
    u, v = (c, s) if (quadrant & np.int32(1)) != 0 else (s, c)
    return -u if (quadrant & np.int32(2)) != 0 else u, -v if ((quadrant + np.int32(1)) & np.int32(2)) != 0 else v


def _sincos(x):
    """The function for the dtype of `x`; compiled, the overload below makes the choice."""
    return (_sincos32 if x.dtype == np.float32 else _sincos64)(x)


@overload(_sincos, jit_options=OPTIONS)
def _sincos_of_dtype(x):
    return _sincos32 if x.bitwidth == 32 else _sincos64


def _guarded(loop: Callable[..., bool], angle: Array, *arguments: Any) -> None:
    """Run loop(angle, limit, *arguments), which tells whether all angles are within the limit.

    If not, those beyond are brought into one period, the slow way, and it runs again: others keep their bits.
    """
    limit = angle.dtype.type(_LIMIT[angle.itemsize])
    if not loop(angle, limit, *arguments):
        beyond = ~(np.abs(angle) <= limit)  # NaN too
        with np.errstate(invalid="ignore"):
            far = angle[beyond].astype(np.float64)
            angle = angle.copy()
            angle[beyond] = np.arctan2(np.sin(far), np.cos(far))
        loop(angle, limit, *arguments)


def sincos(x: Array, sine: Array, cosine: Array) -> None:
    """Write sin x and cos x into two arrays of the shape of `x`."""
    (x,) = row_major(x.dtype, x)
    with writable(sine, *x.shape) as sine_out, writable(cosine, *x.shape) as cosine_out:
        _guarded(_sincos_flat, x.reshape(-1), sine_out.reshape(-1), cosine_out.reshape(-1))


@compiled
def _sincos_flat(x, limit, sine, cosine):
    wide_vectors()
    within = True
    for i in range(x.size):
        sine[i], cosine[i] = _sincos(x[i])
        within &= abs(x[i]) <= limit
    return within


def wave_pairs(phase: Array, phi: Array) -> None:
    """Write phi (rows, 2F) = [cos phase | sin phase]."""
    n_rows, n_frequencies = phase.shape
    with writable(phi, n_rows, 2 * n_frequencies) as out:
        _guarded(_wave_pairs, *row_major(phi.dtype, phase), out)


@compiled
def _wave_pairs(phase, limit, phi):
    wide_vectors()
    n_rows, n = phase.shape
    within = True
    for i in range(n_rows):
        xi, cosine, sine = phase[i], phi[i, :n], phi[i, n:]  # LLVM refuses two writes to one array n apart
        for f in range(n):
            sine[f], cosine[f] = _sincos(xi[f])
            within &= abs(xi[f]) <= limit
    return within


def wave_pairs_pullback(
    phi: Array, phi_p: Array, residual: Array, weight_mean: Array, row_weight: Array, phase_bar: Array
) -> None:
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


def wave_pairs_dot(phase: Array, weight_mean: Array) -> Array:
    """φᵀβ (rows,) of `wave_pairs`, phi never stored; a row's value does not depend on the other rows."""
    phase, weight_mean = row_major(phase.dtype, phase, weight_mean)
    mean = np.empty(len(phase), phase.dtype)
    _guarded(_wave_pairs_dot, phase, weight_mean, mean)
    return mean


@compiled_sum
def _wave_pairs_dot(phase, limit, weight_mean, mean):
    wide_vectors()
    n_rows, n = phase.shape
    cosine_mean, sine_mean = weight_mean[:n], weight_mean[n:]
    within = True
    for i in range(n_rows):
        xi, total = phase[i], phase.dtype.type(0)
        for f in range(n):
            sine, cosine = _sincos(xi[f])
            total += cosine * cosine_mean[f] + sine * sine_mean[f]
            within &= abs(xi[f]) <= limit
        mean[i] = total
    return within


def wave_products(phase: Array, shift: Array, component: Integers, phi: Array) -> None:
    """Write phi (rows, 4F) = [cos ξ cos ζ | sin ξ cos ζ | cos ξ sin ζ | sin ξ sin ζ], as in `reference.py`."""
    n_rows, n_frequencies = phase.shape
    row = np.empty((2, n_frequencies), phi.dtype)
    with writable(phi, n_rows, 4 * n_frequencies) as out:
        _guarded(_wave_products, *_phase_zeta_edge(phi.dtype, phase, shift, component), row[0], row[1], out)


def _phase_zeta_edge(
    dtype: DTypeLike, phase: Array, shift: Array, component: Integers
) -> tuple[Array, Array, Integers]:
    """The phases, [cos ζ | sin ζ] (rows, 2Q), and where the frequencies of each component start (Q + 1,)."""
    phase, shift = row_major(dtype, phase, shift)
    n_rows, n_components = shift.shape
    zeta = np.empty((n_rows, 2 * n_components), dtype)
    wave_pairs(shift, zeta)
    return phase, zeta, np.searchsorted(component, np.arange(n_components + 1))


@compiled
def _wave_products(phase, limit, zeta, edge, u, v, phi):
    wide_vectors()
    n_rows, n = phase.shape
    n_components = edge.size - 1
    within = True
    for i in range(n_rows):
        for q in range(n_components):  # a range that starts at 0 vectorises: no index can be negative
            cos_zeta, sin_zeta, part = zeta[i, q], zeta[i, n_components + q], slice(edge[q], edge[q + 1])
            u_part, v_part = u[part], v[part]
            for f in range(u_part.size):
                u_part[f] = cos_zeta
                v_part[f] = sin_zeta
        xi, cc, sc, cs, ss = phase[i], phi[i, :n], phi[i, n : 2 * n], phi[i, 2 * n : 3 * n], phi[i, 3 * n :]
        for f in range(n):
            sine, cosine = _sincos(xi[f])
            cc[f] = cosine * u[f]
            sc[f] = sine * u[f]
            cs[f] = cosine * v[f]
            ss[f] = sine * v[f]
            within &= abs(xi[f]) <= limit
    return within


def wave_products_pullback(
    phi: Array,
    phi_p: Array,
    residual: Array,
    weight_mean: Array,
    row_weight: Array,
    phase_bar: Array,
    zeta_bar: Array,
) -> None:
    """phase_bar and zeta_bar (rows, F) of `wave_products`; arguments as in `reference.py`."""
    arguments = row_major(phi.dtype, phi, phi_p, residual, weight_mean, row_weight)
    shape = phi.shape[0], phi.shape[1] // 4
    with writable(phase_bar, *shape) as phase_out, writable(zeta_bar, *shape) as zeta_out:
        _wave_products_pullback(*arguments, phase_out, zeta_out)


@compiled
def _wave_products_pullback(phi, phi_p, residual, weight_mean, row_weight, phase_bar, zeta_bar):
    wide_vectors()
    n_rows, n = phase_bar.shape
    for i in range(n_rows):
        r, w = residual[i], row_weight[i]
        xi_bar, shift_bar = phase_bar[i], zeta_bar[i]
        for f in range(n):
            cc, sc, cs, ss = phi[i, f], phi[i, n + f], phi[i, 2 * n + f], phi[i, 3 * n + f]
            cc_bar = phi_p[i, f] - r * weight_mean[f]
            sc_bar = phi_p[i, n + f] - r * weight_mean[n + f]
            cs_bar = phi_p[i, 2 * n + f] - r * weight_mean[2 * n + f]
            ss_bar = phi_p[i, 3 * n + f] - r * weight_mean[3 * n + f]
            xi_bar[f] = w * ((cc * sc_bar - sc * cc_bar) + (cs * ss_bar - ss * cs_bar))
            shift_bar[f] = w * ((cc * cs_bar - cs * cc_bar) + (sc * ss_bar - ss * sc_bar))


def wave_products_dot(phase: Array, shift: Array, component: Integers, weight_mean: Array) -> Array:
    """φᵀβ (rows,) of `wave_products`, phi never stored; a row's value does not depend on the other rows."""
    phase, zeta, edge = _phase_zeta_edge(phase.dtype, phase, shift, component)
    mean = np.empty(len(phase), phase.dtype)
    _guarded(_wave_products_dot, phase, zeta, edge, *row_major(phase.dtype, weight_mean), mean)
    return mean


@compiled_sum
def _wave_products_dot(phase, limit, zeta, edge, weight_mean, mean):
    wide_vectors()
    n_rows, n = phase.shape
    n_components = edge.size - 1
    within = True
    for i in range(n_rows):
        mean[i] = 0
        for q in range(n_components):
            xi, cc, sc = phase[i, edge[q] : edge[q + 1]], weight_mean[edge[q] : n], weight_mean[n + edge[q] : 2 * n]
            cs, ss = weight_mean[2 * n + edge[q] : 3 * n], weight_mean[3 * n + edge[q] :]
            along_cosine = phase.dtype.type(0)
            along_sine = phase.dtype.type(0)
            for f in range(xi.size):
                sine, cosine = _sincos(xi[f])
                along_cosine += cosine * cc[f] + sine * sc[f]
                along_sine += cosine * cs[f] + sine * ss[f]
                within &= abs(xi[f]) <= limit
            mean[i] += zeta[i, q] * along_cosine + zeta[i, n_components + q] * along_sine
    return within
