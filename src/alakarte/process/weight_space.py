"""Weight mean, log-determinant and all cotangents from statistics alone; no row is ever seen. Paper, section 4.2.

    M = I + V^½ A V^½ / s = L Lᵀ,   γ = M⁻¹ V^½ b / s,   β = V^½ γ,   P = V^½ M⁻¹ V^½
    nlml = ½ (N log 2π + N log s + log|M| + ‖r‖²/s + ‖γ‖²)

‖r‖², summed by the second pass, completes value and gradient: `value` and `pullback` take it.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.linalg.factorise import cholesky, inverse, log_determinant, solve
from alakarte.records import Statistics

EPS = np.finfo(np.float64).eps


@dataclass(frozen=True)
class Evidence:
    """The solved weight space."""

    factor: np.ndarray  # (D, D) L
    gamma: np.ndarray  # (D, T)
    weight_mean: np.ndarray  # (D, T) β
    root_variance: np.ndarray  # (D,) V^½
    noise_variance: float  # s
    total: float  # N

    def value(self, residual) -> float:
        """The nlml with Σ w r² (T,) from a pass over the rows."""
        quadratic = float(np.sum(residual)) / self.noise_variance + float(np.sum(self.gamma**2))
        log_det = self.total * np.log(2 * np.pi * self.noise_variance) + log_determinant(self.factor)
        return 0.5 * (self.gamma.shape[1] * log_det + quadratic)

    def value_from(self, statistics: Statistics) -> float:
        """The nlml from sums alone: ‖r‖² + s‖γ‖² = c − bᵀβ, to its rounding."""
        left = statistics.energy.sum() - np.sum(statistics.moment * self.weight_mean)
        return self.value(max(float(left), 0.0) - self.noise_variance * float(np.sum(self.gamma**2)))


def noise_floor(n_basis: int, total: float, log_amplitude) -> float:
    """s ≥ 2 k eps N Σ v²: below it the rounding of the Gram, not the noise, decides; k is the size of the system."""
    return 2 * n_basis * EPS * total * float(np.exp(2 * np.asarray(log_amplitude)).sum())


def solve_weights(statistics: Statistics, weight_variance, noise_variance: float, n_jobs: int = 1) -> Evidence:
    """Evidence from statistics, V (D,) and s."""
    root = np.sqrt(weight_variance)
    M = statistics.gram * root
    M *= (root / noise_variance)[:, None]
    M.flat[:: len(root) + 1] += 1.0
    factor = cholesky(M, n_jobs)
    gamma = solve(factor, statistics.moment * (root / noise_variance)[:, None])
    return Evidence(factor, gamma, root[:, None] * gamma, root, noise_variance, statistics.total)


def posterior_covariance(evidence: Evidence, n_jobs: int = 1):
    """Lower triangle of P/s (D, D), in Fortran's order, and the diagonal of M⁻¹ (D,)."""
    scaled = inverse(evidence.factor, n_jobs)
    diagonal = scaled.diagonal().copy()
    scaled *= evidence.root_variance
    scaled *= (evidence.root_variance / evidence.noise_variance)[:, None]
    return scaled, diagonal


def pullback(evidence: Evidence, inverse_diagonal, residual: float):
    """Derivatives by log V_i (D,) and by log s; one target."""
    log_variance_bar = 0.5 * (1 - inverse_diagonal - evidence.gamma[:, 0] ** 2)
    log_noise_bar = 0.5 * (
        evidence.total - inverse_diagonal.size + inverse_diagonal.sum() - residual / evidence.noise_variance
    )
    return log_variance_bar, log_noise_bar
