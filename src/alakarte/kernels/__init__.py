"""Kernel objects with settings of their own, for `GPRegressor(kernel=…)`."""

from alakarte.kernels.ard import ARD
from alakarte.kernels.fsard import FSARD
from alakarte.kernels.fsgbard import FSGBARD
from alakarte.kernels.gm import GaussianMixture
from alakarte.kernels.matern import Matern
from alakarte.kernels.mm import MaternMixture
from alakarte.kernels.pwl import PiecewiseLinear
from alakarte.kernels.rbf import RBF
from alakarte.kernels.ssgpr import SSGPR
from alakarte.kernels.sum import Sum
from alakarte.kernels.trend import Trend

__all__ = [
    "ARD",
    "FSARD",
    "FSGBARD",
    "RBF",
    "SSGPR",
    "GaussianMixture",
    "Matern",
    "MaternMixture",
    "PiecewiseLinear",
    "Sum",
    "Trend",
]
