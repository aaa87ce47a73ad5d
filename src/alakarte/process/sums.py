"""Sums over the rows of one block: Gram, moment, energy on the way down; residuals and derivatives on the way up.

In: a lane's sums and scratch, a `Block` of rows and a `FeatureMap`. Out: the sums, grown. Features have the precision
of the map, sums across blocks are double. Paper, section 4.2.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.data.rows import Block, Rows, Work
from alakarte.execution.scratch import Scratch
from alakarte.features.feature_map import FeatureMap, FeaturesBar
from alakarte.linalg.blas import add_gram, times_symmetric
from alakarte.records import Array, Statistics

_TILE = 256


@dataclass(frozen=True)
class Weights:
    """The posterior of the weights, as the second pass needs it."""

    mean: Array  # (D, T) β
    covariance: Array  # lower triangle of P/s (D, D)
    noise_variance: float  # s


def _features(features: FeatureMap, x: Array, scratch: Scratch) -> Array:
    """Φ (rows, D) in the precision of the map."""
    return features.phi(x.astype(features.dtype, copy=False), scratch)


def add_statistics(sums: list[Array], scratch: Scratch, block: Block, features: FeatureMap) -> None:
    """ΦᵀWΦ (lower triangle), ΦᵀWy, yᵀWy."""
    gram, moment, energy = sums
    phi, target = _features(features, block.x, scratch), block.y
    if (block.weight != 1).any():
        root = np.sqrt(block.weight)[:, None]
        phi *= root
        target = target * root
    add_gram_of_block(gram, phi, scratch)
    moment += phi.T @ target.astype(phi.dtype, copy=False)
    energy += (target**2).sum(axis=0)


def add_statistics_of_each(sums: list[Array], scratch: Scratch, block: Block, maps: list[FeatureMap]) -> None:
    """`add_statistics` of several feature maps, three sums each."""
    for index, features in enumerate(maps):
        add_statistics(sums[3 * index : 3 * index + 3], scratch, block, features)


def add_gram_of_block(gram: Array, phi: Array, scratch: Scratch) -> None:
    """Lower triangle of ΦᵀΦ, half the work: in place, or single precision within a block and double across blocks."""
    if phi.dtype == np.float64:
        add_gram(gram, phi)
        return
    part = scratch.array("gram", gram.shape, np.float32).T
    add_gram(part, phi, keep=0.0)
    for j in range(0, len(gram), _TILE):
        gram[j:, j : j + _TILE] += part[j:, j : j + _TILE]


def add_residual(sums: list[Array], scratch: Scratch, block: Block, features: FeatureMap, weight_mean: Array) -> None:
    """Σ w r², r = y − Φβ, with β (D, T)."""
    residual = block.y - _features(features, block.x, scratch) @ weight_mean
    sums[0] += (block.weight[:, None] * residual**2).sum(axis=0)


def add_pullback(sums: list[Array], scratch: Scratch, block: Block, features: FeatureMap, weights: Weights) -> None:
    """Σ w r² over all targets, then the sums of `FeatureMap.pullback`, Φ_bar = W (T ΦP − R βᵀ)/s."""
    x = block.x.astype(features.dtype, copy=False)
    phi = features.phi(x, scratch)
    residual = block.y - phi @ weights.mean
    phi_p = times_symmetric(phi, weights.covariance, scratch.array("phi_p", phi.shape, phi.dtype))
    sums[0] += sum(np.dot(block.weight, column**2) for column in residual.T)
    bar = FeaturesBar(phi_p, residual, weights.mean / weights.noise_variance, block.weight)
    for total, part in zip(sums[1:], features.pullback(x, phi, bar, scratch), strict=True):
        total += part


def statistics(rows: Rows, features: FeatureMap, n_jobs: int) -> Statistics:
    """Gram, moment and energy of all rows: the first pass over them."""
    return statistics_of_each(rows, [features], n_jobs)[0]


def statistics_of_each(rows: Rows, maps: list[FeatureMap], n_jobs: int) -> list[Statistics]:
    """The first pass for several feature maps at once: every block is read and standardised once."""

    def zero() -> list[Array]:
        return [part for features in maps for part in _zeros(features.n_basis, rows.n_targets)]

    widest = max(maps, key=lambda features: features.n_basis)
    sums = rows.map_sum(add_statistics_of_each, zero, maps, work=_work(widest, n_jobs))
    triples = zip(sums[::3], sums[1::3], sums[2::3], strict=True)
    return [Statistics(gram, moment, energy, rows.total) for gram, moment, energy in triples]


def _work(features: FeatureMap, n_jobs: int) -> Work:
    return Work(features.n_basis, features.dtype.itemsize, n_jobs)


def _zeros(D: int, T: int) -> list[Array]:
    return [np.zeros((D, D), order="F"), np.zeros((D, T)), np.zeros(T)]


def residual_energy(rows: Rows, features: FeatureMap, weight_mean: Array, n_jobs: int) -> Array:
    """(T,) Σ w r²."""
    weight_mean = weight_mean.astype(features.dtype, copy=False)

    def zero() -> list[Array]:
        return [np.zeros(rows.n_targets)]

    return rows.map_sum(add_residual, zero, features, weight_mean, work=_work(features, n_jobs))[0]


def statistics_pullback(rows: Rows, features: FeatureMap, weights: Weights, n_jobs: int) -> tuple[float, list[Array]]:
    """The second pass: Σ w r² over all targets and the sums of `FeatureMap.pullback`."""
    mean, covariance = (part.astype(features.dtype, copy=False) for part in (weights.mean, weights.covariance))

    def zero() -> list[Array]:
        return [np.zeros(()), *features.pullback_zeros()]

    single = Weights(mean, covariance, weights.noise_variance)
    residual, *sums = rows.map_sum(add_pullback, zero, features, single, work=_work(features, n_jobs))
    return float(residual), sums
