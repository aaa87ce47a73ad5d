"""Sums over the rows of one block: Gram, moment, energy on the way down; residuals and derivatives on the way up.

In: a lane's sums and scratch, x (rows, d), y (rows, T), weight (rows,) and a `FeatureMap`. Out: the sums, grown.
Top-level functions, so that threads and other machines can run them. Paper, section 4.2.
"""

import numpy as np
from scipy.linalg.blas import dsyrk

from alakarte.data.blocks import Rows, Scratch
from alakarte.factorise import mirror
from alakarte.features.waves import FeatureMap
from alakarte.records import Statistics


def add_statistics(sums, scratch: Scratch, x, y, weight, features: FeatureMap):
    """ΦᵀWΦ (lower triangle), ΦᵀWy, yᵀWy."""
    gram, moment, energy = sums
    phi = features.phi(x, scratch)
    target = y
    if (weight != 1).any():
        root = np.sqrt(weight)[:, None]
        phi *= root
        target = y * root
    dsyrk(1.0, phi.T, beta=1.0, c=gram, lower=1, overwrite_c=1)  # half the work, in place
    moment += phi.T @ target
    energy += (target**2).sum(axis=0)


def add_residual(sums, scratch: Scratch, x, y, weight, features: FeatureMap, weight_mean):
    """Σ w r², r = y − Φβ, with β (D, T)."""
    residual = y - features.phi(x, scratch) @ weight_mean
    sums[0] += (weight[:, None] * residual**2).sum(axis=0)


def add_pullback(sums, scratch: Scratch, x, y, weight, features: FeatureMap, weight_mean, covariance, noise_variance):
    """Σ w r², then the sums of `FeatureMap.pullback` for Φ_bar = W (ΦP − rβᵀ)/s; `covariance` is P/s."""
    phi = features.phi(x, scratch)
    residual = (y - phi @ weight_mean)[:, 0]
    phi_p = np.matmul(phi, covariance, out=scratch.array("phi_p", phi.shape, phi.dtype))
    sums[0] += np.dot(weight, residual**2)
    parts = features.pullback(x, phi, phi_p, residual, weight_mean[:, 0] / noise_variance, weight, scratch)
    for total, part in zip(sums[1:], parts, strict=True):
        total += part


def statistics(rows: Rows, features: FeatureMap, n_jobs: int) -> Statistics:
    """Pass 1."""
    D, T = features.n_basis, rows.y.shape[1]
    zero = lambda: [np.zeros((D, D), order="F"), np.zeros((D, T)), np.zeros(T)]  # noqa: E731
    gram, moment, energy = rows.map_sum(add_statistics, zero, features, n_jobs=n_jobs)
    mirror(gram)
    return Statistics(gram, moment, energy, rows.total)


def residual_energy(rows: Rows, features: FeatureMap, weight_mean, n_jobs: int) -> np.ndarray:
    """(T,) Σ w r²."""
    return rows.map_sum(add_residual, lambda: [np.zeros(rows.y.shape[1])], features, weight_mean, n_jobs=n_jobs)[0]


def statistics_pullback(rows: Rows, features: FeatureMap, weight_mean, covariance, noise_variance, n_jobs: int):
    """Pass 2: Σ w r² and the sums of `FeatureMap.pullback`; `covariance` is P/s."""
    zero = lambda: [np.zeros(()), *features.pullback_zeros()]  # noqa: E731
    arguments = (features, weight_mean, covariance, noise_variance)
    residual, *sums = rows.map_sum(add_pullback, zero, *arguments, n_jobs=n_jobs)
    return float(residual), sums
