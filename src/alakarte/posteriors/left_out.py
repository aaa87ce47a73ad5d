"""What a posterior says of rows that it holds, each without itself: from leverages, without a refit.

In: a block of rows, mean m and variance v of the function there, noise s. Out: mean and variance without each row, at
the same kernel and noise. An observation of weight δ leaves a normal posterior as it joined it, with h = δ v/s:

    y − m₋ = (y − m)/(1 − h),   v₋ = v/(1 − h).

A weight of two is the row given twice: one of the two leaves, δ = min(w, 1).
"""

import numpy as np

from alakarte.data.rows import Block
from alakarte.records import Array

LEAST_RETAINED = 1e-10  # of 1 − h, which rounding may take below zero


def left_weight(weight: Array) -> Array:
    """(rows,) δ, what leaves of rows with these weights."""
    return np.minimum(weight, 1.0)


def retained_part(variance: Array, noise_variance: float, weight: Array) -> Array:
    """(rows,) 1 − h, the part of a residual that its own row did not take away, from v (rows,), s and weights."""
    return np.maximum(1 - left_weight(weight) * variance / noise_variance, LEAST_RETAINED)


def without_each_row(block: Block, residual: Array, variance: Array, retained: Array) -> tuple[Array, Array]:
    """m₋ and v₋ (rows, T) from y − m (rows, T), v (rows,) and 1 − h (rows,)."""
    retained = np.maximum(retained, LEAST_RETAINED)
    mean = block.y - residual / retained[:, None]
    return mean, np.broadcast_to((variance / retained)[:, None], mean.shape)
