"""Scorers for model selection: log predictive density, CRPS and coverage, for `cross_validate` and `GridSearchCV`.

An estimator of this library, or a pipeline that ends in one, is asked for its own predictive density; of any other
regressor predict(X, return_std=True) is taken to be normal.
"""

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from alakarte.errors import Unavailable
from alakarte.estimators.base import GPEstimator
from alakarte.estimators.classifier import GPClassifier
from alakarte.estimators.counts import GPCountRegressor
from alakarte.estimators.predictions import Predictions
from alakarte.metrics import coverage, crps, crps_of_quantiles, log_density
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


LEVELS = (np.arange(100) + 0.5) / 100  # of the quantiles that stand for a distribution that is not normal


def crps_scorer(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Less the mean continuous ranked probability score, in units of y; larger is better.

    Of normal predictions by its formula; of counts and heavy tails from a hundred quantiles.

    Examples
    --------
    ``cross_val_score(model, X, y, scoring=crps_scorer)``
    """
    return -float(np.average(_crps(estimator, X, y), weights=sample_weight))


def _crps(estimator: Any, X: Any, y: Any) -> Array:
    """(rows,), of several targets their mean."""
    if isinstance(estimator, Pipeline) and isinstance(estimator[-1], GPEstimator):
        earlier = estimator[:-1]
        return _crps(estimator[-1], earlier.transform(X) if len(earlier) else X, y)
    if isinstance(estimator, GPClassifier):
        raise Unavailable("crps_scorer is for numbers and counts: score classes by log_density_scorer.")
    if isinstance(estimator, GPCountRegressor) or (isinstance(estimator, Predictions) and not _is_normal(estimator)):
        y = np.asarray(y, dtype=float)
        score = crps_of_quantiles(y, estimator.predict_quantiles(X, LEVELS).reshape(*y.shape, LEVELS.size), LEVELS)
    else:
        mean, std = estimator.predict(X, return_std=True)
        score = crps(y, mean, std)
    return np.asarray(score.reshape(len(score), -1).mean(axis=1))


def _is_normal(estimator: Predictions) -> bool:
    """Whether new observations of a fitted regressor are normal."""
    model = estimator.model_
    in_units_of_y = model.scaling.transform is None
    return in_units_of_y and model.likelihood.is_exact and bool(np.isinf(model.calibration.dof).all())


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
