"""Log density, CRPS and coverage of predictions, normal or Student-t: plain functions of arrays.

A Student-t is given by its standard deviation, as a normal distribution is, and by its degrees of freedom ν > 2.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtr, ndtri, stdtrit

from alakarte.records import Array

_ANY = 4.0  # degrees of freedom, where they are infinite and not used


def log_density(y: ArrayLike, mean: ArrayLike, std: ArrayLike, dof: ArrayLike = np.inf) -> Array:
    """Log predictive density of y, of standard deviation `std` about `mean`, entry by entry, in nats of y.

    Examples
    --------
    >>> float(log_density([0.0], [0.0], [1.0])[0].round(3))
    -0.919
    """
    y, mean, std, dof = (np.asarray(value, dtype=np.float64) for value in (y, mean, std, dof))
    square = ((y - mean) / std) ** 2
    normal: Array = -0.5 * np.log(2 * np.pi) - np.log(std) - 0.5 * square
    if np.isinf(dof).all():
        return normal
    finite = np.where(np.isinf(dof), _ANY, dof)
    at_zero = gammaln((finite + 1) / 2) - gammaln(finite / 2) - 0.5 * np.log(np.pi * (finite - 2))
    student = at_zero - np.log(std) - (finite + 1) / 2 * np.log1p(square / (finite - 2))
    return np.where(np.isinf(dof), normal, student)


def standard_quantile(level: ArrayLike, dof: ArrayLike = np.inf) -> Array:
    """What stays above a value with probability 1 − `level`, in standard deviations from its mean.

    Examples
    --------
    >>> float(standard_quantile(0.975).round(2))
    1.96
    """
    level, dof = np.asarray(level, dtype=np.float64), np.asarray(dof, dtype=np.float64)
    finite = np.where(np.isinf(dof), _ANY, dof)
    return np.where(np.isinf(dof), ndtri(level), stdtrit(finite, level) * np.sqrt((finite - 2) / finite))


def half_width(level: float, dof: ArrayLike = np.inf) -> Array:
    """Half of the central interval of probability `level`, in standard deviations, for each of `dof`."""
    return standard_quantile(0.5 + level / 2, dof)


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
    above = y[..., None] - quantiles
    score: Array = 2 * np.maximum(levels * above, (levels - 1) * above).mean(axis=-1)
    return score


def coverage(y: ArrayLike, mean: ArrayLike, std: ArrayLike, level: float = 0.95, dof: ArrayLike = np.inf) -> float:
    """Fraction of y within the central interval of probability `level`.

    Examples
    --------
    >>> coverage([0.0, 3.0], [0.0, 0.0], [1.0, 1.0])
    0.5
    """
    y, mean, std = (np.asarray(value, dtype=np.float64) for value in (y, mean, std))
    return float(np.mean(np.abs(y - mean) <= half_width(level, dof) * std))
