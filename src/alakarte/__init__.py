"""Gaussian processes that learn their kernel from the data, at the size of the data."""

from alakarte.data.scan import scan_arrow, scan_parquet
from alakarte.errors import ConditioningWarning, InvalidFile, InvalidInput, Unavailable
from alakarte.estimators.classifier import GPClassifier
from alakarte.estimators.counts import GPCountRegressor
from alakarte.estimators.fastfood_features import FastfoodFeatures
from alakarte.estimators.load import load
from alakarte.estimators.regressor import GPRegressor
from alakarte.estimators.scorers import coverage_scorer, crps_scorer, log_density_scorer

__version__ = "0.1.0"
__all__ = [
    "ConditioningWarning",
    "FastfoodFeatures",
    "GPClassifier",
    "GPCountRegressor",
    "GPRegressor",
    "InvalidFile",
    "InvalidInput",
    "Unavailable",
    "coverage_scorer",
    "crps_scorer",
    "load",
    "log_density_scorer",
    "scan_arrow",
    "scan_parquet",
]
