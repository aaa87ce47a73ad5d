"""Sums over the rows of one block: Gram, moment, energy on the way down; residuals and derivatives on the way up.

In: a lane's sums and scratch, x (rows, d), y (rows, T), weight (rows,) and a `FeatureMap`. Out: the sums, grown.
Features have the precision of the map, sums across blocks are double. Paper, section 4.2.
"""

import numpy as np

from alakarte.data.arrays import Rows, Scratch
from alakarte.features.feature_map import FeatureMap
from alakarte.linalg.blas import add_gram, times_symmetric
from alakarte.records import Statistics

_TILE = 256


def add_statistics(sums, scratch: Scratch, x, y, weight, features: FeatureMap):
    """ΦᵀWΦ (lower triangle), ΦᵀWy, yᵀWy."""
    gram, moment, energy = sums
    phi = features.phi(x.astype(features.dtype, copy=False), scratch)
    target = y
    if (weight != 1).any():
        root = np.sqrt(weight)[:, None]
        phi *= root
        target = y * root
    _add_gram(gram, phi, scratch)
    moment += phi.T @ target.astype(phi.dtype, copy=False)
    energy += (target**2).sum(axis=0)


def add_statistics_of_each(sums, scratch: Scratch, x, y, weight, maps: list[FeatureMap]):
    """`add_statistics` of several feature maps, three sums each."""
    for index, features in enumerate(maps):
        add_statistics(sums[3 * index : 3 * index + 3], scratch, x, y, weight, features)


def _add_gram(gram, phi, scratch: Scratch):
    """Lower triangle of ΦᵀΦ, half the work: in place, or single precision within a block and double across blocks."""
    if phi.dtype == np.float64:
        add_gram(gram, phi)
        return
    part = scratch.array("gram", gram.shape, np.float32).T
    add_gram(part, phi, keep=0.0)
    for j in range(0, len(gram), _TILE):
        gram[j:, j : j + _TILE] += part[j:, j : j + _TILE]


def add_residual(sums, scratch: Scratch, x, y, weight, features: FeatureMap, weight_mean):
    """Σ w r², r = y − Φβ, with β (D, T)."""
    residual = y - features.phi(x.astype(features.dtype, copy=False), scratch) @ weight_mean
    sums[0] += (weight[:, None] * residual**2).sum(axis=0)


def add_pullback(sums, scratch: Scratch, x, y, weight, features: FeatureMap, weight_mean, covariance, noise_variance):
    """Σ w r², then the sums of `FeatureMap.pullback`, Φ_bar = W (ΦP − rβᵀ)/s; `covariance`: lower triangle of P/s."""
    x = x.astype(features.dtype, copy=False)
    phi = features.phi(x, scratch)
    residual = (y - phi @ weight_mean)[:, 0]
    phi_p = times_symmetric(phi, covariance, scratch.array("phi_p", phi.shape, phi.dtype))
    sums[0] += np.dot(weight, residual**2)
    parts = features.pullback(x, phi, phi_p, residual, weight_mean[:, 0] / noise_variance, weight, scratch)
    for total, part in zip(sums[1:], parts, strict=True):
        total += part


def statistics(rows: Rows, features: FeatureMap, n_jobs: int) -> Statistics:
    """Pass 1."""
    return statistics_of_each(rows, [features], n_jobs)[0]


def statistics_of_each(rows: Rows, maps: list[FeatureMap], n_jobs: int) -> list[Statistics]:
    """Pass 1 for several feature maps at once: every block is read and standardised once."""
    T, widest = rows.y.shape[1], max(maps, key=lambda features: features.n_basis)
    zero = lambda: [part for features in maps for part in _zeros(features.n_basis, T)]  # noqa: E731
    size = {"n_basis": widest.n_basis, "itemsize": widest.dtype.itemsize}
    sums = rows.map_sum(add_statistics_of_each, zero, maps, n_jobs=n_jobs, **size)
    return [Statistics(*sums[i : i + 3], rows.total) for i in range(0, len(sums), 3)]


def _zeros(D: int, T: int) -> list[np.ndarray]:
    return [np.zeros((D, D), order="F"), np.zeros((D, T)), np.zeros(T)]


def residual_energy(rows: Rows, features: FeatureMap, weight_mean, n_jobs: int) -> np.ndarray:
    """(T,) Σ w r²."""
    weight_mean = weight_mean.astype(features.dtype, copy=False)
    zero, D = lambda: [np.zeros(rows.y.shape[1])], features.n_basis
    return rows.map_sum(
        add_residual, zero, features, weight_mean, n_basis=D, itemsize=features.dtype.itemsize, n_jobs=n_jobs
    )[0]


def statistics_pullback(rows: Rows, features: FeatureMap, weight_mean, covariance, noise_variance, n_jobs: int):
    """Pass 2: Σ w r² and the sums of `FeatureMap.pullback`; `covariance` is the lower triangle of P/s."""
    zero = lambda: [np.zeros(()), *features.pullback_zeros()]  # noqa: E731
    weight_mean, covariance = (part.astype(features.dtype, copy=False) for part in (weight_mean, covariance))
    arguments = (features, weight_mean, covariance, noise_variance)
    residual, *sums = rows.map_sum(
        add_pullback, zero, *arguments, n_basis=features.n_basis, itemsize=features.dtype.itemsize, n_jobs=n_jobs
    )
    return float(residual), sums
