"""Noise that depends on the input: normal, with variance s ρ(x), log ρ a second, small process.

In: a regressor and its table. Out: the same fitted: first with one noise for all rows, whose residuals, as if each row
were left out, tell log ρ; then with weights 1/ρ. A row of weight w has noise s/w, so that all else, rows that join and
leave among it, is that of weighted rows. The rows are read once, and what becomes of them is made where they lie.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from alakarte.data.pieces import sum_of_weights
from alakarte.data.rows import Block
from alakarte.data.standardise import Scaling
from alakarte.data.table import Checked, OnCluster, Table, read_table
from alakarte.errors import Unavailable
from alakarte.estimators.callbacks import without_callbacks
from alakarte.estimators.checks import LOCAL_TOO, check_settings, check_target_transform
from alakarte.estimators.going_on import Begun, begin_checkpoint, going_on
from alakarte.execution.budget import Budget
from alakarte.execution.threads import one_blas_thread, thread_count
from alakarte.kernels.ard import ARD
from alakarte.likelihoods.gaussian import Gaussian
from alakarte.model.fitted import FittedModel
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.calibration import UNCALIBRATED
from alakarte.posteriors.doubt import undoubted
from alakarte.records import Array
from alakarte.search.fit import fit
from alakarte.search.settings import Settings

HETEROSCEDASTIC = "heteroscedastic"
LEAST_SQUARE = 1e-3  # of a standardised residual: the logarithm of less says nothing of the noise
LOG_SQUARE_STD = np.pi / np.sqrt(2)  # of log e², e normal: the rest of their spread is that of log ρ
LARGEST_RATIO = 1e3  # of ρ to that of the mean of log ρ, either way
_BLOCK_ROWS = 1 << 16


def fit_with_input_noise(estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit an estimator whose likelihood is `heteroscedastic`, each of three fits in a third of `max_time`."""
    if estimator.noise_std is not None:
        raise Unavailable(f"noise_std={estimator.noise_std!r} is one for all rows: use likelihood='gaussian' with it.")
    check_target_transform(estimator, is_normal=True)
    third = None if estimator.max_time is None else estimator.max_time / 3
    plain = without_callbacks(clone(estimator)).set_params(likelihood="gaussian", max_time=third, warm_start=False)
    check_settings(plain, Gaussian(), LOCAL_TOO)
    checked = read_table(plain, X, y, sample_weight).weighted()
    if checked.target_shape:
        shape = checked.targets()[0].shape
        raise Unavailable(f"y has shape {shape}: likelihood='{HETEROSCEDASTIC}' learns one target (n,).")
    first = _prepared(plain, checked)
    begun = begin_checkpoint(estimator, first[1], None)
    with going_on(begun[0], Budget()), _kept_if_interrupted(estimator, plain):
        constant = _fitted(plain, first, begun)
        n_jobs = thread_count(plain.n_jobs) if isinstance(checked, Checked) else 1  # of each worker
        squares = checked.changed(_log_squares, constant.posterior, constant.scaling, n_jobs)
        second = copy(plain).set_params(kernel=ARD(), noise_std=LOG_SQUARE_STD, target_transform=None)
        noise = _fitted(second, _prepared(second, squares), begun)
        reweighed, noise = _with_weight_kept(checked, noise)
        transform = constant.scaling.transform  # "auto" has chosen
        last = copy(plain).set_params(target_transform=None if transform is None else transform.kind)
        model = _fitted(last, _prepared(last, reweighed), begun)
    _hand_over(last, estimator)
    # intervals were corrected as those of one noise
    model = replace(model, posterior=undoubted(model.posterior), calibration=UNCALIBRATED)
    estimator.model_ = replace(model, noise_model=noise)


@contextmanager
def _kept_if_interrupted(estimator: Any, plain: Any) -> Iterator[None]:
    """The model with one noise, as far as it has come, is what an interrupted fit leaves behind."""
    try:
        yield
    except KeyboardInterrupt:
        _hand_over(plain, estimator)
        raise


def _hand_over(part: Any, estimator: Any) -> None:
    """Everything that one of the three fits has learned."""
    for name, value in vars(part).items():
        if name.endswith("_"):
            setattr(estimator, name, value)


def _prepared(part: Any, checked: Checked | OnCluster) -> tuple[Settings, Table, Budget]:
    """What one of the three fits begins with."""
    budget, settings = Budget(part.max_time), check_settings(part, part._likelihood(), LOCAL_TOO)
    return settings, part._table(checked, settings, budget), budget


def _fitted(part: Any, prepared: tuple[Settings, Table, Budget], begun: Begun) -> FittedModel:
    """One of the three fits."""
    settings, table, budget = prepared
    part._fit_table(settings, table, budget, fit, begun)
    return part.model_  # type: ignore[no-any-return]


def _log_squares(
    x: Array, y: Array, weight: Array, posterior: Posterior, scaling: Scaling, n_jobs: int
) -> tuple[Array, Array]:
    """(rows, 1) log of squared residuals of rows left out, in units of the spread that one noise for all expects."""
    squares = np.empty((len(x), 1))
    with one_blas_thread():
        for start in range(0, len(x), _BLOCK_ROWS):
            part = slice(start, start + _BLOCK_ROWS)
            block = Block(scaling.inputs(x[part]), scaling.target(y[part]), weight[part])
            mean, variance = posterior.leave_one_out(block, n_jobs)
            squares[part] = (block.y - mean) ** 2 / (variance + posterior.noise_variance)
    return np.log(np.maximum(squares, LEAST_SQUARE)), weight


def _with_weight_kept(checked: Checked | OnCluster, noise: FittedModel) -> tuple[Checked | OnCluster, FittedModel]:
    """Rows with weights divided by ρ, and the process of log ρ with the constant that keeps their weight in all."""
    divided = checked.changed(_divided, noise)
    ratio = sum_of_weights(divided.targets()[1]) / sum_of_weights(checked.targets()[1])
    scaling = replace(noise.scaling, y_mean=noise.scaling.y_mean + np.log(ratio))
    return divided.changed(_multiplied, 1 / ratio), replace(noise, scaling=scaling)


def _divided(x: Array, y: Array, weight: Array, noise: FittedModel) -> tuple[Array, Array]:
    ratio = np.empty(len(x))
    with one_blas_thread():
        for start in range(0, len(x), _BLOCK_ROWS):
            part = slice(start, start + _BLOCK_ROWS)
            ratio[part] = weight_ratio(noise, x[part])
    return y, weight * ratio


def _multiplied(x: Array, y: Array, weight: Array, factor: float) -> tuple[Array, Array]:
    return y, weight * factor


def noise_ratio(model: FittedModel, X: Array) -> Array:
    """(rows,) ρ at the rows of X."""
    scaling = model.scaling
    deviation = model.posterior.mean(scaling.inputs(X))[:, 0] * scaling.y_scale[0]
    limit = np.log(LARGEST_RATIO)
    return np.asarray(np.exp(np.clip(deviation, -limit, limit) + scaling.y_mean[0]))


def weight_ratio(model: FittedModel, X: Array) -> Array:
    """(rows,) 1/ρ, by which the weights of rows are multiplied."""
    return np.asarray(1 / noise_ratio(model, X))
