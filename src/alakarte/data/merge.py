"""Identical rows merged, so that a weight of two is the row given twice, and shuffled rows are the same table.

In: checked arrays. Out: distinct rows in sorted order with summed weights; large tables as they are.
"""

import numpy as np

from alakarte.records import Array, Integers

# Up to this many rows, identical rows are merged and sorted: L-BFGS amplifies 1e-16 to 1e-2.
MERGE_ROWS = 20_000
# Columns that are compared first: they tell the rows of most tables apart.
_LEADING = 8


def merge_rows(X: Array, y: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Distinct rows in sorted order with summed weights: X (n, d), y (n, T), weight (n,)."""
    if not (weight > 0).all():
        keep = weight > 0
        X, y, weight = X[keep], y[keep], weight[keep]
    if X.shape[0] > MERGE_ROWS:
        return X, y, weight
    table = np.column_stack([X, y, weight])
    table += 0.0  # −0.0 becomes 0.0
    table = table[_order(table)]
    new = np.ones(len(table), dtype=bool)
    np.any(table[1:, :-1] != table[:-1, :-1], axis=1, out=new[1:])
    weight = np.add.reduceat(table[:, -1], np.flatnonzero(new))
    d = X.shape[1]
    return np.ascontiguousarray(table[new, :d]), np.ascontiguousarray(table[new, d:-1]), weight


def _order(table: Array) -> Integers:
    """Lexicographic order of rows; the leading columns alone where they tell all rows apart."""
    for n_columns in (_LEADING, table.shape[1]):
        keys = table[:, n_columns - 1 :: -1].T  # the first column decides first
        order = np.lexsort(keys).astype(np.int64, copy=False)
        head = table[order, :n_columns]
        if (head[1:] != head[:-1]).any(axis=1).all():
            break
    return order
