"""How good predictions are: the figures that all result lines have.

In: targets of test rows, predicted means and standard deviations, std(y) of the training rows. Out: a dictionary.
"""

import numpy as np

from alakarte.metrics import coverage, log_density


def rmse(residual: np.ndarray) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(residual**2)))


def scores(y: np.ndarray, mean: np.ndarray, std: np.ndarray, y_std: float) -> dict[str, float]:
    """RMSE in own units and over std(y), mean log density of standardised y, coverage of 95 % intervals."""
    error = rmse(mean - y)
    return {
        "rmse": error,
        "rmse_over_std": error / float(y_std),
        "log_density_standardised": float(log_density(y, mean, std).mean() + np.log(y_std)),
        "coverage": float(coverage(y, mean, std)),
    }
