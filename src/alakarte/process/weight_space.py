"""Weight mean, log-determinant and all cotangents from statistics alone; no row is ever seen. Paper, section 4.2.

    M = I + V^½ A V^½ / s = L Lᵀ,   γ = M⁻¹ V^½ b / s,   β = V^½ γ,   P = V^½ M⁻¹ V^½
    nlml = ½ Σ_t (N log 2π + N log s + log|M| + ‖r_t‖²/s + ‖γ_t‖²)        over T targets with the same Gram

‖r‖², summed by the second pass, completes value and gradient: `value` and `pullback` take it.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.linalg.factorise import cholesky, inverse, log_determinant, solve
from alakarte.records import Array, Statistics

EPS = np.finfo(np.float64).eps


@dataclass(frozen=True)
class WeightSpace:
    """The solved weight space."""

    factor: Array  # (D, D) L
    gamma: Array  # (D, T)
    weight_mean: Array  # (D, T) β
    root_variance: Array  # (D,) V^½
    noise_variance: float  # s
    total: float  # N

    @property
    def n_targets(self) -> int:
        """T."""
        return int(self.gamma.shape[1])

    def value(self, residual: Array | float) -> float:
        """The nlml with Σ w r² (T,) from a pass over the rows."""
        quadratic = float(np.sum(residual)) / self.noise_variance + float(np.sum(self.gamma**2))
        log_det = self.total * np.log(2 * np.pi * self.noise_variance) + log_determinant(self.factor)
        return float(0.5 * (self.n_targets * log_det + quadratic))

    def value_from(self, statistics: Statistics) -> float:
        """The nlml from sums alone: ‖r‖² + s‖γ‖² = c − bᵀβ, to its rounding."""
        left = statistics.energy.sum() - np.sum(statistics.moment * self.weight_mean)
        return self.value(max(float(left), 0.0) - self.noise_variance * float(np.sum(self.gamma**2)))


def noise_floor(n_basis: int, total: float, log_amplitude: Array) -> float:
    """s ≥ 2 k eps N Σ v²: below it the rounding of the Gram, not the noise, decides; k is the size of the system."""
    return float(2 * n_basis * EPS * total * float(np.exp(2 * np.asarray(log_amplitude)).sum()))


def solve_weights(
    statistics: Statistics, weight_variance: Array, noise_variance: float, n_jobs: int = 1
) -> WeightSpace:
    """Weight space from statistics, V (D,) and s."""
    root = np.sqrt(weight_variance)
    M = statistics.gram * root
    M *= (root / noise_variance)[:, None]
    M.flat[:: len(root) + 1] += 1.0
    factor = cholesky(M, n_jobs)
    gamma = solve(factor, statistics.moment * (root / noise_variance)[:, None])
    return WeightSpace(factor, gamma, root[:, None] * gamma, root, noise_variance, statistics.total)


def posterior_covariance(solved: WeightSpace, n_jobs: int = 1) -> tuple[Array, Array]:
    """Lower triangle of P/s (D, D), in Fortran's order, and the diagonal of M⁻¹ (D,)."""
    scaled = inverse(solved.factor, n_jobs)
    diagonal = scaled.diagonal().copy()
    scaled *= solved.root_variance
    scaled *= (solved.root_variance / solved.noise_variance)[:, None]
    return scaled, diagonal


def pullback(solved: WeightSpace, inverse_diagonal: Array, residual: float) -> tuple[Array, float]:
    """Derivatives by log V_i (D,) and by log s, from the diagonal of M⁻¹ and Σ w r² over all targets."""
    T = solved.n_targets
    log_variance_bar = 0.5 * (T * (1 - inverse_diagonal) - (solved.gamma**2).sum(axis=1))
    freedom = solved.total - inverse_diagonal.size + inverse_diagonal.sum()
    log_noise_bar = 0.5 * (T * freedom - residual / solved.noise_variance)
    return log_variance_bar, float(log_noise_bar)
