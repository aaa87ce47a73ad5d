"""The estimator's settings, checked: each error names the value, the limit and the cure."""

import numbers
from typing import Any

from sklearn.base import clone

from alakarte.data.target_transform import LOG, YEO_JOHNSON
from alakarte.errors import InvalidInput, Unavailable
from alakarte.execution.threads import thread_count
from alakarte.kernels.registry import resolve
from alakarte.likelihoods.base import Noise
from alakarte.search.settings import Settings

EXPANSIONS = ("auto", "fastfood", "dense", "exact")
LOCAL_TOO = (*EXPANSIONS, "local")  # of estimators with `n_neighbors`
AUTO = "auto"
TARGET_TRANSFORMS = (LOG, YEO_JOHNSON, AUTO)
PRECISIONS = ("auto", "double", "mixed")


def check_settings(estimator: Any, likelihood: Noise, expansions: tuple[str, ...] = EXPANSIONS) -> Settings:
    """Settings of an estimator that has these expansions; kernels are chosen with this noise."""
    _check_words(estimator, expansions)
    _check_numbers(estimator)
    kernel = estimator.kernel
    return Settings(
        kernel=None if isinstance(kernel, str) and kernel == "auto" else clone(resolve(kernel)),
        likelihood=likelihood,
        n_components=None if estimator.n_components is None else _whole(estimator, "n_components", 1),
        n_frequencies=None if estimator.n_frequencies is None else _whole(estimator, "n_frequencies", 1),
        expansion=estimator.expansion,
        n_restarts=_whole(estimator, "n_restarts", 1),
        max_iter=_whole(estimator, "max_iter", 0),
        max_iter_restart=_whole(estimator, "max_iter_restart", 0),
        tol=float(estimator.tol),
        n_jobs=thread_count(estimator.n_jobs),
        precision=estimator.precision,
        n_learning_rows=_whole_or_open(estimator, "n_learning_rows", 2),
        n_posterior_frequencies=_whole_or_open(estimator, "n_posterior_frequencies", 1),
        lengthscale_spread=estimator.lengthscale_spread,
        n_neighbors=_whole(estimator, "n_neighbors", 1) if expansions is LOCAL_TOO else 0,
    )


def _check_words(estimator: Any, expansions: tuple[str, ...]) -> None:
    """Raise InvalidInput for a setting that is none of its words."""
    if estimator.expansion not in expansions:
        raise InvalidInput(f"expansion={estimator.expansion!r}: use one of {', '.join(expansions)}.")
    if estimator.precision not in PRECISIONS:
        raise InvalidInput(f"precision={estimator.precision!r}: use one of {', '.join(PRECISIONS)}.")


def _check_numbers(estimator: Any) -> None:
    """Raise InvalidInput for a setting that is no number within its limits."""
    if not _is_number(estimator.tol) or not estimator.tol >= 0:
        raise InvalidInput(f"tol={estimator.tol!r}: give a number of nats ≥ 0, such as 0.1.")
    max_time = estimator.max_time
    if max_time is not None and (not _is_number(max_time) or not max_time > 0):
        raise InvalidInput(f"max_time={max_time!r}: give a number of seconds > 0, or None for no limit.")
    spread = estimator.lengthscale_spread
    if spread is not None and spread != "auto" and not (_is_number(spread) and spread > 0):
        raise InvalidInput(
            f"lengthscale_spread={spread!r}: give a number > 0, such as 1, 'auto', or None for no prior."
        )


def check_noise_std(noise_std: Any) -> None:
    """Raise InvalidInput for what is no standard deviation."""
    if noise_std is not None and (not _is_number(noise_std) or not 0 <= noise_std < float("inf")):
        raise InvalidInput(
            f"noise_std={noise_std!r}: give a standard deviation ≥ 0 in units of y, or None to learn it."
        )


def check_target_transform(estimator: Any, *, is_normal: bool) -> None:
    """Raise InvalidInput for what is no transform of the target, or has no meaning beside other settings."""
    given = estimator.target_transform
    if given is None:
        return
    if given not in TARGET_TRANSFORMS:
        raise InvalidInput(f"target_transform={given!r}: use None, {', '.join(map(repr, TARGET_TRANSFORMS))}.")
    if not is_normal:
        raise Unavailable(
            f"target_transform={given!r} makes noise normal: with likelihood={estimator.likelihood!r} leave it out, or "
            "use likelihood='gaussian'."
        )
    if given == AUTO and estimator.noise_std is not None:
        raise Unavailable(
            f"noise_std={estimator.noise_std!r} is in units of the transformed target, and target_transform='{AUTO}' "
            f"leaves these open: choose '{LOG}' or '{YEO_JOHNSON}', or leave out noise_std."
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _whole_or_open(estimator: Any, name: str, least: int) -> int | str | None:
    """A whole number, "auto" or None."""
    value = getattr(estimator, name)
    if value is None or (isinstance(value, str) and value == "auto"):
        return "auto" if value else None
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InvalidInput(f"{name}={value!r}: give a whole number ≥ {least}, 'auto' or None.")
    return int(value)


def _whole(estimator: Any, name: str, least: int) -> int:
    value = getattr(estimator, name)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InvalidInput(f"{name}={value!r}: give a whole number ≥ {least}.")
    return int(value)
