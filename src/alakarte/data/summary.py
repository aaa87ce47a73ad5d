"""What a start may know of the rows: robust ranges and differences of random pairs. Paper, section 5.1, [E19]."""

import numpy as np

from alakarte.records import Summary


def summarise(x, weight, rng: np.random.Generator) -> Summary:
    """Summary of standardised rows x (n, d) with weights (n,)."""
    n = x.shape[0]
    n_pairs = int(min(n * (n - 1) / 2, np.clip(n / 5, 2000, 100_000)))
    if n * (n - 1) / 2 <= n_pairs:
        first, second = np.triu_indices(n, 1)
    else:  # rows in proportion to their weights, as if repeated
        edges = np.cumsum(weight)
        picks = np.searchsorted(edges, rng.uniform(0, edges[-1], size=(2, n_pairs)), side="right")
        first, second = np.minimum(picks, n - 1)
    return Summary(_ranges(x, weight), x[first] - x[second])


def _ranges(x, weight):
    """(d,) from the 1 % to the 99 % quantile, the whole range where that is zero, 1 for a constant input."""
    order = np.argsort(x, axis=0, kind="stable")
    values = np.take_along_axis(x, order, axis=0)
    edges = np.cumsum(weight[order], axis=0)
    robust = np.empty(x.shape[1])
    for j in range(x.shape[1]):
        low, high = np.searchsorted(edges[:, j], np.array([0.01, 0.99]) * edges[-1, j])
        robust[j] = values[min(high, len(x) - 1), j] - values[low, j]
    full = values[-1] - values[0]
    ranges = np.where(robust > 0, robust, full)
    return np.where(ranges > 0, ranges, 1.0)
