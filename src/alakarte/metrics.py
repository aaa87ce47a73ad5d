"""Log density and coverage of Gaussian predictions: plain functions of arrays."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from alakarte.records import Array


def log_density(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> Array:
    """Log predictive density of y under N(mean, std²), entry by entry, in nats of y.

    Examples
    --------
    >>> float(log_density([0.0], [0.0], [1.0])[0].round(3))
    -0.919
    """
    y, mean, std = (np.asarray(value, dtype=np.float64) for value in (y, mean, std))
    density: Array = -0.5 * np.log(2 * np.pi) - np.log(std) - 0.5 * ((y - mean) / std) ** 2
    return density


def coverage(y: ArrayLike, mean: ArrayLike, std: ArrayLike, level: float = 0.95) -> float:
    """Fraction of y within the central interval of probability `level` of N(mean, std²).

    Examples
    --------
    >>> coverage([0.0, 3.0], [0.0, 0.0], [1.0, 1.0])
    0.5
    """
    y, mean, std = (np.asarray(value, dtype=np.float64) for value in (y, mean, std))
    return float(np.mean(np.abs(y - mean) <= ndtri(0.5 + level / 2) * std))
