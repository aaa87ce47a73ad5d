"""The best noise and common amplitude for given frequencies, from statistics alone. Maths: design, section 4.

With V = g V₀ and h = s/g, for fixed h the best s is R(h)/N, R(h) = c − b̃ᵀ(G + hI)⁻¹b̃, G = V₀^½ A V₀^½, b̃ = V₀^½ b:
a search in one dimension over ½ [N log(2πe R(h)/N) + log|I + G/h|]. Small G are diagonalised once; for large ones a
dozen Cholesky factors are cheaper.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar

from alakarte.factorise import cholesky, log_determinant, solve_lower
from alakarte.records import Statistics

EIGEN = 512  # columns up to which the eigenvalues are cheaper than a dozen factors
_BELOW, _ABOVE = 10.0, 6.0  # how far log h may move
_STEP = 0.01  # accuracy of log h: the evidence is flat to second order


@dataclass(frozen=True)
class Tuned:
    """V = gain·V₀, s and the nlml there (from statistics, so to rounding of c − bᵀβ)."""

    gain: float
    noise_variance: float
    value: float


def retune(
    statistics: Statistics, variance, noise_variance, least, *, gain_free=True, noise_free=True, n_jobs=1
) -> Tuned:
    """Best gain and noise from V₀ (D,) and s; h stays above `least`. What is not free stays, g at 1."""
    N, c = statistics.total, float(statistics.energy.sum())
    solved = _solved(statistics, np.sqrt(variance), n_jobs)

    def at(log_h):
        h = np.exp(log_h)
        explained, log_det = solved(h)
        R = max(c - explained, 1e-15 * c)
        s = (R / N if gain_free else h) if noise_free else noise_variance
        value = 0.5 * (N * np.log(2 * np.pi * s) + log_det + R / s)
        return Tuned(s / h if gain_free else 1.0, s, value)

    middle = max(np.log(noise_variance), np.log(least))
    if not gain_free and not noise_free:
        return at(middle)
    low, high = max(middle - _BELOW, np.log(least)), middle + _ABOVE
    found = minimize_scalar(lambda t: at(t).value, bounds=(low, high), method="bounded", options={"xatol": _STEP})
    return min((at(found.x), at(middle)), key=lambda tuned: tuned.value)


def _solved(statistics, root, n_jobs):
    """h → b̃ᵀ(G + hI)⁻¹b̃ and log|I + G/h|."""
    G = statistics.gram * root
    G *= root[:, None]
    right = statistics.moment * root[:, None]
    if len(root) <= EIGEN:
        values, vectors = eigh(G, lower=True, overwrite_a=True, check_finite=False)
        values = np.maximum(values, 0)
        squares = ((vectors.T @ right) ** 2).sum(axis=1)
        return lambda h: (float((squares / (values + h)).sum()), float(np.log1p(values / h).sum()))

    def by_factor(h):
        M = G / h
        M.flat[:: len(root) + 1] += 1.0
        factor = cholesky(M, n_jobs)
        return float((solve_lower(factor, right) ** 2).sum()) / h, log_determinant(factor)

    return by_factor
