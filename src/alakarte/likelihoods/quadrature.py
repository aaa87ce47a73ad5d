"""Averages over a normal distribution by Gauss–Hermite quadrature, for many rows at once.

In: means and variances (n,). Out: nodes (nodes, n) and weights (nodes, 1) that sum to one.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from alakarte.records import Array

NODES = 20  # while a posterior is sought
NODES_TO_PREDICT = 64
LEAST_VARIANCE = 1e-12  # of a normal distribution: less is rounding
_STEPS = 12  # of Newton's method to the top of a product


@cache
def _rule(n_nodes: int) -> tuple[Array, Array]:
    """Nodes and weights of N(0, 1)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return nodes[:, None], (weights / weights.sum())[:, None]


def normal_nodes(mean: Array, variance: Array, n_nodes: int = NODES) -> tuple[Array, Array]:
    """Values of f (nodes, n) and their weights (nodes, 1) under N(mean, variance)."""
    nodes, weights = _rule(n_nodes)
    return mean + np.sqrt(variance) * nodes, weights


def log_average(
    log_function: Callable[[Array], Array],
    slope_and_curvature: Callable[[Array], tuple[Array, Array]],
    mean: Array,
    variance: Array,
) -> Array:
    """log ∫ exp(log_function(f)) N(f; mean, variance) df (n,), with nodes around the top of the product."""
    f, log_weights = nodes_about_top(slope_and_curvature, mean, variance, NODES_TO_PREDICT)
    terms = log_function(f) + log_weights
    highest = terms.max(axis=0)
    total: Array = highest + np.log(np.exp(terms - highest).sum(axis=0))
    return total


def nodes_about_top(
    slope_and_curvature: Callable[[Array], tuple[Array, Array]], mean: Array, variance: Array, n_nodes: int = NODES
) -> tuple[Array, Array]:
    """Values of f (nodes, n) where exp(l(f)) N(f; mean, variance) is large, and logarithms of weights for N alone.

    `slope_and_curvature` are l′ and −l″: a likelihood far narrower than the normal distribution would fall between
    nodes that are spread by the latter alone.
    """
    variance = np.maximum(variance, LEAST_VARIANCE)
    top = mean.copy()
    for _ in range(_STEPS):
        slope, curvature = slope_and_curvature(top)
        step = (slope - (top - mean) / variance) / (np.maximum(curvature, 0) + 1 / variance)
        top = top + np.clip(step, -4.0, 4.0)
    narrow = 1 / (np.maximum(slope_and_curvature(top)[1], 0) + 1 / variance)
    nodes, weights = _rule(n_nodes)
    # ∫ p N(f; mean, variance) = E over N(top, narrow) of p · N(f; mean, variance) / N(f; top, narrow)
    f = top + np.sqrt(narrow) * nodes
    log_ratio = -0.5 * (f - mean) ** 2 / variance + 0.5 * nodes**2 + 0.5 * np.log(narrow / variance)
    return f, log_ratio + np.log(weights)
