"""Scorers for model selection: mean log predictive density and coverage, for `cross_val_score` and `GridSearchCV`.

They call predict(X, return_std=True) only, so they serve pipelines and any regressor with that argument.
"""

from typing import Any

import numpy as np

from alakarte.metrics import coverage, log_density


def log_density_scorer(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Mean log predictive density per row, larger is better; of several targets their sum.

    Examples
    --------
    ``cross_val_score(model, X, y, scoring=log_density_scorer)``
    """
    mean, std = estimator.predict(X, return_std=True)
    density = log_density(y, mean, std)
    return float(np.average(density.reshape(len(density), -1).sum(axis=1), weights=sample_weight))


def coverage_scorer(estimator: Any, X: Any, y: Any, level: float = 0.95) -> float:
    """Coverage of the central intervals; the nearer to `level`, the better."""
    mean, std = estimator.predict(X, return_std=True)
    return coverage(y, mean, std, level)
