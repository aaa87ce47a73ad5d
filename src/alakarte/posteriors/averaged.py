"""The latent function averaged over rows in which some inputs are replaced: partial dependence, with its variance.

In: a posterior, standardised rows z (n, d), the columns to replace, and what they become (G, columns). Out: mean and
variance (G, T) of f̄(g) = Σ_i f(z_i with g)/n. Nothing is sampled. What replaced inputs add to a phase is the same for
all rows, so features are averaged once and then turned; of Gaussian closed forms the other inputs' factor is averaged
once, and Matérn profiles are averages of such (`averaged_kernel`). Only neighbours meet each row anew for every g.
"""

from dataclasses import replace

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.features.feature_map import FeatureMap
from alakarte.linalg.blas import solve_rows_lower
from alakarte.posteriors.average import Average
from alakarte.posteriors.averaged_kernel import Replaced, averaged_kernel
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.low_rank import LowRankPosterior
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.tiles import LEAST_ROWS
from alakarte.posteriors.weights import WeightPosterior
from alakarte.process.closed_form import closed_gram
from alakarte.records import Array

BAND_ROWS = 256  # whose covariance stands for that of all rows, where there is no shorter way
_TILE_ROWS = 512
_TILE_SHIFTS = 16  # whose features stay in the cache


def averaged(posterior: Posterior, rows: Replaced, n_jobs: int = 1) -> tuple[Array, Array]:
    """Mean and variance (G, T) of the function averaged over rows."""
    if isinstance(posterior, LatentPosterior):
        return averaged(posterior.core, rows, n_jobs)
    if isinstance(posterior, StackedPosterior):
        return _averaged_directly(posterior.features, _compressed(posterior, rows), n_jobs)
    if isinstance(posterior, Average):
        parts = [averaged(member, rows, n_jobs) for member in posterior.members]
        means, variances = (np.array(each) for each in zip(*parts, strict=True))
        weights = posterior.weights[:, None, None]
        mean = (weights * means).sum(axis=0)
        return mean, np.asarray((weights * (variances + (means - mean) ** 2)).sum(axis=0))
    if isinstance(posterior, WeightPosterior | LowRankPosterior):
        return _averaged_features(posterior, rows)
    if isinstance(posterior, RowPosterior):
        return _averaged_rows(posterior, rows)
    return _averaged_directly(posterior, rows, n_jobs)


def _compressed(posterior: StackedPosterior, rows: Replaced) -> Replaced:
    """The same rows as the features of a classifier see them."""
    if posterior.tails is None:
        return rows
    tails, values = posterior.tails, rows.shifts
    return Replaced(tails.compress(rows.z), rows.columns, tails.compress(values)[:, rows.columns])


def _averaged_directly(posterior: Posterior, rows: Replaced, n_jobs: int) -> tuple[Array, Array]:
    """By prediction of all rows for each g; the variance from the covariance of some of them."""
    some = rows.z[np.linspace(0, len(rows.z) - 1, min(BAND_ROWS, len(rows.z))).astype(int)]
    few, mean, variance = replace(rows, z=some), [], []
    for g in range(len(rows.values)):
        mean.append(posterior.mean(rows.at(g), n_jobs).mean(axis=0))
        variance.append(np.maximum(posterior.covariance(few.at(g)).mean(axis=(0, 1)), 0))
    return np.array(mean), np.array(variance)


def _averaged_features(posterior: WeightPosterior | LowRankPosterior, rows: Replaced) -> tuple[Array, Array]:
    """φ̄ᵀβ, and φ̄ᵀPφ̄: one pass over the rows, then a turn of each wave for every g."""
    features, zeroed = posterior.features, rows.zeroed
    total = np.zeros(features.n_basis)
    for start in range(0, len(zeroed), _TILE_ROWS):
        total += features.phi(zeroed[start : start + _TILE_ROWS]).sum(axis=0)
    phi = _turned(features, total / len(zeroed), rows.shifts)
    free = np.zeros((len(phi), 1)) if posterior.reach is None else _taken_out_of_reach(posterior, rows, phi)
    mean = phi @ posterior.weight_mean
    variance = posterior.variance_of_features(phi) + np.einsum("ij,ij->i", free, free)
    return mean, np.broadcast_to(variance[:, None], mean.shape)


def _taken_out_of_reach(posterior: WeightPosterior | LowRankPosterior, rows: Replaced, phi: Array) -> Array:
    """Leave in phi (G, D) what rows of the fit tell of; the rest (G, D), in the prior's standard deviations."""
    assert posterior.reach is not None
    free = np.zeros((len(phi), 1))
    doubtful = np.flatnonzero(posterior.reach.wherever(rows.columns, rows.values).unknown(rows.zeroed).any(axis=1))
    if not doubtful.size:
        return free
    free = np.zeros_like(phi)
    some = replace(rows, z=rows.z[doubtful])
    for g in range(len(phi)):
        x = some.at(g)
        far = x[posterior.out_of_reach(x)]
        for start in range(0, len(far), _TILE_ROWS):
            tile = far[start : start + _TILE_ROWS]
            known, unknown = posterior._known_and_free(tile)
            phi[g] += (known - posterior.features.phi(tile)).sum(axis=0) / len(rows.z)
            free[g] += posterior.root_variance * unknown.sum(axis=0) / len(rows.z)
    return free


def _turned(features: FeatureMap, phi: Array, shifts: Array) -> Array:
    """(G, D) averaged features of shifted rows, from those (D,) of rows that are not: cos(a + b), sin(a + b)."""
    products = features.of_products(phi).reshape(-1, features.component.size)  # (2 or 4, F)
    turned = np.empty((len(shifts), features.n_basis))
    for start in range(0, len(shifts), _TILE_SHIFTS):
        tile = slice(start, start + _TILE_SHIFTS)
        some = _turned_products(features, products, shifts[tile]).reshape(len(shifts[tile]), -1)
        turned[tile] = some if features.columns is None else some[:, features.columns]
    return turned


def _turned_products(features: FeatureMap, products: Array, shifts: Array) -> Array:
    """(G, 2 or 4, F) products (2 or 4, F), turned by some shifts."""
    waves = np.empty((len(shifts), 2, features.component.size))
    phase = np.empty((len(shifts), features.component.size))
    features.projection.phases(shifts, phase)
    loops.waves.wave_pairs(phase, waves.reshape(len(shifts), -1))
    cos, sin = waves[:, :1], waves[:, 1:]
    turned = np.empty((len(shifts), *products.shape))
    turned[:, 0::2] = products[0::2] * cos - products[1::2] * sin  # ξ, once with cos ζ and once with sin ζ
    turned[:, 1::2] = products[1::2] * cos + products[0::2] * sin
    if features.centre is None:
        return turned
    zeta = shifts @ features.centre
    cos_zeta, sin_zeta = (wave(zeta)[:, None, features.component] for wave in (np.cos, np.sin))
    with_cos, with_sin = turned[:, :2], turned[:, 2:]
    return np.concatenate(
        [with_cos * cos_zeta - with_sin * sin_zeta, with_sin * cos_zeta + with_cos * sin_zeta], axis=1
    )


def _averaged_rows(posterior: RowPosterior, rows: Replaced) -> tuple[Array, Array]:
    """k̄ᵀα, and k̿ − k̄ᵀK⁻¹k̄, with k̄ (G, n) the kernel to each training row averaged over the rows."""
    kernel = averaged_kernel(posterior.spectrum, posterior.closed_form, posterior.x, rows)
    mean = kernel @ posterior._weights.T
    padded = np.zeros((-(-len(kernel) // LEAST_ROWS) * LEAST_ROWS, len(posterior.x)))
    padded[: len(kernel)] = kernel * posterior.root_weight
    whitened = solve_rows_lower(posterior.factor, padded)[: len(kernel)]
    prior = _mean_kernel(posterior, _some(rows.zeroed))  # the same for all g
    variance = np.maximum(prior - np.einsum("ij,ij->i", whitened, whitened), 0)
    return mean, np.broadcast_to(variance[:, None], mean.shape)


def _mean_kernel(posterior: RowPosterior, z: Array) -> float:
    """The kernel averaged over all pairs of rows z (n, d), from one triangle."""
    gram = np.tril(closed_gram(posterior.spectrum, posterior.closed_form, z, np.ones(len(z))))
    return float(2 * gram.sum() - np.trace(gram)) / gram.size


def _some(z: Array) -> Array:
    """At most some thousand of many rows: for an average over pairs that is near that of all."""
    return np.asarray(z[np.linspace(0, len(z) - 1, min(len(z), 4000)).astype(int)])
