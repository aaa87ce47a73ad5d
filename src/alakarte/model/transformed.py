"""From normal predictions of a transformed target to what is expected of y itself.

In: a `TargetTransform`, means and standard deviations in units of t = g(y), (rows, T). Out: means, standard deviations
and values in units of y, by quadrature. What observations are without their noise is m(f) = E[y | f]: its average is
that of y, and it rises with f, so that quantiles of f are quantiles of it.
"""

import numpy as np

from alakarte.data.target_transform import TargetTransform
from alakarte.likelihoods.quadrature import normal_nodes
from alakarte.records import Array

NODES = 48
_CHUNK_NUMBERS = 1 << 21  # rows × nodes at a time


def moments(transform: TargetTransform, mean: Array, std: Array, noise_std: Array | float = 0.0) -> tuple[Array, Array]:
    """Mean and standard deviation (rows, T) of y where t is normal, or with a noise beside t, of E[y | t]."""
    out_mean, out_std = np.empty_like(mean), np.empty_like(mean)
    noise_std = np.broadcast_to(noise_std, mean.shape)
    nodes, weights = standard_nodes()
    step = max(_CHUNK_NUMBERS // (mean.shape[1] * NODES ** (2 if noise_std.any() else 1)), 1)
    for start in range(0, len(mean), step):
        part = slice(start, start + step)
        t = mean[part] + std[part] * nodes[:, None, None]
        y = without_noise(transform, t, noise_std[part])
        average = np.einsum("k,knt->nt", weights, y)
        out_mean[part] = average
        out_std[part] = np.sqrt(np.einsum("k,knt->nt", weights, (y - average) ** 2))
    return out_mean, out_std


def without_noise(transform: TargetTransform, t: Array, noise_std: Array | float) -> Array:
    """E[y | t] (…, T) of observations that scatter about t by `noise_std`; y(t) itself without."""
    if not np.any(noise_std):
        return transform.inverse(t)
    nodes, weights = standard_nodes()
    total = np.zeros(np.broadcast_shapes(t.shape, np.shape(noise_std)))
    for node, weight in zip(nodes, weights, strict=True):
        total += weight * transform.inverse(t + noise_std * node)
    return total


def log_density(transform: TargetTransform, y: Array, log_density_of_t: Array) -> Array:
    """Nats (rows, T) of y from those of t = g(y); minus infinity where y is not among the values of g⁻¹."""
    covered = transform.covers(y)
    slope = transform.log_slope(np.where(covered, y, 1.0))
    return np.where(covered, log_density_of_t + slope, -np.inf)


def standard_nodes() -> tuple[Array, Array]:
    """Nodes and weights (NODES,) of a standard normal distribution."""
    nodes, weights = normal_nodes(np.zeros(1), np.ones(1), NODES)
    return nodes[:, 0], weights[:, 0]
