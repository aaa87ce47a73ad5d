"""What remains of a fit: arrays that give predictive mean, variance, covariance and samples.

[E14, E15] In: a `Model` at the learned theta. Out: one of three posteriors, in standardised units, without observation noise.
Variances are sums of squares: they cannot be negative. Rows are padded to a fixed tile, so that a prediction does not
depend, to the last bit, on which other rows are asked for in the same call.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd

from alakarte.exact import closed_kernel
from alakarte.factorise import cholesky, solve_lower
from alakarte.features.waves import FeatureMap
from alakarte.kernels.base import ClosedForm
from alakarte.objective import Model, closed_form, row_space, weight_space
from alakarte.records import Spectrum

TILE_ROWS = 128


class Posterior(ABC):
    """Predictions of the latent function for standardised rows x (rows, d)."""

    @abstractmethod
    def mean(self, x) -> np.ndarray:
        """(rows,)."""

    @abstractmethod
    def variance(self, x) -> np.ndarray:
        """(rows,) ≥ 0."""

    @abstractmethod
    def covariance(self, x) -> np.ndarray:
        """(rows, rows)."""

    @abstractmethod
    def sample(self, x, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """(rows, n_samples) of the function, jointly over rows."""


def by_tiles(function, x) -> np.ndarray:
    """function(tile) → (TILE_ROWS, …) for tiles of x padded with zeros, stacked."""
    parts = []
    for start in range(0, len(x), TILE_ROWS):
        tile = np.zeros((TILE_ROWS, x.shape[1]))
        part = x[start : start + TILE_ROWS]
        tile[: len(part)] = part
        parts.append(function(tile)[: len(part)])
    return np.concatenate(parts) if parts else function(np.zeros((TILE_ROWS, x.shape[1])))[:0]


@dataclass(frozen=True)
class WeightPosterior(Posterior):
    """w ~ N(β, V^½ (L Lᵀ)⁻¹ V^½): the D×D form."""

    features: FeatureMap
    weight_mean: np.ndarray  # (D,)
    root_variance: np.ndarray  # (D,)
    factor: np.ndarray  # (D, D) L

    def mean(self, x):
        """φᵀβ."""
        return by_tiles(lambda tile: self.features.phi(tile) @ self.weight_mean, x)

    def _whitened(self, x):
        """(D, rows) L⁻¹ V^½ φ."""
        return solve_lower(self.factor, (self.features.phi(x) * self.root_variance).T)

    def variance(self, x):
        """‖L⁻¹ψ‖²."""
        return by_tiles(lambda tile: (self._whitened(tile) ** 2).sum(axis=0), x)

    def covariance(self, x):
        """ψᵀ M⁻¹ ψ'."""
        whitened = self._whitened(x)
        return whitened.T @ whitened

    def sample(self, x, n_samples, rng):
        """Φ (β + V^½ L⁻ᵀ ε): one draw of weights is one function."""
        draws = rng.standard_normal((self.root_variance.size, n_samples))
        weights = self.root_variance[:, None] * solve_lower(self.factor, draws, transposed=True)
        weights += self.weight_mean[:, None]
        return by_tiles(lambda tile: self.features.phi(tile) @ weights, x)


@dataclass(frozen=True)
class LowRankPosterior(Posterior):
    """The same for n ≪ D: V^½ (I − U Uᵀ + U s/(s+λ) Uᵀ) V^½, from the SVD of Φ V^½."""

    features: FeatureMap
    weight_mean: np.ndarray  # (D,)
    root_variance: np.ndarray  # (D,)
    basis: np.ndarray  # (D, r) U
    shrinkage: np.ndarray  # (r,) √(s/(s+λ))

    def mean(self, x):
        """φᵀβ."""
        return by_tiles(lambda tile: self.features.phi(tile) @ self.weight_mean, x)

    def _whitened(self, x):
        """(rows, D) square root of the covariance applied to ψ."""
        return self._shrink(self.features.phi(x) * self.root_variance)

    def _shrink(self, psi):
        return psi + (psi @ self.basis * (self.shrinkage - 1)) @ self.basis.T

    def variance(self, x):
        """‖ψ − UUᵀψ‖² + Σ s/(s+λ_i) (u_iᵀψ)²."""
        return by_tiles(lambda tile: (self._whitened(tile) ** 2).sum(axis=1), x)

    def covariance(self, x):
        """As the variance, for pairs."""
        whitened = self._whitened(x)
        return whitened @ whitened.T

    def sample(self, x, n_samples, rng):
        """One draw of weights is one function."""
        draws = self._shrink(rng.standard_normal((n_samples, self.root_variance.size))) * self.root_variance
        weights = (draws + self.weight_mean).T
        return by_tiles(lambda tile: self.features.phi(tile) @ weights, x)


@dataclass(frozen=True)
class RowPosterior(Posterior):
    """An exact kernel's posterior: training rows and the factor of K."""

    spectrum: Spectrum
    form: ClosedForm
    x: np.ndarray  # (n, d)
    root_weight: np.ndarray  # (n,)
    alpha: np.ndarray  # (n,)
    factor: np.ndarray  # (n, n)

    def _cross(self, x):
        """k(x, X) W^½ (rows, n)."""
        return closed_kernel(self.spectrum, self.form, x, self.x) * self.root_weight

    def mean(self, x):
        """kᵀα."""
        return by_tiles(lambda tile: self._cross(tile) @ self.alpha, x)

    def variance(self, x):
        """k(x, x) − ‖L⁻¹k‖², cut at zero."""
        prior = np.exp(2 * self.spectrum.log_amplitude).sum()
        return by_tiles(
            lambda tile: np.maximum(prior - (solve_lower(self.factor, self._cross(tile).T) ** 2).sum(axis=0), 0), x
        )

    def covariance(self, x):
        """k(x, x') − kᵀK⁻¹k'."""
        whitened = solve_lower(self.factor, self._cross(x).T)
        covariance = closed_kernel(self.spectrum, self.form, x) - whitened.T @ whitened
        covariance.flat[:: len(x) + 1] = np.maximum(covariance.diagonal(), 0)
        return covariance

    def sample(self, x, n_samples, rng):
        """Mean + Cholesky factor of the covariance × normal."""
        factor = np.tril(
            cholesky(self.covariance(x) + 1e-12 * np.exp(2 * self.spectrum.log_amplitude).sum() * np.eye(len(x)))
        )
        return self.mean(x)[:, None] + factor @ rng.standard_normal((len(x), n_samples))


def posterior(model: Model) -> Posterior:
    """The posterior of a model, in the form that is cheapest to keep."""
    rows = model.problem.rows
    if model.form == "exact":
        dual = row_space(model)
        form = closed_form(model.problem.kernel, model.values)
        return RowPosterior(model.spectrum, form, rows.x, np.sqrt(rows.weight), dual.alpha[:, 0], np.tril(dual.factor))
    root_variance = np.sqrt(model.spectrum.weight_variance(model.problem.draws.shape))
    if model.features.n_basis <= 2 * rows.n_rows:
        evidence = weight_space(model)
        return WeightPosterior(model.features, evidence.weight_mean[:, 0], root_variance, np.tril(evidence.factor))
    psi = model.features.phi(rows.x) * root_variance * np.sqrt(rows.weight)[:, None]
    left, singular, right = svd(psi, full_matrices=False, check_finite=False)
    target = left.T @ (rows.y[:, 0] * np.sqrt(rows.weight))
    s = model.noise_variance
    weight_mean = root_variance * (right.T @ (singular / (singular**2 + s) * target))
    return LowRankPosterior(
        model.features, weight_mean, root_variance, np.ascontiguousarray(right.T), np.sqrt(s / (s + singular**2))
    )
