"""Log density and coverage of Gaussian predictions: plain functions of arrays."""

import numpy as np
from scipy.special import ndtri


def log_density(y, mean, std):
    """Log predictive density (n,) of y under N(mean, std²), in nats of y.

    Examples
    --------
    >>> float(log_density([0.0], [0.0], [1.0])[0].round(3))
    -0.919
    """
    y, mean, std = (np.asarray(value, dtype=float) for value in (y, mean, std))
    return -0.5 * np.log(2 * np.pi) - np.log(std) - 0.5 * ((y - mean) / std) ** 2


def coverage(y, mean, std, level=0.95):
    """Share of y within the central interval of probability `level` of N(mean, std²).

    Examples
    --------
    >>> coverage([0.0, 3.0], [0.0, 0.0], [1.0, 1.0])
    0.5
    """
    y, mean, std = (np.asarray(value, dtype=float) for value in (y, mean, std))
    return float(np.mean(np.abs(y - mean) <= ndtri(0.5 + level / 2) * std))
