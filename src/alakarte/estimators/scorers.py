"""Scorers for model selection: mean log predictive density and coverage, for `cross_val_score` and `GridSearchCV`.

An estimator of this library, or a pipeline that ends in one, is asked for its own predictive density; of any other
regressor predict(X, return_std=True) is taken to be normal.
"""

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from alakarte.estimators.base import GPEstimator
from alakarte.estimators.predictions import Predictions
from alakarte.metrics import coverage, log_density
from alakarte.records import Array


def log_density_scorer(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Mean log predictive density, or probability of labels and counts, per row; larger is better.

    Examples
    --------
    ``cross_val_score(model, X, y, scoring=log_density_scorer)``
    """
    return float(np.average(_log_predictive_density(estimator, X, y), weights=sample_weight))


def _log_predictive_density(estimator: Any, X: Any, y: Any) -> Array:
    """(rows,) nats; of several targets their sum."""
    if isinstance(estimator, Pipeline) and isinstance(estimator[-1], GPEstimator):
        earlier = estimator[:-1]
        return _log_predictive_density(estimator[-1], earlier.transform(X) if len(earlier) else X, y)
    if isinstance(estimator, GPEstimator):
        return estimator.log_predictive_density(X, y)
    mean, std = estimator.predict(X, return_std=True)
    density = log_density(y, mean, std)
    return np.asarray(density.reshape(len(density), -1).sum(axis=1))


def coverage_scorer(estimator: Any, X: Any, y: Any, level: float = 0.95) -> float:
    """Coverage of the central intervals; the nearer to `level`, the better."""
    if isinstance(estimator, Pipeline) and isinstance(estimator[-1], Predictions):
        earlier = estimator[:-1]
        return coverage_scorer(estimator[-1], earlier.transform(X) if len(earlier) else X, y, level)
    if isinstance(estimator, Predictions):
        low, high = estimator.predict_interval(X, level)
        return float(np.mean((low <= y) & (np.asarray(y) <= high)))
    mean, std = estimator.predict(X, return_std=True)
    return coverage(y, mean, std, level)
