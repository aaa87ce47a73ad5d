"""Predictions of rows on a Dask cluster: lazy arrays, computed partition by partition where the rows lie.

In: a method that answers a table row by row. Out: the same, which answers a collection of Dask by Dask arrays; a score
of such answers, which is a number at once.
"""

import warnings
from collections.abc import Callable
from copy import copy
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, TypeVar

import numpy as np
from sklearn.base import is_regressor

from alakarte.data.columns import column_names, in_memory, is_dask
from alakarte.data.dask_table import frame_partitions
from alakarte.records import Array

Method = TypeVar("Method", bound=Callable[..., Any])


def lazy(method: Method) -> Method:
    """A method that answers a collection of Dask later; with numbers for each row beside it, or a covariance, now."""

    @wraps(method)
    def answer(estimator: Any, X: Any, *arguments: Any, **named: Any) -> Any:
        given = signature(method).bind(estimator, X, *arguments, **named).arguments
        at_once = given.get("return_cov") or np.ndim(given.get("exposure", 1.0)) > 0
        if at_once or not is_dask(X) or not estimator._is_fitted():
            return method(estimator, X, *arguments, **named)
        return _lazily(copy(estimator).set_params(n_jobs=1), X, (method.__name__, arguments, named))

    return answer  # type: ignore[return-value]


class ScoredAnywhere:
    """`score` of scikit-learn, also of scans and of collections of Dask."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of a regression, or the share of labels that are right; X, y and weights as in `fit`."""
        from sklearn.metrics import accuracy_score, r2_score

        answer: Any = self
        told = in_memory(answer.predict(X)), in_memory(y), in_memory(sample_weight)
        predicted, target, weight = (None if part is None else np.asarray(part) for part in told)
        metric = r2_score if is_regressor(self) else accuracy_score
        return float(metric(target, predicted, sample_weight=weight))


def _lazily(estimator: Any, X: Any, call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Any:
    """Dask arrays: one, or a tuple where the method gives several. An example of rows tells their shapes."""
    array, delayed = import_module("dask.array"), import_module("dask.delayed").delayed
    example = _answers(_example(X), estimator, call, [])
    told = [(part[:0].shape[1:], part.dtype) for part in example]
    parts, lengths = _partitions(X)
    shared = delayed(estimator)  # once in the graph
    answers = [delayed(_answers, pure=False)(part, shared, call, told) for part in parts]
    results = []
    for k, (shape, dtype) in enumerate(told):
        blocks = [array.from_delayed(a[k], (n, *shape), dtype) for a, n in zip(answers, lengths, strict=True)]
        results.append(array.concatenate(blocks, axis=0, allow_unknown_chunksizes=True))
    return results[0] if len(results) == 1 else tuple(results)


def _partitions(X: Any) -> tuple[list[Any], list[float]]:
    """Partitions of rows, and how many each has, NaN where Dask does not know."""
    if column_names(X) is not None:
        parts = frame_partitions(X)
        return parts, [np.nan] * len(parts)
    table = X.rechunk({1: -1})
    return list(table.to_delayed().ravel()), list(table.chunks[0])


def _example(X: Any) -> Any:
    """One or two rows of the same kind."""
    return X._meta_nonempty if column_names(X) is not None else np.zeros((1, int(X.shape[1])))


def _answers(x: Any, estimator: Any, call: tuple[str, tuple[Any, ...], dict[str, Any]], told: list[Any]) -> list[Array]:
    """Runs on a worker: what the method says of some rows."""
    if len(x) == 0:
        return [np.empty((0, *shape), dtype) for shape, dtype in told]
    name, arguments, named = call
    with warnings.catch_warnings():
        if not told:  # an example: its levels mean nothing
            warnings.simplefilter("ignore")
        answer = getattr(estimator, name)(x, *arguments, **named)
    return list(answer) if isinstance(answer, tuple) else [answer]
