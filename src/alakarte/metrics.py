"""Log density, CRPS and coverage of predictions: plain functions of arrays."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

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


def crps(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> Array:
    """Continuous ranked probability score of y under N(mean, std²), entry by entry, in units of y; smaller is better.

    σ (z (2Φ(z) − 1) + 2φ(z) − 1/√π) with z = (y − mean)/σ: the absolute error where σ = 0.

    Examples
    --------
    >>> float(crps([0.0], [0.0], [1.0])[0].round(3))
    0.234
    """
    y, mean, std = (np.asarray(value, dtype=np.float64) for value in (y, mean, std))
    z = (y - mean) / std
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    score: Array = std * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))
    return score


def crps_of_quantiles(y: ArrayLike, quantiles: ArrayLike, levels: ArrayLike) -> Array:
    """The same (rows,) from quantiles (rows, k) at equally spaced levels (k,): twice the mean pinball loss.

    Examples
    --------
    >>> float(crps_of_quantiles([1.0], [[0.0]], [0.5])[0])
    1.0
    """
    y, quantiles, levels = (np.asarray(value, dtype=np.float64) for value in (y, quantiles, levels))
    above = y[:, None] - quantiles
    score: Array = 2 * np.maximum(levels * above, (levels - 1) * above).mean(axis=1)
    return score


def coverage(y: ArrayLike, mean: ArrayLike, std: ArrayLike, level: float = 0.95) -> float:
    """Fraction of y within the central interval of probability `level` of N(mean, std²).

    Examples
    --------
    >>> coverage([0.0, 3.0], [0.0, 0.0], [1.0, 1.0])
    0.5
    """
    y, mean, std = (np.asarray(value, dtype=np.float64) for value in (y, mean, std))
    return float(np.mean(np.abs(y - mean) <= ndtri(0.5 + level / 2) * std))
