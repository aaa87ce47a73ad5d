"""The estimator's settings, checked: each error names the value, the limit and the cure."""

import numbers

from sklearn.base import clone

from alakarte.errors import InvalidInput
from alakarte.execution.threads import count
from alakarte.kernels.registry import resolve
from alakarte.search.learn import Settings

EXPANSIONS = ("auto", "fastfood", "dense", "exact")
PRECISIONS = ("double", "mixed")


def check_settings(estimator) -> Settings:
    """Settings of a `GPRegressor`."""
    if estimator.expansion not in EXPANSIONS:
        raise InvalidInput(f"expansion={estimator.expansion!r}: use one of {', '.join(EXPANSIONS)}.")
    if not isinstance(estimator.tol, numbers.Real) or not estimator.tol >= 0:
        raise InvalidInput(f"tol={estimator.tol!r}: give a number of nats ≥ 0, such as 0.1.")
    if estimator.precision not in PRECISIONS:
        raise InvalidInput(f"precision={estimator.precision!r}: use one of {', '.join(PRECISIONS)}.")
    noise_std = estimator.noise_std
    if noise_std is not None and (not isinstance(noise_std, numbers.Real) or not 0 <= noise_std < float("inf")):
        raise InvalidInput(
            f"noise_std={noise_std!r}: give a standard deviation ≥ 0 in units of y, or None to learn it."
        )
    max_time = estimator.max_time
    if max_time is not None and (not isinstance(max_time, numbers.Real) or not max_time > 0):
        raise InvalidInput(f"max_time={max_time!r}: give a number of seconds > 0, or None for no limit.")
    spread = estimator.lengthscale_spread
    number = isinstance(spread, numbers.Real) and not isinstance(spread, bool) and spread > 0
    if not (number or spread is None or (isinstance(spread, str) and spread == "auto")):
        raise InvalidInput(
            f"lengthscale_spread={spread!r}: give a number > 0, such as 1, 'auto', or None for no prior."
        )
    return Settings(
        None if isinstance(estimator.kernel, str) and estimator.kernel == "auto" else clone(resolve(estimator.kernel)),
        None if estimator.n_components is None else _whole(estimator, "n_components", 1),
        None if estimator.n_frequencies is None else _whole(estimator, "n_frequencies", 1),
        estimator.expansion,
        _whole(estimator, "n_restarts", 1),
        _whole(estimator, "max_iter", 0),
        _whole(estimator, "max_iter_restart", 0),
        float(estimator.tol),
        noise_std,
        count(estimator.n_jobs),
        estimator.precision,
        _whole_or(estimator, "n_learning_rows", 2),
        _whole_or(estimator, "n_posterior_frequencies", 1),
        spread,
    )


def _whole_or(estimator, name, least):
    """A whole number, "auto" or None."""
    value = getattr(estimator, name)
    if value is None or (isinstance(value, str) and value == "auto"):
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InvalidInput(f"{name}={value!r}: give a whole number ≥ {least}, 'auto' or None.")
    return int(value)


def _whole(estimator, name, least):
    value = getattr(estimator, name)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InvalidInput(f"{name}={value!r}: give a whole number ≥ {least}.")
    return int(value)
