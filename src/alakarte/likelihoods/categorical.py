"""Several classes: one latent function per class, p(y = k | f) = softmax(f)_k.

In: latent values (n, K), labels (n,) 0 … K − 1. Out: probabilities, log likelihoods and their derivatives. It is no
`RowLikelihood`: a row has K latent values. Kernels are learned by regression on indicators of the classes.
"""

import numpy as np

from alakarte.records import Array, Integers


def softmax(f: Array) -> Array:
    """(n, K) probabilities of latent values (n, K)."""
    p: Array = np.exp(f - f.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return p


def log_softmax_at(f: Array, labels: Integers) -> Array:
    """(n,) log probability of each row's own label."""
    top = f.max(axis=1)
    log_total = top + np.log(np.exp(f - top[:, None]).sum(axis=1))
    return np.asarray(f[np.arange(len(f)), labels] - log_total)


def slopes(p: Array, labels: Integers, weight: Array) -> Array:
    """(n, K) derivatives of Σ weight·log p by f."""
    g = -p * weight[:, None]
    g[np.arange(len(p)), labels] += weight
    return g


def curvature_times(p: Array, direction: Array, weight: Array) -> Array:
    """(n, K) −∂²/∂f² applied to a direction (n, K), row by row: P∘(Z − rowsum(P∘Z))."""
    weighted = p * direction
    weighted -= p * weighted.sum(axis=1, keepdims=True)
    weighted *= weight[:, None]
    return weighted


def log_base_rates(labels: Integers, weight: Array, n_classes: int) -> Array:
    """(K,) logarithms of the frequencies of the classes, half a row of each added, centred."""
    logs = np.log(np.bincount(labels, weight, n_classes) + 0.5)
    return np.asarray(logs - logs.mean())


def indicators(labels: Integers, n_classes: int) -> Array:
    """(n, K) of zeros and ones."""
    out = np.zeros((len(labels), n_classes))
    out[np.arange(len(labels)), labels] = 1.0
    return out
