"""Rows that lie in few directions, those along a smooth curve for instance.

In: rows. Out: few rows and combinations of them that give all rows again, up to rounding.
"""

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dpstrf

from alakarte.records import Array

_EPS = float(np.finfo(np.float64).eps)
_TIMES = 2  # a Gram matrix sees half of the digits: the second time that of what the first has left over


def spanned(rows: Array) -> tuple[Array, Array]:
    """Combinations (G, r) and directions (r, k), whose product is rows (G, k)."""
    combinations, directions, rest = [], [], rows
    enough = (8 * _EPS) ** 2 * np.einsum("ij,ij->i", rows, rows).max(initial=0.0)
    for _ in range(_TIMES):
        gram = rest @ rest.T
        largest = gram.diagonal().max(initial=0.0)
        if largest <= enough:
            break
        _, pivots, rank, _ = dpstrf(gram, lower=1, tol=max(len(rows) * _EPS * largest, enough))
        directions.append(qr(rest[pivots[:rank] - 1].T, mode="economic", check_finite=False)[0].T)
        combinations.append(rest @ directions[-1].T)
        rest = rest - combinations[-1] @ directions[-1]
    if not directions:
        return np.zeros((len(rows), 0)), np.zeros((0, rows.shape[1]))
    return np.hstack(combinations), np.vstack(directions)
