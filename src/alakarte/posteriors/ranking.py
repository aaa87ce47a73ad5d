"""How kernels are ranked, and what weight each has in an average.

In: negative log evidences and numbers of parameters, or log densities of rows left out. Out: scores in nats, weights
that sum to one. Had other rows been drawn, log evidences would differ from these by some √N nats: that is the
temperature of the weights. One of 1 would take the lead of the best kernel at its word. Log densities of rows left out
need no temperature: their weights are those of the mixture that predicts these rows best.
"""

import numpy as np

from alakarte.records import Array

STACKING_STEPS = 1000
STACKING_TOL = 1e-7  # nats per row that a further step must gain


def score(nlml: float, n_parameters: int) -> float:
    """What kernels are ranked by: a maximum exceeds the true θ's evidence by half a nat per number, on average."""
    return -nlml - 0.5 * n_parameters


def average_weights(scores: list[float], total: float) -> Array:
    """w (K,) ∝ exp(score/√N), of scores (K,) in nats."""
    above = np.asarray(scores, dtype=float) - np.max(scores)
    weights = np.exp(above / np.sqrt(total))
    return np.asarray(weights / weights.sum())


def stacked_weights(log_density: Array, weight: Array) -> Array:
    """w (K,) with the most Σ_i ω_i log Σ_k w_k p_ik, of log p (n, K) of rows left out and their weights ω (n,).

    By the steps of EM for a mixture: each raises the sum, and there is one maximum.
    """
    top = log_density.max(axis=1, keepdims=True)
    density = np.exp(log_density - top)
    shares = weight / weight.sum()
    weights = np.full(density.shape[1], 1 / density.shape[1])
    before = -np.inf
    for _ in range(STACKING_STEPS):
        mixed = density @ weights
        value = float(shares @ np.log(mixed))
        if value - before < STACKING_TOL:
            break
        before = value
        weights = weights * (density.T @ (shares / mixed))
    return np.asarray(weights / weights.sum())
