"""Rows that lie in few directions, those along a smooth curve for instance.

In: rows. Out: few directions and the combinations of them that give all rows again, to half of their digits: a Gram
matrix sees no more.
"""

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dpstrf

from alakarte.records import Array

_EPS = float(np.finfo(np.float64).eps)


def spanned(rows: Array) -> tuple[Array, Array]:
    """Combinations (G, r) and orthonormal directions (r, k), whose product is rows (G, k) to 10⁻⁷ of the longest."""
    gram = rows @ rows.T
    largest = gram.diagonal().max(initial=0.0)
    if largest == 0.0:
        return np.zeros((len(rows), 0)), np.zeros((0, rows.shape[1]))
    _, pivots, rank, _ = dpstrf(gram, lower=1, tol=len(rows) * _EPS * largest)
    directions = qr(rows[pivots[:rank] - 1].T, mode="economic", check_finite=False)[0].T
    return rows @ directions.T, directions
