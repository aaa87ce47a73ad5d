"""Radii by inversion of a piecewise-linear density: one hat, or K knots. Paper, section 4.4, and [E9]–[E12].

In: points u in (0, 1) and the shape of the density of the radius. Out: radii, and
derivatives by that shape from derivatives by the radii.
The gradient follows from F(r) = u ρ̄:  dr/dθ = (u ∂ρ̄/∂θ − ∂F(r)/∂θ) / ρ(r).
"""

import numpy as np

from alakarte.records import Array


def hat_quantile(u: Array) -> Array:
    """t(u) of the hat on [0, 2]: √(2u) below ½, 2 − √(2(1−u)) above; r = edge + width · t [E12]."""
    return np.where(u < 0.5, np.sqrt(2 * u), 2 - np.sqrt(2 * (1 - u)))


def hat_density(r: Array, edge: Array, width: Array) -> Array:
    """Normalised hat: zero at `edge`, 1/width at edge + width, zero at edge + 2 width."""
    return np.maximum(0, 1 - np.abs(r - edge - width) / width) / width


def _segments(gaps: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Knots r_0 = 0 … r_{K+1}, ends α_0 = α_{K+1} = 0, and F at the knots (trapezes, [E11])."""
    knots = np.concatenate([[0.0], np.cumsum(gaps)])
    alpha = np.concatenate([[0.0], weights, [0.0]])
    mass = np.concatenate([[0.0], np.cumsum(gaps * (alpha[:-1] + alpha[1:]) / 2)])
    return knots, alpha, mass


def knot_density(r: Array, gaps: Array, weights: Array) -> Array:
    """Normalised linear interpolation of (r_i, α_i) [E10]."""
    knots, alpha, mass = _segments(gaps, weights)
    density: Array = np.interp(r, knots, alpha, right=0.0) / mass[-1]
    return density


def knot_radii(u: Array, gaps: Array, weights: Array) -> Array:
    """Radii (m,) with F(r) = u ρ̄, from gaps (K+1,) between knots and weights (K,)."""
    knots, alpha, mass = _segments(gaps, weights)
    k = np.clip(np.searchsorted(mass, u * mass[-1], side="right") - 1, 0, gaps.size - 1)
    excess = u * mass[-1] - mass[k]
    slope = (alpha[k + 1] - alpha[k]) / gaps[k]
    # the root that does not cancel; the clip stands for rounding at the last knot
    root = np.sqrt(np.maximum(alpha[k] ** 2 + 2 * excess * slope, 0.0))
    radii: Array = knots[k] + 2 * excess / np.maximum(alpha[k] + root, np.finfo(float).tiny)
    return radii


def knot_radii_pullback(u: Array, gaps: Array, weights: Array, radii_bar: Array) -> tuple[Array, Array]:
    """Derivatives by gaps (K+1,) and weights (K,) from radii_bar (m,)."""
    knots, alpha, _ = _segments(gaps, weights)
    r = knot_radii(u, gaps, weights)
    k = np.clip(np.searchsorted(knots, r, side="right") - 1, 0, gaps.size - 1)
    t, h = r - knots[k], gaps[k]
    rho = alpha[k] + (alpha[k + 1] - alpha[k]) * t / h
    rho = np.maximum(rho, np.finfo(float).tiny)
    trapeze = (alpha[:-1] + alpha[1:]) / 2  # ∂ρ̄/∂h_i
    i = np.arange(gaps.size)
    below = i[None, :] < k[:, None]  # segments wholly below r
    F_gaps = np.where(below, trapeze - rho[:, None], 0.0)
    F_gaps[np.arange(r.size), k] = -(alpha[k + 1] - alpha[k]) * t**2 / (2 * h**2)
    half = np.where(below, gaps / 2, 0.0)
    F_alpha = np.zeros((r.size, alpha.size))
    F_alpha[:, :-1] += half
    F_alpha[:, 1:] += half
    F_alpha[np.arange(r.size), k] += t - t**2 / (2 * h)
    F_alpha[np.arange(r.size), k + 1] += t**2 / (2 * h)
    total_alpha = np.zeros(alpha.size)
    total_alpha[:-1] += gaps / 2
    total_alpha[1:] += gaps / 2
    g = radii_bar / rho
    gaps_bar = (g * u).sum() * trapeze - g @ F_gaps
    alpha_bar = (g * u).sum() * total_alpha - g @ F_alpha
    return gaps_bar, alpha_bar[1:-1]
