"""The best noise and common amplitude for given frequencies, without another look at the rows.

With V = g V₀ and h = s/g, for fixed h the best s is R(h)/N, R(h) = c − b̃ᵀ(G + hI)⁻¹b̃, G = V₀^½ A V₀^½, b̃ = V₀^½ b, or,
where rows are fewer than columns, R(h) = h ỹᵀ(K₀ + hI)⁻¹ỹ. That leaves a search in one dimension over
½ [N log(2πe R(h)/N) + log|I + G/h|]. Small G are diagonalised once; for large ones some Cholesky factors are cheaper.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar

from alakarte.linalg.factorise import cholesky, log_determinant, solve_lower
from alakarte.records import Statistics

EIGEN = 512  # size up to which the eigenvalues are cheaper than some factors
_BELOW, _ABOVE = 2.5, 1.5  # window of log h
_WINDOWS = 8
_LITTLE = 1e-4  # nats a row that a window must gain for another one
_STEP = 0.1  # accuracy of log h: the evidence is flat to second order


@dataclass(frozen=True)
class Tuned:
    """V = gain·V₀, s, and the nlml there, to the rounding of R(h)."""

    gain: float
    noise_variance: float
    value: float


@dataclass(frozen=True)
class Profile:
    """R(h) and log|I + G/h| of one set of frequencies, and N."""

    at: Callable  # h -> R, log-determinant
    total: float


def weights_profile(statistics: Statistics, variance, n_jobs: int = 1) -> Profile:
    """From statistics and V₀ (D,)."""
    root = np.sqrt(variance)
    G = statistics.gram * root
    G *= root[:, None]
    solved = _solved(G, statistics.moment * root[:, None], n_jobs)
    c = float(statistics.energy.sum())

    def at(h):
        quadratic, log_det = solved(h)
        return max(c - quadratic, 1e-15 * c), log_det

    return Profile(at, statistics.total)


def rows_profile(signal, target, total: float, n_jobs: int = 1) -> Profile:
    """From K₀ = W^½ Φ V₀ Φᵀ W^½ (n, n) and W^½ y (n, 1)."""
    solved = _solved(signal, target, n_jobs)

    def at(h):
        quadratic, log_det = solved(h)
        return h * quadratic, log_det

    return Profile(at, total)


def retune(profile: Profile, noise_variance: float, least: float, *, gain_free=True, noise_free=True) -> Tuned:
    """Best gain and noise, starting from h = s; h stays above `least`. What is not free stays, g at 1."""
    N = profile.total

    @cache
    def at(log_h):
        h = float(np.exp(log_h))
        R, log_det = profile.at(h)
        s = (R / N if gain_free else h) if noise_free else noise_variance
        value = 0.5 * (N * np.log(2 * np.pi * max(s, 1e-300)) + log_det + (R / s if s > 0 else N))
        return Tuned(s / h if gain_free else 1.0, s, value)

    middle = float(np.log(max(noise_variance, least)))
    start = at(middle)
    if not gain_free and not noise_free:
        return start
    lowest = float(np.log(least))
    best, options = start, {"xatol": _STEP}
    for _ in range(_WINDOWS):
        low, high = max(middle - _BELOW, lowest), middle + _ABOVE
        found = minimize_scalar(lambda t: at(float(t)).value, bounds=(low, high), method="bounded", options=options)
        before, best = best, min((at(float(found.x)), best), key=lambda tuned: tuned.value)
        inside = min(found.x - low, high - found.x) > 2 * _STEP
        if inside or found.x - lowest < 2 * _STEP or before.value - best.value < _LITTLE * N:
            break
        middle = float(found.x)  # at an end of the window: look further
    return best


def _solved(G, right, n_jobs):
    """h → rightᵀ(G + hI)⁻¹right and log|I + G/h|, G by its lower triangle."""
    k = len(G)
    if k <= EIGEN:
        values, vectors = eigh(G, lower=True, check_finite=False)
        values = np.maximum(values, 0)
        squares = ((vectors.T @ right) ** 2).sum(axis=1)
        return lambda h: (float((squares / (values + h)).sum()), float(np.log1p(values / h).sum()))

    def by_factor(h):
        M = G / h
        M.flat[:: k + 1] += 1.0
        factor = cholesky(M, n_jobs)
        return float((solve_lower(factor, right) ** 2).sum()) / h, log_determinant(factor)

    return by_factor
