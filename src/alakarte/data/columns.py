"""Columns of the user's table, whatever library holds it: their names, their types in a word, their values.

In: an array, nested lists, or a table of pandas, Polars or Arrow. Out: plain names, words and values. No such library
is imported: a table is known by what it answers. Knows nothing of levels.
"""

import re
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from alakarte.errors import InvalidInput
from alakarte.records import Integers

Column: TypeAlias = NDArray[Any]  # (n,) numbers, or Python's objects


def is_dask(values: Any) -> bool:
    """Whether it is a collection of Dask."""
    room = type(values).__module__.split(".")[0]
    return room in ("dask", "dask_expr") and callable(getattr(values, "__dask_graph__", None))


def in_memory(values: Any) -> Any:
    """A collection of Dask computed; other values as they are, unless they are a query that has no values yet."""
    if type(values).__module__.split(".")[0] == "polars" and callable(getattr(values, "sink_parquet", None)):
        raise InvalidInput(
            "A LazyFrame of Polars is a query that has not been run: give query.collect(), or, where memory does not "
            "hold that, query.sink_parquet('rows.parquet') and then alakarte.scan_parquet('rows.parquet')."
        )
    return values.compute() if is_dask(values) else values


def column_names(X: Any) -> list[Any] | None:
    """Names of the columns; None where there are none."""
    names = getattr(X, "column_names", getattr(X, "columns", None))  # of Arrow, of DataFrames
    return None if names is None else list(names)


def column_label(X: Any, j: int) -> str:
    """`column 1 ('age')`."""
    names = column_names(X)
    return f"column {j}" + ("" if names is None else f" ({names[j]!r})")


def column_types(X: Any) -> list[str]:
    """The first word of each column's type, in lower case, such as `category` or `float64`; none of an array."""
    if column_names(X) is None:
        return []
    of_arrow: Any = getattr(getattr(X, "schema", None), "types", ())
    dtypes: Any = getattr(X, "dtypes", of_arrow)  # of pandas and Polars
    return [re.findall(r"\w+|$", str(dtype).lower())[0] for dtype in dtypes]


def as_columns(X: Any) -> Any:
    """A table whose columns `column` gives: X itself, or an array of it where it is a sequence of rows."""
    if isinstance(X, np.ndarray) or column_names(X) is not None:
        return X
    numbers = np.asarray(X)
    return numbers if numbers.dtype.kind in "biuf" else np.asarray(X, dtype=object)


def column(X: Any, j: int) -> Column:
    """Values of one column; those of DataFrames and of arrays that hold more than numbers as Python's objects."""
    if isinstance(X, np.ndarray):
        return X[:, j] if X.dtype.kind in "biuf" else X[:, j].astype(object)
    if getattr(X, "iloc", None) is not None:
        return np.asarray(X.iloc[:, j].to_numpy(dtype=object))
    values = X.column(j).to_pylist() if getattr(X, "column_names", None) is not None else X.to_series(j).to_list()
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN, NaT or NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas' NA is neither true nor false
        return True
    except ValueError:  # an array among the objects
        return False


def some_columns(X: Any, picked: Integers) -> Any:
    """The table of the columns `picked`."""
    if isinstance(X, np.ndarray):
        return X[:, picked]
    if getattr(X, "iloc", None) is not None:
        return X.iloc[:, picked]
    names = column_names(X)
    assert names is not None
    return X.select([names[j] for j in picked])
