"""Scorers for model selection: mean log predictive density and coverage, for `cross_val_score` and `GridSearchCV`.

They call predict(X, return_std=True) only, so they serve pipelines and any regressor with that argument.
"""

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


def log_density_scorer(estimator, X, y, sample_weight=None):
    """Mean log predictive density, larger is better: ``cross_val_score(model, X, y, scoring=log_density_scorer)``."""
    mean, std = estimator.predict(X, return_std=True)
    return float(np.average(log_density(y, mean, std), weights=sample_weight))


def coverage_scorer(estimator, X, y, level=0.95):
    """Coverage of the central intervals; the nearer to `level`, the better."""
    mean, std = estimator.predict(X, return_std=True)
    return coverage(y, mean, std, level)
