"""Predictions of rows on a Dask cluster: lazy arrays, computed partition by partition where the rows lie.

In: a fitted estimator and a collection of Dask. Out: Dask arrays.
"""

from copy import copy
from importlib import import_module
from typing import Any

import numpy as np

from alakarte.records import Array


def lazily(estimator: Any, method: str, X: Any, n_results: int, **settings: Any) -> Any:
    """What a method says of each row, as Dask arrays: one, or a tuple where it gives several."""
    names = getattr(X, "columns", None)
    table = X.to_dask_array() if names is not None else X.rechunk({1: -1})
    target_shape = estimator.model_.target_shape
    estimator = copy(estimator).set_params(n_jobs=1)  # a task has one thread
    width = int(np.prod(target_shape, dtype=int))
    answers = import_module("dask.array").map_blocks(
        _answers,
        table,
        chunks=(table.chunks[0], (n_results * width,)),
        dtype=np.float64,
        meta=np.empty((0, 0)),
        estimator=import_module("dask.delayed").delayed(estimator),  # once in the graph
        call=(method, settings, n_results * width),
        names=None if names is None else list(names),
    )
    parts = [answers[:, k * width : (k + 1) * width] for k in range(n_results)]
    parts = [part if target_shape else part[:, 0] for part in parts]
    return parts[0] if n_results == 1 else tuple(parts)


def _answers(x: Array, estimator: Any, call: tuple[str, dict[str, Any], int], names: list[str] | None) -> Array:
    """Runs on a worker: the answers (rows, columns) for a block of rows, side by side."""
    method, settings, n_columns = call
    if len(x) == 0:
        return np.empty((0, n_columns))
    table = x if names is None else import_module("pandas").DataFrame(x, columns=names)
    answer = getattr(estimator, method)(table, **settings)
    parts = answer if isinstance(answer, tuple) else (answer,)
    return np.column_stack([part.reshape(len(x), -1) for part in parts])
