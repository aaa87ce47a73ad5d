"""How kernels are ranked, and what weight each has in an average.

In: negative log evidences and numbers of parameters. Out: scores in nats, weights that sum to one. Had other rows been
drawn, log evidences would differ from these by some √N nats: that is the temperature of the weights. One of 1 would
take the lead of the best kernel at its word.
"""

import numpy as np

from alakarte.records import Array


def score(nlml: float, n_parameters: int) -> float:
    """What kernels are ranked by: a maximum exceeds the true θ's evidence by half a nat per number, on average."""
    return -nlml - 0.5 * n_parameters


def average_weights(scores: list[float], total: float) -> Array:
    """w (K,) ∝ exp(score/√N), of scores (K,) in nats."""
    above = np.asarray(scores, dtype=float) - np.max(scores)
    weights = np.exp(above / np.sqrt(total))
    return np.asarray(weights / weights.sum())
