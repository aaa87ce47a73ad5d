"""Dask arrays and frames as rows on their cluster: checked, cut into pieces, never on the driver as a whole.

In: X of a user, a collection of Dask; y and sample_weight, collections with the same partitions or arrays. Out:
`Pieces`. Errors name the partition, the row in it and the column.
"""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from alakarte.data.categories import Encoding, chosen_categories
from alakarte.data.cluster_pieces import Piece, Pieces
from alakarte.data.columns import is_dask, some_columns
from alakarte.data.dask_categories import code_categories, with_levels
from alakarte.data.pieces import piece_edges
from alakarte.data.read import NEEDS_NUMBERS, check_target_shape, is_number, read_target
from alakarte.errors import InvalidInput
from alakarte.execution.cluster import Cluster, distributed
from alakarte.execution.progress import tell
from alakarte.records import Array, Integers


def cluster_pieces(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Pieces, tuple[int, ...], Encoding | None]:
    """The table in pieces on its cluster, the shape of one target entry and the levels of categories.

    Rows without a weight are left out.
    """
    if y is None:
        raise InvalidInput("y is None: this estimator requires y to be passed, but the target y is None.")
    categories = chosen_categories(_empty(X), estimator.categorical_features, int(X.shape[1]))
    _check_types(X, "X", categories)
    _check_types(y, "y", [])
    _check_types(sample_weight, "sample_weight", [])
    y = y if is_dask(y) else read_target(y)
    check_target_shape(y)
    if sample_weight is not None and not is_dask(sample_weight):
        sample_weight = np.asarray(sample_weight)
    validate_data(estimator, _empty(X), reset=True, skip_check_array=True)
    cluster = Cluster(_current_client())
    cluster.prepare()
    futures, encoding = _checked_partitions(cluster, X, y, sample_weight, categories), None
    if categories:
        futures, encoding, lengths = with_levels(cluster, futures, _empty(X), categories)
    else:
        lengths = cluster.run(_length, [(future,) for future in futures], said="partitions read")
    n_rows = sum(lengths)
    if n_rows == 0:
        raise InvalidInput("X has no rows with a positive weight: give at least one.")
    edges, starts = piece_edges(n_rows), np.concatenate([[0], np.cumsum(lengths)])
    pieces = []
    for place, (low, high) in zip(cluster.places(len(edges) - 1), pairwise(edges.tolist()), strict=True):
        held = [i for i, (start, stop) in enumerate(pairwise(starts)) if start < high and stop > low]
        inside = [futures[i] for i in held]
        pieces.append(cluster.submit(_cut, int(low - starts[held[0]]), high - low, *inside, place=place))
    target_shape = tuple(int(size) for size in y.shape[1:])
    return Pieces(cluster, tuple(pieces), edges, int(np.prod(target_shape, dtype=int))), target_shape, encoding


def _current_client() -> Any:
    """The client of the user's cluster, or an error that says how to make one."""
    try:
        return distributed().get_client()
    except ValueError as error:
        raise ConnectionError(
            "X is a collection of Dask, and there is no cluster to work on: make one with "
            "dask.distributed.Client(), or give X.compute()."
        ) from error


def _checked_partitions(cluster: Cluster, X: Any, y: Any, sample_weight: Any, categories: list[int]) -> list[Any]:
    """Futures of the arrays of each partition; with the values that its categories stand for."""
    parts, chunks = _partitions(X, None)
    tell(f"reading {len(parts)} partitions on {len(cluster.threads())} workers")
    read = _delayed(_inputs) if not categories else partial(_delayed(_mixed_inputs), categories)
    inputs = [read(number, part, _dtype(X), _names(X)) for number, part in enumerate(parts)]
    lengths: list[int] = []
    if any(isinstance(values, np.ndarray) for values in (y, sample_weight)):
        inputs = list(cluster.client.compute(inputs))
        lengths = cluster.run(_length, [(part,) for part in inputs], said="partitions counted")
    named = ("y", y), ("sample_weight", sample_weight)
    others = [_as_partitions(name, values, chunks, inputs, lengths) for name, values in named]
    tasks = [_delayed(_arrays)(number, *part) for number, part in enumerate(zip(inputs, *others, strict=True))]
    return list(cluster.client.compute(tasks))


def _as_partitions(name: str, values: Any, chunks: Any, inputs: list[Any], lengths: list[int]) -> list[Any]:
    """Partitions with the rows of those of X."""
    if values is None:
        return [None] * len(inputs)
    if isinstance(values, np.ndarray):
        starts = np.concatenate([[0], np.cumsum(lengths)])
        if values.ndim == 0:
            values = np.full(starts[-1], values)
        if len(values) != starts[-1]:
            raise InvalidInput(f"{name} has {len(values)} entries, X has {starts[-1]} rows: give one for each.")
        return [values[low:high] for low, high in pairwise(starts)]
    parts = _partitions(values, chunks)[0]
    if len(parts) != len(inputs):
        raise InvalidInput(f"X has {len(inputs)} partitions, {name} has {len(parts)}: give them the same.")
    return parts


def _delayed(function: Any) -> Any:
    from dask.delayed import delayed

    return delayed(function, pure=False)


def _names(X: Any) -> list[str] | None:
    names = getattr(X, "columns", None) if len(X.shape) == 2 else None
    return None if names is None else [str(name) for name in names]


def _empty(X: Any) -> Any:
    """A table of no rows with the same columns."""
    return getattr(X, "_meta", None) if _names(X) is not None else np.empty((0, int(X.shape[1])))


def _check_types(values: Any, name: str, categories: list[int]) -> None:
    """Raise InvalidInput for columns of a collection that are neither numbers nor categories.

    X as an array of objects is read as in memory: each object that is in no category must be a number.
    """
    if not is_dask(values):
        return
    allowed = "biufO" if name == "X" and _names(values) is None else "biuf"
    plain = [j for j in range(len(_dtypes(values))) if j not in categories]
    wrong = [j for j in plain if getattr(_dtypes(values)[j], "kind", "O") not in allowed]
    if wrong:
        columns = _names(values)
        label = f"column {wrong[0]}" + ("" if columns is None else f" ({columns[wrong[0]]!r})")
        raise InvalidInput(
            f"{name} holds {_dtypes(values)[wrong[0]]} in {label}. On a Dask cluster columns are numbers or, in X, "
            "categories: turn words into those with .astype('string') or .astype('category'), name them in "
            "categorical_features, and give dates as days since a start."
        )


def _dtypes(values: Any) -> list[Any]:
    """Types of the columns."""
    if len(values.shape) < 2:
        return [values.dtype]
    return list(values.dtypes) if _names(values) is not None else [values.dtype] * int(values.shape[1])


def _dtype(X: Any) -> Any:
    """float32 where that holds all values exactly."""
    plain = [kind for kind in _dtypes(X) if isinstance(kind, np.dtype)]
    single = len(plain) == len(_dtypes(X)) and all(np.can_cast(kind, np.float32, "safe") for kind in plain)
    return np.dtype(np.float32 if single else np.float64)


def _partitions(values: Any, chunks: Any) -> tuple[list[Any], Any]:
    """Delayed partitions of rows; an array is cut as X is."""
    if getattr(values, "chunks", None) is None:
        return frame_partitions(values), None
    if chunks is not None and values.chunks[0] != chunks:
        values = values.rechunk({0: chunks})
    if values.ndim > 1:
        values = values.rechunk({1: -1})
    return list(values.to_delayed().ravel()), values.chunks[0]


def frame_partitions(frame: Any) -> list[Any]:
    """Delayed partitions of a frame or a series, as many as it says that it has, of the columns that it needs.

    `to_delayed` alone joins partitions where few columns of a file are read, so that X and y would not fit each other.
    """
    simplify = getattr(frame, "simplify", None)
    parts = [] if simplify is None else list(simplify().to_delayed(optimize_graph=False))
    return parts if len(parts) == frame.npartitions else list(frame.to_delayed(optimize_graph=False))


def _inputs(number: int, x: Any, dtype: Any, names: list[str] | None) -> Piece:
    """Runs on a worker: inputs of a partition, checked; a piece whose other parts are not there yet."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "O":
        x = _numbers(number, x, np.arange(x.shape[1]))
    inputs = _finite(x, dtype, f"Input X contains {{}}: partition {number}", names)
    return inputs, np.empty((len(inputs), 0)), np.ones(len(inputs))


def _mixed_inputs(categories: list[int], number: int, x: Any, dtype: Any, names: list[str] | None) -> Any:
    """The same with categories, each value of which is its number in this partition; and the values by column."""
    table = np.zeros((len(x), x.shape[1]))
    plain = np.array([j for j in range(x.shape[1]) if j not in categories], dtype=np.int64)
    if plain.size:
        numbers = some_columns(x, plain)
        if isinstance(numbers, np.ndarray):
            table[:, plain] = _numbers(number, numbers, plain)
        else:
            table[:, plain] = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    piece = _inputs(number, table, np.float64, names)
    return *piece, code_categories(x, piece[0], categories)


def _numbers(number: int, values: Any, columns: Integers) -> Array:
    """Runs on a worker: some columns of an array, perhaps of objects; an error names the first that is no number."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        for (row, column), value in np.ndenumerate(values):
            if not is_number(value):
                where = f"partition {number}, row {row}, column {columns[column]}"
                raise InvalidInput(f"X holds {value!r:.40} in {where}. {NEEDS_NUMBERS}") from None
        raise


def _arrays(number: int, piece: Any, y: Any, weight: Any) -> Any:
    """Runs on a worker: numbers of a partition, checked; rows without a weight are left out."""
    inputs = piece[0]
    targets = _finite(y, np.float64, f"Input y contains {{}}: partition {number}", None)
    if len(targets) != len(inputs):
        raise InvalidInput(f"Partition {number} has {len(inputs)} rows of X and {len(targets)} of y.")
    if weight is None:
        return inputs, targets, *piece[2:]
    weights = _finite(weight, np.float64, f"sample_weight contains {{}}: partition {number}", None)[:, 0]
    if len(weights) != len(inputs):
        raise InvalidInput(f"Partition {number} has {len(inputs)} rows of X and {len(weights)} weights.")
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise InvalidInput(f"sample_weight = {weights[row]} in partition {number}, row {row}, is negative.")
    kept = weights > 0
    return inputs[kept], targets[kept], weights[kept], *piece[3:]


def _finite(values: Any, dtype: Any, where: str, names: list[str] | None) -> Array:
    """(rows, columns) numbers, all finite, row-major; an error names row and column."""
    plain = isinstance(values, np.ndarray)
    table = values if plain else values.to_numpy(dtype=np.float64, na_value=np.nan)  # pandas, also nullable
    table = table.reshape(len(table), -1)
    wrong = ~np.isfinite(table)
    if wrong.any():
        row, column = (int(place) for place in np.argwhere(wrong)[0])
        what = "NaN" if np.isnan(table[row, column]) else "infinity"
        label = f"column {column}" + ("" if names is None else f" ({names[column]!r})")
        raise InvalidInput(f"{where.format(what)}, row {row}, {label}. Drop those rows, or impute them.")
    return np.ascontiguousarray(table, dtype=dtype)


def _length(shared: None, piece: Piece) -> int:
    return len(piece[0])


def _cut(start: int, n_rows: int, *parts: Piece) -> Piece:
    """Runs on a worker: rows of some partitions that follow each other."""
    x, y, weight = (np.concatenate(each) if len(each) > 1 else each[0] for each in zip(*parts, strict=True))
    part = slice(start, start + n_rows)
    return np.ascontiguousarray(x[part]), np.ascontiguousarray(y[part]), np.ascontiguousarray(weight[part])
