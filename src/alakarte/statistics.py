"""Sums over the rows of one block: Gram, moment, energy on the way down; residuals and derivatives on the way up.

In: x (rows, d), y (rows, T), weight (rows,) and a `FeatureMap`. Out: tuples of arrays that add over blocks.
Top-level functions, so that threads and other machines can run them. Paper, section 4.2.
"""

import numpy as np

from alakarte.features.waves import FeatureMap


def block_statistics(x, y, weight, features: FeatureMap):
    """ΦᵀWΦ, ΦᵀWy, yᵀWy, ΣW."""
    root = np.sqrt(weight)[:, None]
    phi = features.phi(x)
    if (weight != 1).any():
        phi *= root
    target = y * root
    return phi.T @ phi, phi.T @ target, (target**2).sum(axis=0), weight.sum()


def block_residual(x, y, weight, features: FeatureMap, weight_mean):
    """Σ w r², r = y − Φβ, with β (D, T)."""
    residual = y - features.phi(x) @ weight_mean
    return ((weight[:, None] * residual**2).sum(axis=0),)


def block_pullback(x, y, weight, features: FeatureMap, weight_mean, covariance, noise_variance):
    """Σ w r², then the sums of `FeatureMap.pullback` for Φ_bar = W (ΦP − rβᵀ)/s."""
    phi = features.phi(x)
    residual = (y - phi @ weight_mean)[:, 0]
    phi_p = phi @ (covariance / noise_variance)
    sums = features.pullback(x, phi, phi_p, residual, weight_mean[:, 0] / noise_variance, weight)
    return (weight * residual**2).sum(), *sums
