"""What remains of a fit: arrays that give predictive mean, variance, covariance and samples.

In: a `Model` at the learned theta. Out: one of three posteriors, in standardised units, without noise. [E14, E15]
Variances are sums of squares: they cannot be negative. Rows are padded to a fixed tile, so that a prediction does not
depend, to the last bit, on which other rows are asked for in the same call.
"""

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import svd

from alakarte.data.arrays import Rows, Scratch
from alakarte.features.feature_map import FeatureMap
from alakarte.kernels.base import ClosedForm
from alakarte.linalg.blas import solve_rows_lower
from alakarte.linalg.factorise import solve_lower, square_root
from alakarte.process.closed_form import closed_gram_full, closed_kernel
from alakarte.process.objective import Model, closed_form, row_space, weight_space
from alakarte.process.sums import statistics
from alakarte.process.weight_space import Evidence
from alakarte.records import Spectrum, Statistics

TILE_ROWS = 128
PAD = 64
MEAN_TILE_ROWS = 512  # the mean alone is cheap: a larger tile, less overhead


class Posterior(ABC):
    """Predictions of the latent function for standardised rows x (rows, d)."""

    @abstractmethod
    def mean(self, x, n_jobs: int = 1) -> np.ndarray:
        """(rows,)."""

    @abstractmethod
    def variance(self, x, n_jobs: int = 1) -> np.ndarray:
        """(rows,) ≥ 0."""

    @abstractmethod
    def covariance(self, x) -> np.ndarray:
        """(rows, rows)."""

    @abstractmethod
    def sample(self, x, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """(rows, n_samples) of the function, jointly over rows."""


def by_tiles(function, x, tile_rows: int = TILE_ROWS, n_jobs: int = 1) -> np.ndarray:
    """function(tile, scratch) → (tile_rows, …) for tiles of x padded with zeros, stacked; threads share the tiles."""
    edges = range(0, max(len(x), 1), tile_rows)  # no rows: one empty tile gives the shape

    def visit(starts):
        scratch, parts = Scratch(), []
        for start in starts:
            part = x[start : start + tile_rows]
            tile = scratch.array("tile", (tile_rows, x.shape[1]), np.float64)
            tile[: len(part)], tile[len(part) :] = part, 0.0
            parts.append(np.array(function(tile, scratch)[: len(part)]))
        return parts

    n_jobs = min(n_jobs, len(edges))
    if n_jobs <= 1:
        return np.concatenate(visit(edges))
    size = -(-len(edges) // n_jobs)
    with ThreadPoolExecutor(n_jobs) as pool:
        groups = pool.map(visit, [edges[i : i + size] for i in range(0, len(edges), size)])
        return np.concatenate([part for parts in groups for part in parts])


def padded(factor) -> np.ndarray:
    """Lower factor with a unit diagonal up to a multiple of PAD: BLAS treats edges differently by position."""
    k = len(factor)
    size = -(-k // PAD) * PAD
    out = np.asfortranarray(np.eye(size))
    out[:k, :k] = np.tril(factor)
    return out


def padded_rows(array) -> np.ndarray:
    """`array` with rows of zeros up to a multiple of PAD."""
    return np.pad(array, [(0, -len(array) % PAD)] + [(0, 0)] * (array.ndim - 1))


def whiten(factor, psi) -> np.ndarray:
    """L⁻¹ψᵀ (size, rows) for psi (rows, k) and a padded factor."""
    rows = np.zeros((len(psi), len(factor)))
    rows[:, : psi.shape[1]] = psi
    return solve_rows_lower(factor, rows).T


@dataclass(frozen=True)
class WeightPosterior(Posterior):
    """w ~ N(β, V^½ (L Lᵀ)⁻¹ V^½): the D×D form, with the sums it came from, so that rows may be added and removed."""

    features: FeatureMap
    weight_mean: np.ndarray  # (D,)
    root_variance: np.ndarray  # (D,)
    factor: np.ndarray  # L, padded; above its diagonal the Gram matrix, transposed
    diagonal: np.ndarray  # (D,) of the Gram matrix
    moment: np.ndarray  # (D, 1)
    energy: np.ndarray  # (1,)
    total: float

    def statistics(self):
        """The sums over the rows, as far as float64 has kept them."""
        k = self.diagonal.size
        gram = np.asfortranarray(np.triu(self.factor[:k, :k], 1).T)
        gram.flat[:: k + 1] = self.diagonal
        return Statistics(gram, self.moment, self.energy, self.total)

    def mean(self, x, n_jobs=1):
        """φᵀβ."""
        return by_tiles(partial(self.features.dot, self.weight_mean), x, MEAN_TILE_ROWS, n_jobs)

    def _whitened(self, x, scratch=None):
        """(D, rows) L⁻¹ V^½ φ."""
        return whiten(self.factor, self.features.phi(x, scratch) * self.root_variance)

    def variance(self, x, n_jobs=1):
        """‖L⁻¹ψ‖²."""
        return by_tiles(lambda tile, scratch: (self._whitened(tile, scratch) ** 2).sum(axis=0), x, n_jobs=n_jobs)

    def covariance(self, x):
        """ψᵀ M⁻¹ ψ'."""
        whitened = self._whitened(x)
        return whitened.T @ whitened

    def sample(self, x, n_samples, rng):
        """Φ (β + V^½ L⁻ᵀ ε): one draw of weights is one function."""
        draws = solve_lower(self.factor, rng.standard_normal((len(self.factor), n_samples)), transposed=True)
        weights = self.root_variance[:, None] * draws[: self.root_variance.size] + self.weight_mean[:, None]
        return by_tiles(lambda tile, scratch: self.features.phi(tile, scratch) @ weights, x)


@dataclass(frozen=True)
class LowRankPosterior(Posterior):
    """The same for n ≪ D: V^½ (I − U Uᵀ + U s/(s+λ) Uᵀ) V^½, from the SVD of Φ V^½."""

    features: FeatureMap
    weight_mean: np.ndarray  # (D,)
    root_variance: np.ndarray  # (D,)
    basis: np.ndarray  # (D, r) U
    shrinkage: np.ndarray  # (r,) √(s/(s+λ))
    noise_variance: float
    energy: np.ndarray  # (1,)
    total: float

    def statistics(self):
        """The sums over the rows: A = V^-½ U λ Uᵀ V^-½, b = V^-½ U (λ + s) Uᵀ V^-½ β."""
        s = self.noise_variance
        eigenvalues = np.maximum(s / self.shrinkage**2 - s, 0)
        directions = self.basis / self.root_variance[:, None]
        gram = np.asfortranarray((directions * eigenvalues) @ directions.T)
        inner = self.basis.T @ (self.weight_mean / self.root_variance)
        return Statistics(gram, (directions @ ((eigenvalues + s) * inner))[:, None], self.energy, self.total)

    def mean(self, x, n_jobs=1):
        """φᵀβ."""
        return by_tiles(partial(self.features.dot, self.weight_mean), x, MEAN_TILE_ROWS, n_jobs)

    def _whitened(self, x, scratch=None):
        """(rows, D) square root of the covariance applied to ψ."""
        return self._shrink(self.features.phi(x, scratch) * self.root_variance)

    def _shrink(self, psi):
        return psi + (psi @ self.basis * (self.shrinkage - 1)) @ self.basis.T

    def variance(self, x, n_jobs=1):
        """‖ψ − UUᵀψ‖² + Σ s/(s+λ_i) (u_iᵀψ)²."""
        return by_tiles(lambda tile, scratch: (self._whitened(tile, scratch) ** 2).sum(axis=1), x, n_jobs=n_jobs)

    def covariance(self, x):
        """As the variance, for pairs."""
        whitened = self._whitened(x)
        return whitened @ whitened.T

    def sample(self, x, n_samples, rng):
        """One draw of weights is one function."""
        draws = self._shrink(rng.standard_normal((n_samples, self.root_variance.size))) * self.root_variance
        weights = (draws + self.weight_mean).T
        return by_tiles(lambda tile, scratch: self.features.phi(tile, scratch) @ weights, x)


@dataclass(frozen=True)
class RowPosterior(Posterior):
    """An exact kernel's posterior: training rows, padded with rows of weight zero, and the factor of K."""

    spectrum: Spectrum
    form: ClosedForm
    x: np.ndarray  # (n, d)
    root_weight: np.ndarray  # (n,)
    alpha: np.ndarray  # (n,)
    factor: np.ndarray  # L, padded
    rows: Rows  # as they came, for `partial_fit`

    @property
    def total(self) -> float:
        """N, the sum of weights."""
        return self.rows.total

    def _cross(self, x):
        """k(x, X) W^½ (rows, n)."""
        return closed_kernel(self.spectrum, self.form, x, self.x) * self.root_weight

    def mean(self, x, n_jobs=1):
        """kᵀα."""
        return by_tiles(lambda tile, scratch: self._cross(tile) @ self.alpha, x, n_jobs=n_jobs)

    def variance(self, x, n_jobs=1):
        """k(x, x) − ‖L⁻¹k‖², cut at zero."""
        prior = np.exp(2 * self.spectrum.log_amplitude).sum()

        def tile_variance(tile, scratch):
            return np.maximum(prior - (whiten(self.factor, self._cross(tile)) ** 2).sum(axis=0), 0)

        return by_tiles(tile_variance, x, n_jobs=n_jobs)

    def covariance(self, x):
        """k(x, x') − kᵀK⁻¹k'."""
        whitened = whiten(self.factor, self._cross(x))
        covariance = closed_gram_full(self.spectrum, self.form, x) - whitened.T @ whitened
        covariance.flat[:: len(x) + 1] = np.maximum(covariance.diagonal(), 0)
        return covariance

    def sample(self, x, n_samples, rng):
        """Mean + root of the covariance × normal."""
        return self.mean(x)[:, None] + square_root(self.covariance(x)) @ rng.standard_normal((len(x), n_samples))


def posterior(model: Model, sums: Statistics | None = None) -> Posterior:
    """The posterior of a model, in the form that is cheapest to keep; `sums` are its statistics, where known."""
    rows = model.problem.rows
    if model.form == "exact":
        return row_posterior(model)[0]
    root_variance = np.sqrt(model.spectrum.weight_variance(model.problem.draws.shape))
    if model.features.n_basis <= 2 * rows.n_rows:
        sums = sums or statistics(rows, model.features, model.problem.n_jobs)
        return weight_posterior(model.features, sums, weight_space(model, sums))
    rows = rows.whole()
    psi = model.features.phi(rows.x) * root_variance * np.sqrt(rows.weight)[:, None]
    left, singular, right = svd(psi, full_matrices=False, check_finite=False)
    target = left.T @ (rows.y[:, 0] * np.sqrt(rows.weight))
    s = model.noise_variance
    weight_mean = root_variance * (right.T @ (singular / (singular**2 + s) * target))
    return LowRankPosterior(
        model.features,
        weight_mean,
        root_variance,
        np.ascontiguousarray(right.T),
        np.sqrt(s / (s + singular**2)),
        s,
        (rows.weight[:, None] * rows.y**2).sum(axis=0),
        rows.total,
    )


def row_posterior(model: Model) -> tuple[RowPosterior, float]:
    """That of an exact kernel, and its nlml."""
    dual, rows = row_space(model), model.problem.rows.whole()
    form = closed_form(model.problem.kernel, model.values)
    alpha, factor = padded_rows(dual.alpha[:, 0]), padded(dual.factor)
    x, root_weight = padded_rows(rows.x), padded_rows(np.sqrt(rows.weight))
    kept = Rows(rows.x, rows.y, rows.weight)  # without the buffers
    return RowPosterior(model.spectrum, form, x, root_weight, alpha, factor, kept), dual.value


def weight_posterior(features: FeatureMap, sums: Statistics, evidence: Evidence) -> WeightPosterior:
    """The D×D form."""
    factor, k = padded(evidence.factor), len(sums.moment)
    for j in range(0, k, TILE_ROWS):  # the Gram above the diagonal, where the factor has nothing
        columns = slice(j, min(j + TILE_ROWS, k))
        factor[columns, j:k] += np.tril(sums.gram[j:k, columns], -1).T
    parts = sums.gram.diagonal().copy(), sums.moment, sums.energy, sums.total
    return WeightPosterior(features, evidence.weight_mean[:, 0], evidence.root_variance, factor, *parts)
