"""Noise that depends on the input: normal, with variance s ρ(x), log ρ a second, small process.

In: a regressor and its table. Out: the same fitted: first with one noise for all rows, whose residuals, as if each row
were left out, tell log ρ; then with weights 1/ρ. A row of weight w has noise s/w, so that all else, rows that join and
leave among it, is that of weighted rows.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from alakarte.data.columns import is_dask
from alakarte.data.read import read_target
from alakarte.data.rows import Block
from alakarte.errors import Unavailable
from alakarte.estimators.callbacks import without_callbacks
from alakarte.estimators.checks import check_target_transform
from alakarte.execution.threads import one_blas_thread, thread_count
from alakarte.kernels.ard import ARD
from alakarte.model.fitted import FittedModel
from alakarte.posteriors.calibration import UNCALIBRATED
from alakarte.records import Array

HETEROSCEDASTIC = "heteroscedastic"
LEAST_SQUARE = 1e-3  # of a standardised residual: the logarithm of less says nothing of the noise
LOG_SQUARE_STD = np.pi / np.sqrt(2)  # of log e², e normal: the rest of their spread is that of log ρ
LARGEST_RATIO = 1e3  # of ρ to that of the mean of log ρ, either way


def fit_with_input_noise(estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit an estimator whose likelihood is `heteroscedastic`, each of three fits in a third of `max_time`."""
    if is_dask(X):
        raise Unavailable(f"likelihood='{HETEROSCEDASTIC}' takes no collections of Dask: give X.compute().")
    _check_one_target(y, estimator.noise_std)
    check_target_transform(estimator, is_normal=True)
    third = None if estimator.max_time is None else estimator.max_time / 3
    plain = without_callbacks(clone(estimator)).set_params(likelihood="gaussian", max_time=third)
    constant = clone(plain).fit(X, y, sample_weight)
    inputs, target = constant._checked(X), read_target(y)
    weight = np.ones(len(inputs)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    squares = _log_squares(constant, inputs, target, weight)
    second = clone(plain).set_params(kernel=ARD(), noise_std=LOG_SQUARE_STD, target_transform=None)
    noise = _with_mean_weight_one(second.fit(X, squares, sample_weight).model_, inputs, weight)
    transform = constant.model_.scaling.transform  # "auto" has chosen
    plain.set_params(target_transform=None if transform is None else transform.kind)
    reweighed = clone(plain).fit(X, y, weight * weight_ratio(noise, inputs))
    for name, value in vars(reweighed).items():
        if name.endswith("_"):
            setattr(estimator, name, value)
    estimator.model_ = replace(reweighed.model_, noise_model=noise, calibration=UNCALIBRATED)  # that of one noise


def _check_one_target(y: Any, noise_std: float | None) -> None:
    """Raise Unavailable for what this noise has no meaning for."""
    if y is not None and np.ndim(y) != 1:
        raise Unavailable(f"y has shape {np.shape(y)}: likelihood='{HETEROSCEDASTIC}' learns one target (n,).")
    if noise_std is not None:
        raise Unavailable(f"noise_std={noise_std!r} is one for all rows: use likelihood='gaussian' with it.")


def _log_squares(constant: Any, X: Array, y: Array, weight: Array) -> Array:
    """(n,) log of squared residuals of rows left out, each in units of the spread that one noise for all expects."""
    posterior, scaling = constant.model_.posterior, constant.model_.scaling
    block = Block(scaling.inputs(X), scaling.target(y[:, None]), weight)
    with one_blas_thread():
        mean, variance = posterior.leave_one_out(block, thread_count(constant.n_jobs))
    squares = (block.y - mean)[:, 0] ** 2 / (variance[:, 0] + posterior.noise_variance)
    return np.asarray(np.log(np.maximum(squares, LEAST_SQUARE)))


def _with_mean_weight_one(model: FittedModel, X: Array, weight: Array) -> FittedModel:
    """The process of log ρ with the constant for which rows keep their weight in all."""
    constant = np.log(np.average(weight_ratio(model, X), weights=weight))
    return replace(model, scaling=replace(model.scaling, y_mean=model.scaling.y_mean + constant))


def noise_ratio(model: FittedModel, X: Array) -> Array:
    """(rows,) ρ at the rows of X."""
    scaling = model.scaling
    deviation = model.posterior.mean(scaling.inputs(X))[:, 0] * scaling.y_scale[0]
    limit = np.log(LARGEST_RATIO)
    return np.asarray(np.exp(np.clip(deviation, -limit, limit) + scaling.y_mean[0]))


def weight_ratio(model: FittedModel, X: Array) -> Array:
    """(rows,) 1/ρ, by which the weights of rows are multiplied."""
    return np.asarray(1 / noise_ratio(model, X))
