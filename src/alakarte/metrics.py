"""Log density and coverage of predictions, normal or Student-t: plain functions of arrays.

A Student-t is given by its standard deviation, as a normal distribution is, and by its degrees of freedom ν > 2.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtri, stdtrit

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


def half_width(level: float, dof: ArrayLike = np.inf) -> Array:
    """Half of the central interval of probability `level`, in standard deviations, for each of `dof`.

    Examples
    --------
    >>> float(half_width(0.95).round(2))
    1.96
    """
    dof = np.asarray(dof, dtype=np.float64)
    finite, end = np.where(np.isinf(dof), _ANY, dof), 0.5 + level / 2
    return np.where(np.isinf(dof), ndtri(end), stdtrit(finite, end) * np.sqrt((finite - 2) / finite))


def coverage(y: ArrayLike, mean: ArrayLike, std: ArrayLike, level: float = 0.95, dof: ArrayLike = np.inf) -> float:
    """Fraction of y within the central interval of probability `level`.

    Examples
    --------
    >>> coverage([0.0, 3.0], [0.0, 0.0], [1.0, 1.0])
    0.5
    """
    y, mean, std = (np.asarray(value, dtype=np.float64) for value in (y, mean, std))
    return float(np.mean(np.abs(y - mean) <= half_width(level, dof) * std))
