"""What a start may know of the rows: robust ranges and differences of random pairs. Paper, section 5.1, [E19]."""

import numpy as np

from alakarte.records import Array, Integers, Summary

# Of so many rows at most: a start needs no more.
SUMMARY_ROWS = 100_000


def summarise(x: Array, weight: Array, rng: np.random.Generator) -> Summary:
    """Summary of standardised rows x (n, d) with weights (n,)."""
    n = x.shape[0]
    n_pairs = int(min(n * (n - 1) / 2, np.clip(n / 5, 2000, 100_000)))
    if n * (n - 1) / 2 <= n_pairs:
        first, second = np.triu_indices(n, 1)
    else:
        first, second = _picks(weight, (2, n_pairs), rng)
    differences = x[first] - x[second]
    ranges = _robust_ranges(x, weight)
    ranges = np.where(ranges > 0, ranges, x.max(axis=0) - x.min(axis=0))
    return Summary(np.where(ranges > 0, ranges, 1.0), differences)


def _picks(weight: Array, size: tuple[int, int], rng: np.random.Generator) -> Integers:
    """Rows in proportion to their weights, as if repeated."""
    edges = np.cumsum(weight)
    return np.minimum(np.searchsorted(edges, rng.uniform(0, edges[-1], size=size), side="right"), weight.size - 1)


def _robust_ranges(x: Array, weight: Array) -> Array:
    """(d,) from the 1 % to the 99 % quantile; zero where almost all values are equal."""
    equal = (weight == weight[0]).all()
    ends = _quantile_rows(weight)
    ranges = np.empty(x.shape[1])
    for j in range(x.shape[1]):
        column = np.ascontiguousarray(x[:, j])
        if equal:  # no need to sort
            low, high = np.partition(column, ends)[ends]
        else:
            order = np.argsort(column)
            low, high = column[order[_quantile_rows(weight[order])]]
        ranges[j] = high - low
    return ranges


def _quantile_rows(weight: Array) -> Integers:
    """(2,) where the 1 % and 99 % quantiles stand among sorted rows with these weights."""
    edges = np.cumsum(weight)
    places: Integers = np.minimum(np.searchsorted(edges, np.array([0.01, 0.99]) * edges[-1]), weight.size - 1)
    return places
