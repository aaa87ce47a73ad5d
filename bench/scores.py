"""How good predictions are: the figures that all result lines have.

In: targets of test rows, predicted means and standard deviations, std(y) of the training rows. Out: a dictionary.
"""

import numpy as np

from alakarte import coverage_scorer, log_density_scorer
from alakarte.metrics import half_width, log_density


def rmse(residual: np.ndarray) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(residual**2)))


def scores_of(model, X: np.ndarray, y: np.ndarray, y_std: float) -> dict[str, float]:
    """`scores` of a model of this library, by its own predictive density and intervals."""
    error = rmse(model.predict(X) - y)
    return {
        "rmse": error,
        "rmse_over_std": error / float(y_std),
        "log_density_standardised": log_density_scorer(model, X, y) + float(np.log(y_std)),
        "coverage": coverage_scorer(model, X, y),
    }


def scores(y: np.ndarray, mean: np.ndarray, std: np.ndarray, y_std: float, dof: float = np.inf) -> dict[str, float]:
    """RMSE in own units and over std(y), mean log density of standardised y, coverage of 95 % intervals."""
    error = rmse(mean - y)
    return {
        "rmse": error,
        "rmse_over_std": error / float(y_std),
        "log_density_standardised": float(log_density(y, mean, std, dof).mean() + np.log(y_std)),
        "coverage": float(np.mean(np.abs(y - mean) <= half_width(0.95, dof) * std)),
    }
