"""Phases of a block of rows: a matrix product beside the fast transform, on one thread.

In: numbers of inputs and precisions. Out: the time of the product over that of Fastfood.
"""

import numpy as np
from threadpoolctl import threadpool_limits

from bench.speed.problems import projections
from bench.speed.timing import best_of, show

# inputs, precision; times as fast at least
CASES = (
    (32, np.float32, 1.5),
    (128, np.float64, 3),
    (512, np.float64, 8),
    (1024, np.float64, 14),
    (128, np.float32, 3),
    (512, np.float32, 8),
    (1024, np.float32, 14),
)


def projection() -> None:
    """All cases."""
    for d, dtype, target in CASES:
        both = projections(d, dtype)
        both.fast()
        with threadpool_limits(1):
            seconds = best_of(7, fast=both.fast, matrix=both.dense)
        assert np.abs(both.by_transform - both.by_product).max() < 1e-3 * np.abs(both.by_product).max()
        ratio = seconds["matrix"] / seconds["fast"]
        what = f"projection, d={d}, {np.dtype(dtype).name}, one thread: product / Fastfood"
        show(what, f"{ratio:.1f} ×", f"≥ {target} ×", ratio >= target)
