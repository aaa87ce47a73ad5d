"""Scorers for model selection: mean log predictive density and coverage, for `cross_val_score` and `GridSearchCV`.

They call predict(X, return_std=True) only, so they serve pipelines and any regressor with that argument.
"""

import numpy as np

from alakarte.metrics import coverage, log_density


def log_density_scorer(estimator, X, y, sample_weight=None):
    """Mean log predictive density, larger is better: ``cross_val_score(model, X, y, scoring=log_density_scorer)``."""
    mean, std = estimator.predict(X, return_std=True)
    return float(np.average(log_density(y, mean, std), weights=sample_weight))


def coverage_scorer(estimator, X, y, level=0.95):
    """Coverage of the central intervals; the nearer to `level`, the better."""
    mean, std = estimator.predict(X, return_std=True)
    return coverage(y, mean, std, level)
