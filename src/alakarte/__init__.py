"""Gaussian processes that learn their kernel from the data, at the size of the data."""

from alakarte.errors import InvalidInput, Unavailable
from alakarte.metrics import coverage_scorer, log_density_scorer
from alakarte.regressor import GPRegressor
from alakarte.transformer import FastfoodFeatures

__version__ = "0.1.0"
__all__ = ["FastfoodFeatures", "GPRegressor", "InvalidInput", "Unavailable", "coverage_scorer", "log_density_scorer"]
