"""The nearest rows of some queries by a look at all of them, in products of matrices: of many inputs trees cut little.

In: points and queries. Out: the places of the nearest, by distance, of equals the first row. Products find who may be
among them, whatever they round; distances are then computed anew, one by one, so that neither the bits nor the answer
depend on how rows were cut.
"""

import numpy as np

from alakarte.records import Array, Integers

_QUERY_ROWS = 64  # at once,
_POINT_ROWS = 16384  # against so many: 8 MB of squared distances
_ROUNDING = 4 * float(np.finfo(np.float64).eps)  # per input, of a product of rows of length one


def nearest_by_scan(points: Array, squares: Array, queries: Array, k: int) -> Integers:
    """(rows, k) of points (n, d), k ≤ n, with their squared lengths (n,), the nearest to queries (rows, d)."""
    parts = [
        _nearest(points, squares, queries[start : start + _QUERY_ROWS], k)
        for start in range(0, len(queries), _QUERY_ROWS)
    ]
    return np.concatenate([np.empty((0, k), np.int64), *parts])


def _nearest(points: Array, squares: Array, queries: Array, k: int) -> Integers:
    """Of few queries: the best so far, and what each part of the points has to offer."""
    size = np.einsum("ij,ij->i", queries, queries)
    error = _ROUNDING * (queries.shape[1] + 2)
    best = [(np.empty(0), np.empty(0, np.int64))] * len(queries)
    for start in range(0, len(points), _POINT_ROWS):
        part = slice(start, start + _POINT_ROWS)
        margin = error * (squares[part] + size[:, None])
        about = queries @ points[part].T
        about *= -2
        about += squares[part]
        about += size[:, None]
        about += margin
        limit = np.partition(about, min(k, about.shape[1]) - 1, axis=1)[:, min(k, about.shape[1]) - 1]
        about -= 2 * margin  # the least that a distance may be
        for i, row in enumerate(about):
            best[i] = _merged(best[i], points, queries[i], start + np.flatnonzero(row <= limit[i]), k)
    return np.array([rows for _, rows in best])


def _merged(
    best: tuple[Array, Integers], points: Array, query: Array, offered: Integers, k: int
) -> tuple[Array, Integers]:
    """The k nearest of those known, by squared distances and rows, and of those offered."""
    apart = points[offered] - query
    distance = np.concatenate([best[0], (apart * apart).sum(axis=1)])
    rows = np.concatenate([best[1], offered])
    order = np.lexsort((rows, distance))[:k]
    return distance[order], rows[order]
