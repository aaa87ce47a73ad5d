"""Centre and scale of inputs and target, from training rows only, safe from 1e-310 to 1e300 and with large offsets.

In: the user's columns and weights. Out: `Scaling`, which maps both ways. Knows nothing of kernels.
"""

from dataclasses import dataclass

import numpy as np

# Standardised inputs are cut here: a query further away than this says nothing, and must stay finite.
FAR = 1e8


@dataclass(frozen=True)
class Scaling:
    """x̂ = (x − x_mean)/x_scale, constant inputs become 0; ŷ = (y − y_mean)/y_scale."""

    x_mean: np.ndarray  # (d,)
    x_scale: np.ndarray  # (d,)
    x_live: np.ndarray  # (d,) whether the input varies
    y_mean: float
    y_scale: float

    def inputs(self, x):
        """Standardised copy of x (rows, d)."""
        with np.errstate(over="ignore", invalid="ignore"):
            z = np.clip((x - self.x_mean) / self.x_scale, -FAR, FAR)
        return np.where(self.x_live, z, 0.0)

    def target(self, y):
        """Standardised copy of y."""
        return (y - self.y_mean) / self.y_scale


def moments(values, weight):
    """Mean, standard deviation and whether the column varies, of values (n, k) with weights (n,) or None."""
    low, high = values.min(axis=0), values.max(axis=0)
    live = high > low
    middle = low / 2 + high / 2  # no overflow
    centred = values - middle
    size = np.abs(centred).max(axis=0)
    size = np.where(size > 0, size, 1.0)
    relative = centred / size  # within ±1: squares neither overflow nor vanish
    offset = np.average(relative, axis=0, weights=weight)
    spread = np.sqrt(np.average((relative - offset) ** 2, axis=0, weights=weight))
    live &= spread > 0
    mean = np.where(live, middle + offset * size, low)
    return mean, np.where(live, np.maximum(spread * size, np.finfo(float).smallest_subnormal), 1.0), live


def standardise(x, y, weight=None) -> Scaling:
    """Scaling of training rows x (n, d), y (n,)."""
    x_mean, x_scale, x_live = moments(x, weight)
    y_mean, y_scale, _ = moments(y[:, None], weight)
    return Scaling(x_mean, x_scale, x_live, float(y_mean[0]), float(y_scale[0]))
