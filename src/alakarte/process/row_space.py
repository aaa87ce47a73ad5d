"""The evidence in n×n form, for n < D: the one place that sees all rows at once. Paper, section 4.2, [E20].

    K = W^½ Φ V Φᵀ W^½ + s I = L Lᵀ,   α = K⁻¹ W^½ y,   nlml = ½ (n log 2π + log|K| + yᵀW^½α + (N − n) log 2πs)

W^½ makes weights equal repeated rows. Exact kernels use the same formulas with their own K.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.linalg.factorise import cholesky, inverse, log_determinant, solve


@dataclass(frozen=True)
class Dual:
    """The solved row space."""

    factor: np.ndarray  # (n, n) L
    alpha: np.ndarray  # (n, T)
    value: float  # nlml
    noise_variance: float
    spare: float  # N − n


def solve_rows(signal, target, noise_variance: float, total: float, n_jobs: int = 1) -> Dual:
    """Dual from W^½ K_f W^½ (n, n), overwritten (Fortran's order: lower triangle), and W^½ y (n, T)."""
    n = len(signal)
    signal.flat[:: n + 1] += noise_variance
    factor = cholesky(signal, n_jobs)
    alpha = solve(factor, target)
    spare = total - n
    log_det = n * np.log(2 * np.pi) + log_determinant(factor) + spare * np.log(2 * np.pi * noise_variance)
    value = 0.5 * (target.shape[1] * log_det + float(np.sum(target * alpha)))
    return Dual(factor, alpha, value, noise_variance, spare)


def dual_pullback(dual: Dual, n_jobs: int = 1):
    """Lower triangle of K⁻¹ (n, n), of which 2 K_bar = K⁻¹ − ααᵀ, and the derivative by log s; one target."""
    inverse_kernel = inverse(dual.factor, n_jobs)
    trace = np.trace(inverse_kernel) - float(np.sum(dual.alpha**2))
    return inverse_kernel, 0.5 * (dual.noise_variance * trace + dual.spare)
