"""NumPy twins of every compiled function: the contract, and the oracle of its tests.

In: arrays of one block of rows, float32 or float64. Out: written into the arrays passed last, or returned.
Each function here has the name, the arguments and the result of its twin in `compiled/`, which must agree to rounding.
This file knows nothing of kernels, parameters or evidence. Paper, sections 3.2 and 4.
"""

from typing import TypeAlias

import numpy as np

from alakarte.records import Array, Integers

Dof: TypeAlias = int | tuple[int, ...]  # of the profile of all components, or of each


def hadamard(x: Array) -> None:
    """Replace each row u of `x` (rows, p) by H u, H the unnormalised Hadamard matrix of Sylvester's order.

    p is a power of two; H H = p I.
    """
    half = 1
    while half < x.shape[1]:
        pairs = x.reshape(x.shape[0], x.shape[1] // (2 * half), 2, half)
        upper = pairs[:, :, 0].copy()
        pairs[:, :, 0] += pairs[:, :, 1]
        pairs[:, :, 1] = upper - pairs[:, :, 1]
        half *= 2


def sincos(x: Array, sine: Array, cosine: Array) -> None:
    """Write sin x and cos x into two arrays of the shape of `x`."""
    np.sin(x, out=sine)
    np.cos(x, out=cosine)


def project(
    x: Array,
    input_scale: Array,
    signs: Array,
    permutation: Integers,
    gaussians: Array,
    factor: Array,
    position: Integers,
    phase: Array,
) -> None:
    """phase_j = factor_j [H G Π H B pad(x ∘ a)]_j for every stack, the kept rows of all stacks side by side.

    Parameters
    ----------
    x : (rows, d)
    input_scale : (stacks, d), a, one row per stack
    signs, gaussians, factor : (stacks, p), B, G and κ∘S
    permutation : (stacks, p) int, (Π u)_i = u_permutation[i]
    position : (F,) int, ascending; frequency f is entry position[f] of the stacks · p outputs of all stacks
    phase : (rows, F), written
    """
    outputs = _stacks(x, input_scale, signs, permutation, gaussians)[2] * factor[:, None]
    phase[...] = np.concatenate(list(outputs), axis=1)[:, position]


def project_pullback(
    x: Array,
    input_scale: Array,
    signs: Array,
    permutation: Integers,
    gaussians: Array,
    factor: Array,
    position: Integers,
    phase_bar: Array,
) -> tuple[Array, Array, Array, Array]:
    """Return the derivatives of `project`, summed over the rows of the block, from phase_bar (rows, F).

    Returns
    -------
    input_scale_bar (stacks, d), signs_bar (stacks, p), gaussians_bar (stacks, p), factor_bar (stacks, p)
    """
    n_stacks, p = signs.shape
    bar = np.zeros((x.shape[0], n_stacks * p), dtype=phase_bar.dtype)
    bar[:, position] = phase_bar
    bar = bar.reshape(-1, n_stacks, p).swapaxes(0, 1)
    padded, mixed, output = _stacks(x, input_scale, signs, permutation, gaussians)
    inner = np.ascontiguousarray(bar * factor[:, None])
    hadamard(inner.reshape(-1, p))
    back = np.argsort(permutation, axis=1)  # (Πᵀ t)_π(i) = t_i
    outer = np.take_along_axis(inner * gaussians[:, None], back[:, None], axis=2)
    hadamard(outer.reshape(-1, p))
    input_scale_bar = ((outer * signs[:, None])[:, :, : x.shape[1]] * x).sum(axis=1)
    return input_scale_bar, (outer * padded).sum(axis=1), (inner * mixed).sum(axis=1), (bar * output).sum(axis=1)


def _stacks(
    x: Array, input_scale: Array, signs: Array, permutation: Integers, gaussians: Array
) -> tuple[Array, Array, Array]:
    """x̃ = pad(x ∘ a), Π H B x̃ and H G Π H B x̃ of all stacks, (stacks, rows, p) each."""
    (n_stacks, p), (n, d) = signs.shape, x.shape
    padded = np.zeros((n_stacks, n, p), dtype=x.dtype)
    padded[:, :, :d] = x * input_scale[:, None]
    mixed = padded * signs[:, None]
    hadamard(mixed.reshape(-1, p))
    mixed = np.take_along_axis(mixed, permutation[:, None], axis=2)
    output = mixed * gaussians[:, None]
    hadamard(output.reshape(-1, p))
    return padded, mixed, output


def wave_pairs(phase: Array, phi: Array) -> None:
    """Write phi (rows, 2F) = [cos phase | sin phase]."""
    n_frequencies = phase.shape[1]
    np.cos(phase, out=phi[:, :n_frequencies])
    np.sin(phase, out=phi[:, n_frequencies:])


def wave_pairs_pullback(
    phi: Array, phi_p: Array, residual: Array, weight_mean: Array, row_weight: Array, phase_bar: Array
) -> None:
    """Write phase_bar (rows, F) from Φ_bar = W (Φ P − r βᵀ), all factors 1/s already in `phi_p` and `weight_mean`.

    Parameters
    ----------
    phi, phi_p : (rows, 2F), Φ and Φ P
    residual, row_weight : (rows,), r and the diagonal of W
    weight_mean : (2F,), β
    phase_bar : (rows, F), written: cos ∘ sin_bar − sin ∘ cos_bar
    """
    phi_bar = (phi_p - residual[:, None] * weight_mean) * row_weight[:, None]
    cosine, sine = np.split(phi, 2, axis=1)
    cosine_bar, sine_bar = np.split(phi_bar, 2, axis=1)
    phase_bar[...] = cosine * sine_bar - sine * cosine_bar


def wave_pairs_dot(phase: Array, weight_mean: Array) -> Array:
    """φᵀβ (rows,) of `wave_pairs`: Σ_f cos(phase_f) β_f + sin(phase_f) β_{F+f}, weight_mean β (2F,)."""
    n_frequencies = phase.shape[1]
    return np.cos(phase) @ weight_mean[:n_frequencies] + np.sin(phase) @ weight_mean[n_frequencies:]


def wave_products(phase: Array, shift: Array, component: Integers, phi: Array) -> None:
    """Write phi (rows, 4F) = [cos ξ cos ζ | sin ξ cos ζ | cos ξ sin ζ | sin ξ sin ζ].

    ξ = phase (rows, F); ζ = shift (rows, Q), the column component[f] (F,), ascending, for frequency f.
    """
    n_frequencies = phase.shape[1]
    cos_xi, sin_xi = np.cos(phase), np.sin(phase)
    cos_zeta, sin_zeta = np.cos(shift)[:, component], np.sin(shift)[:, component]
    for i, product in enumerate((cos_xi * cos_zeta, sin_xi * cos_zeta, cos_xi * sin_zeta, sin_xi * sin_zeta)):
        phi[:, i * n_frequencies : (i + 1) * n_frequencies] = product


def wave_products_pullback(
    phi: Array,
    phi_p: Array,
    residual: Array,
    weight_mean: Array,
    row_weight: Array,
    phase_bar: Array,
    zeta_bar: Array,
) -> None:
    """phase_bar and zeta_bar (rows, F) of `wave_products`; arguments as in `wave_pairs_pullback`.

    ξ_bar = cc∘sc_bar + cs∘ss_bar − sc∘cc_bar − ss∘cs_bar,  ζ_bar = cc∘cs_bar + sc∘ss_bar − cs∘cc_bar − ss∘sc_bar
    with the first letter for ξ: the products are all that is needed. ζ_bar has a column for every frequency; the
    derivative by a component's shift is the sum of its columns.
    """
    phi_bar = (phi_p - residual[:, None] * weight_mean) * row_weight[:, None]
    cc, sc, cs, ss = np.split(phi, 4, axis=1)
    cc_bar, sc_bar, cs_bar, ss_bar = np.split(phi_bar, 4, axis=1)
    phase_bar[...] = cc * sc_bar + cs * ss_bar - sc * cc_bar - ss * cs_bar
    zeta_bar[...] = cc * cs_bar + sc * ss_bar - cs * cc_bar - ss * sc_bar


def wave_products_dot(phase: Array, shift: Array, component: Integers, weight_mean: Array) -> Array:
    """φᵀβ (rows,) of `wave_products`, weight_mean β (4F,)."""
    phi = np.empty((phase.shape[0], 4 * phase.shape[1]), dtype=phase.dtype)
    wave_products(phase, shift, component, phi)
    return phi @ weight_mean


def kernel_rows(x: Array, other: Array, dof: Dof, variance: Array, scale: Array, centre: Array | None) -> Array:
    """k(x, other) (rows, rows') = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ, τ = x − x'.

    Parameters
    ----------
    x, other : (rows, d), (rows', d)
    dof : 0 for the Gaussian g = exp(−r²/2); 1, 3, 5 for Matérn of smoothness dof/2; one for all components, or (Q,)
    variance : (Q,), v²
    scale : (Q, d), a
    centre : (Q, d), μ, or None
    """
    total = np.zeros((len(x), len(other)))
    for q in range(len(variance)):
        tau = x[:, None, :] - other[None, :, :]
        value = profile(((tau * scale[q]) ** 2).sum(axis=2), int(np.broadcast_to(dof, len(variance))[q]))[0]
        total += variance[q] * value * (1.0 if centre is None else np.cos(tau @ centre[q]))
    return total


def kernel_rows_dot(
    x: Array, other: Array, dof: Dof, variance: Array, scale: Array, centre: Array | None, weights: Array
) -> Array:
    """k(x, other)·w (rows, T) for weights (T, rows')."""
    return kernel_rows(x, other, dof, variance, scale, centre) @ weights.T


def gram_rows(
    x: Array, root: Array, dof: Dof, variance: Array, scale: Array, centre: Array | None, part: tuple[int, int]
) -> Array:
    """Rows `part` of w_i^½ k(x, x) w_j^½ (n, n), from the diagonal on, zeros elsewhere; root (n,): w^½."""
    inside = np.zeros((len(x), len(x)))
    inside[slice(*part)] = 1.0
    return np.triu(kernel_rows(x, x, dof, variance, scale, centre) * np.outer(root, root)) * inside


def gram_rows_pullback(
    x: Array,
    root: Array,
    dof: Dof,
    variance: Array,
    scale: Array,
    centre: Array | None,
    part: tuple[int, int],
    inverse: Array,
    alpha: Array,
) -> Array:
    """Sums (Q, 1 + 2d) of derivatives by log v, a and μ over the pairs of `gram_rows`.

    The derivative of nlml by k is ½ w_i^½ w_j^½ (T K⁻¹ − Σ_t α_t α_tᵀ)_ij, for both triangles, with K⁻¹ (n, n) from its
    diagonal on and α (T, n).
    """
    d = x.shape[1]
    bar = pair_bar(root, part, inverse, alpha)
    sums = np.zeros((len(variance), 1 + 2 * d))
    tau = x[:, None, :] - x[None, :, :]
    for q in range(len(variance)):
        value, slope = profile(((tau * scale[q]) ** 2).sum(axis=2), int(np.broadcast_to(dof, len(variance))[q]))
        angle = np.zeros_like(value) if centre is None else tau @ centre[q]
        sums[q, 0] = 2 * variance[q] * np.sum(bar * value * np.cos(angle))
        weight = variance[q] * bar * slope * np.cos(angle)
        sums[q, 1 : 1 + d] = 2 * scale[q] * np.einsum("ij,ijk->k", weight, tau**2)
        sums[q, 1 + d :] = -variance[q] * np.einsum("ij,ijk->k", bar * value * np.sin(angle), tau)
    return sums


def pair_bar(root: Array, part: tuple[int, int], inverse: Array, alpha: Array) -> Array:
    """(n, n) derivatives of nlml by k over the pairs of `gram_rows`."""
    bar: Array = np.triu((len(alpha) * inverse - alpha.T @ alpha) * np.outer(root, root))
    bar -= 0.5 * np.diag(bar.diagonal())
    bar[: part[0]], bar[part[1] :] = 0.0, 0.0
    return bar


def mapped_pullback(
    x: Array, bar: Array, dof: int, variance: float, input_map: Array, centre: Array
) -> tuple[Array, Array]:
    """Of one component with Aτ, A (d, d), for a∘τ: derivatives by log v and μ (1 + d,), and by Ax (d, n).

    `bar` (n, n) is the derivative of nlml by k from the diagonal on.
    """
    tau = x[:, None, :] - x[None, :, :]
    mapped, angle = tau @ input_map.T, tau @ centre
    value, slope = profile((mapped**2).sum(axis=2), dof)
    pulled = (2 * variance * bar * slope * np.cos(angle))[..., None] * mapped
    centre_bar = -variance * np.einsum("ij,ijk->k", bar * value * np.sin(angle), tau)
    log_amplitude_bar = 2 * variance * np.sum(bar * value * np.cos(angle))
    return np.append(log_amplitude_bar, centre_bar), (pulled.sum(axis=1) - pulled.sum(axis=0)).T


def profile(r2: Array, dof: int) -> tuple[Array, Array]:
    """g(r²) and dg/d(r²); of Matérn ½ the slope is infinite at r = 0, where it multiplies τ² = 0: zero there."""
    if dof == 0:
        return np.exp(-0.5 * r2), -0.5 * np.exp(-0.5 * r2)
    t = np.sqrt(dof * r2)
    e = np.exp(-t)
    if dof == 1:
        return e, np.where(t > 0, -0.5 * e / np.maximum(t, 1e-150), 0.0)
    if dof == 3:
        return (1 + t) * e, -1.5 * e
    return (1 + t + t**2 / 3) * e, -(5 / 6) * (1 + t) * e


def sums_of_powers(r2: Array, rate: float, n_powers: Integers, weights: Array, sums: Array) -> None:
    """sums (L, K, n) += Σ_i weights_ik e^(−2^l rate r2_ij) for l < n_powers_i; r2 (rows, n), weights (rows, K)."""
    for power in range(len(sums)):
        sums[power] += (weights * (power < n_powers)[:, None]).T @ np.exp(-(2**power) * rate * r2)


def powers_dot(r2: Array, rate: float, sums: Array, total: Array) -> None:
    """total (rows, K, n) += Σ_l sums_lkj e^(−2^l rate r2_ij); sums (L, K, n)."""
    for power in range(len(sums)):
        total += sums[power] * np.exp(-(2**power) * rate * r2)[:, None]
