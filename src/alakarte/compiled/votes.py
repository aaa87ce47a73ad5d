"""Solves with the factors of many small processes, for what is known only after their moments.

In: factors (B, k, k + 1 + T) as `local.moments` leaves them, right-hand sides (B, k). Out: U⁻ᵀz in the column that
`local.moments_pullback` reads. The twin is in `local_reference.py`.
"""

import numpy as np

from alakarte.compiled.jit import compiled
from alakarte.compiled.layout import row_major
from alakarte.records import Array


@compiled
def _whiten(factors, z, column):
    n_queries, k = z.shape
    for b in range(n_queries):
        U, right = factors[b], z[b]
        for p in range(k):
            U[p, column] = right[p]
        for p in range(k):
            value = U[p, column] / U[p, p]
            U[p, column] = value
            for j in range(p + 1, k):
                U[j, column] -= U[p, j] * value


def whiten(factors: Array, z: Array) -> None:
    """Write U⁻ᵀz (B, k) over the last column of the factors."""
    (z,) = row_major(np.float64, z)
    _whiten(factors, z, factors.shape[2] - 1)
