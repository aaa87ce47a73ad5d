"""The user's tables in: checks that name the value, the place and the cure.

In: anything array-like. Out: float64 arrays and weights; where there are categories, tables of numbers in which levels
stand for themselves (`data/categories.py`). Knows nothing of kernels.
Large arrays of float32 or float64 (also `numpy.memmap`) stay what and where they are: later stages read them in blocks.
scikit-learn converts and checks; its errors pass through `_explained`, which adds the place and the cure. All searches
for a place run after something is known to be wrong: a good table is read once and not copied.
"""

import numbers
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_features,
    check_array,
    check_consistent_length,
    validate_data,
)

from alakarte.data.categories import Encoding, chosen_categories, learn_encoding, told_unknown
from alakarte.data.columns import as_columns, column, column_label, column_types, in_memory, some_columns
from alakarte.data.merge import MERGE_ROWS
from alakarte.errors import InvalidInput
from alakarte.execution.progress import warn
from alakarte.records import Array

_BLOCK_ROWS = 1 << 16
# Weights count rows. Beyond 1e15 in all a further row is lost in rounding; below 1e-15 the data say nothing.
_TOTAL_WEIGHT = (1e-15, 1e15)
NEEDS_NUMBERS = (
    "alakarte needs numbers: name categories in categorical_features, and encode dates (days since a start)."
)
IMPUTE = " or impute them in a pipeline: sklearn.impute.SimpleImputer(add_indicator=True)."
_PARTS = "Give real and imaginary parts separately, with .real and .imag."
_REFUSED = {
    "M": ("{name} holds dates", NEEDS_NUMBERS),
    "m": ("{name} holds durations", NEEDS_NUMBERS),
    "c": ("Complex data not supported: {name} holds complex numbers", _PARTS),
}
_CURES = {  # words of scikit-learn's message: what to do
    "0 feature(s)": "Give a table with at least one column.",
    "0 sample(s)": "Give at least one row.",
    "Found array with dim": "Give two dimensions: X.reshape(len(X), -1) for X, one column per target for y.",
    "inconsistent numbers of samples": "X and y need one entry for each row.",
    "the target y is None": "This is a regressor: call fit(X, y).",
    "sample_weight.shape": "Give one weight for each row of X.",
}
_RAW: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": False}  # `check_finite` names what is not finite


def read_inputs(estimator: Any, X: Any, encoding: Encoding | None = None) -> Array:
    """X (n, variables) float64 (or large and float32), finite but for categories, with the variables of the fit."""
    _refuse(X, "X")
    as_it_is = encoding is not None or _stays(X)
    with _explained(encoding, X=X):
        values: Array = validate_data(estimator, X, reset=False, **({"skip_check_array": True} if as_it_is else _RAW))
        if encoding is not None:
            values = encoded_table(X, encoding)
    check_finite(values, "X", X, encoding)
    _warn_of_unknown(X, values, encoding)
    return values


def read_categories(X: Any, wanted: Any, sample_weight: Any) -> Encoding | None:
    """Levels of the categories in the user's table, by his setting, from rows with a weight; None without any."""
    if X is None or wanted is None or (isinstance(wanted, str) and not column_types(X)):
        return None
    _refuse(X, "X")
    with _explained(X=X):
        n_variables = _num_features(X)
        categories = chosen_categories(X, wanted, n_variables)
        if not categories:
            return None
        return learn_encoding(X, categories, n_variables, read_weight(sample_weight, X) > 0)


def encoded_table(X: Any, encoding: Encoding) -> Array:
    """The table of numbers (n, variables) of a user's table; a large array of numbers stays what and where it is."""
    words = any(levels.are_words for levels in encoding.categories.values())
    if _stays(X) and not words:
        return np.asarray(X)
    table = as_columns(X)
    values = np.empty((len(table), len(encoding.levels)))
    if encoding.numbers.size:
        values[:, encoding.numbers] = check_array(some_columns(table, encoding.numbers), **_RAW)
    for j, levels in encoding.categories.items():
        values[:, j] = levels.numbered(column(table, j))
    checked: Array = check_array(values, **_RAW)
    return checked


def _warn_of_unknown(X: Any, values: Array, encoding: Encoding | None) -> None:
    """One warning, where some of the table of numbers (n, variables) are levels that the fit has not seen."""
    rows = {} if encoding is None else encoding.unknown(values)
    if rows:
        warn(told_unknown(X, rows), UserWarning)


def _stays(X: Any) -> bool:
    """Whether X is large and can be read in blocks as it is."""
    if not isinstance(X, np.ndarray) or isinstance(X, np.ma.MaskedArray) or X.ndim != 2:
        return False
    return X.dtype in (np.float32, np.float64) and X.dtype.isnative and len(X) > MERGE_ROWS and X.shape[1] > 0


def read_training(
    estimator: Any, X: Any, y: Any, sample_weight: Any, encoding: Encoding | None = None, *, reset: bool = True
) -> tuple[Array, Array, Array]:
    """X (n, variables), y (n,) or (n, T), weight (n,), all finite but for categories, at least one positive weight."""
    _refuse(X, "X")
    if y is not None:
        _refuse(y, "y")
    with _explained(encoding, X=X, y=y):
        if encoding is not None:
            validate_data(estimator, X, y, reset=reset, skip_check_array=True)
            inputs, target = encoded_table(X, encoding), _read_target(y)
        elif _stays(X):
            inputs = validate_data(estimator, X, reset=reset, skip_check_array=True)
            target = _read_target(y)
        else:
            separately = (_RAW, _RAW | {"ensure_2d": False})
            inputs, target = validate_data(estimator, X, y, reset=reset, validate_separately=separately)
        check_target_shape(target)
        check_consistent_length(inputs, target)
    check_finite(inputs, "X", X, encoding)
    check_finite(target, "y", y)
    if not reset:
        _warn_of_unknown(X, inputs, encoding)
    return inputs, target, read_weight(sample_weight, inputs)


def read_target(y: Any) -> Array:
    """Y (n,) or (n, T) alone, where that is encoded before `read_training` sees it; not checked to be finite."""
    y = in_memory(y)
    _refuse(y, "y")
    with _explained(y=y):
        return _read_target(y)


def _read_target(y: Any) -> Array:
    """Y as it is where it is an array of float32 or float64, else a float64 copy."""
    if isinstance(y, np.ndarray) and y.ndim in (1, 2) and y.dtype in (np.float32, np.float64):
        return y
    target: Array = check_array(y, ensure_2d=False, input_name="y", **_RAW)
    return target


def check_target_shape(y: Array) -> None:
    """Raise InvalidInput for what is neither one target nor a table of them."""
    if y.ndim not in (1, 2) or (y.ndim == 2 and y.shape[1] == 0):
        raise InvalidInput(f"y has shape {y.shape}: give (n,) for one target, or (n, T) with one column per target.")


def read_weight(sample_weight: Any, X: Array) -> Array:
    """(n,) float64; one number stands for all rows."""
    if sample_weight is None:
        return np.broadcast_to(np.float64(1), len(X))  # no memory
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(len(X), sample_weight, dtype=np.float64)
    _refuse(sample_weight, "sample_weight")
    with _explained(sample_weight=sample_weight):
        weight: Array = check_array(sample_weight, ensure_2d=False, input_name="sample_weight", **_RAW)
        if weight.ndim != 1:
            raise InvalidInput(
                f"sample_weight has shape {weight.shape}: give a 1D array with one weight for each of {len(X)} rows."
            )
        check_finite(weight, "sample_weight", sample_weight)
        if (weight < 0).any():
            first = int(np.argmax(weight.ravel() < 0))
            raise InvalidInput(f"sample_weight[{first}] = {weight.flat[first]} is negative: weights are ≥ 0.")
        check_total(weight)
        weight = _check_sample_weight(weight, X, dtype=np.float64)
        return weight


def check_total(weight: Array) -> None:
    """Raise InvalidInput for weights that sum to nothing, or to more than can be counted."""
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total == 0:
        raise InvalidInput("sample_weight sums to zero: at least one row must have a positive weight.")
    least, most = _TOTAL_WEIGHT
    if not least <= total <= most:
        raise InvalidInput(
            f"sample_weight sums to {total:.3g}, outside {least:g} to {most:g}: a weight of 2 is a row given twice; "
            "multiply or divide the weights so that they sum to about the number of rows."
        )


def _refuse(values: Any, name: str) -> None:
    """Errors for what would be converted to numbers without a word, or with a puzzling one."""
    if values is None:
        raise InvalidInput(f"{name} is None: give a table with one row for each observation.")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        masked = np.argwhere(np.ma.getmaskarray(values))
        first, count = _where(masked[0], values), len(masked)
        raise InvalidInput(f"{name} has {count} masked values, the first at {first}: fill them or drop those rows.")
    for place, dtype in _dtypes(values):
        kind = getattr(dtype, "kind", "")
        if kind in _REFUSED:
            what, cure = _REFUSED[kind]
            raise InvalidInput(f"{what.format(name=name)}{place} ({dtype}). {cure}")


def _dtypes(values: Any) -> list[tuple[str, Any]]:
    """Pairs of place and dtype: one per column of a DataFrame, one for an array, none for what is neither."""
    columns, dtypes = getattr(values, "columns", None), getattr(values, "dtypes", None)
    if columns is not None and dtypes is not None:  # a DataFrame; an Arrow table has no dtypes of NumPy
        pairs = enumerate(zip(columns, dtypes, strict=True))
        return [(f" in column {j} ({label!r})", dtype) for j, (label, dtype) in pairs]
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):  # ragged, or no array at all: scikit-learn will say so
        return []
    if array.dtype.kind != "O":
        return [("", array.dtype)]
    # datetime64 among objects becomes a float in silence
    dates = {np.datetime64, np.timedelta64} & set(map(type, array.flat))
    places = ((place, value) for place, value in np.ndenumerate(array) if type(value) in dates)
    return [(f" at {_where(place, values)}", value.dtype) for place, value in places] if dates else []


@contextmanager
def _explained(encoding: Encoding | None = None, **tables: Any) -> Iterator[None]:
    """Within it, errors of the conversion get the place and the cure; categories of X are not at fault."""
    try:
        with np.errstate(over="ignore"):  # a long double beyond float64 becomes infinity, which `check_finite` names
            yield
    except InvalidInput:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        cures = [cure for words, cure in _CURES.items() if words in str(error)]
        others = {"X": encoding.categories} if encoding is not None else {}
        hints = (_hint(values, name, others.get(name, ())) for name, values in tables.items())
        cures = cures or [hint for hint in hints if hint][:1]
        kind = TypeError if isinstance(error, TypeError) else InvalidInput
        raise kind(" ".join([str(error).rstrip(".!") + ".", *cures])) from error


def _hint(values: Any, name: str, categories: Collection[int]) -> str | None:
    """Where the first entry is that is no number, or the first row of another length; None if there is neither."""
    try:
        if np.asarray(values).dtype.kind in "biuf":
            return None
    except (ValueError, TypeError):
        pass
    table = np.asarray(values, dtype=object)
    lengths = [np.size(row) for row in table] if table.ndim == 1 else [0]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            return f"{name}: row {row} has {length} entries, row 0 has {lengths[0]}; give rows of the same length."
    for place, value in np.ndenumerate(table):
        if place and place[-1] not in categories and not is_number(value):
            return f"{name} holds {value!r:.40} at {_where(place, values)}. {NEEDS_NUMBERS}"
    return None


def is_number(value: Any) -> bool:
    """Whether Python makes a number of it."""
    try:
        float(value)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def _where(place: Any, values: Any) -> str:
    """`row 3, column 1 ('age')`."""
    if len(place) < 2:
        return f"row {place[0]}"
    return f"row {place[0]}, {column_label(values, place[1])}"


def check_finite(values: Array, name: str, source: Any, encoding: Encoding | None = None) -> None:
    """Raise InvalidInput that names the first value that is not finite, its place and the cure; categories may be."""
    categories = [] if encoding is None else list(encoding.categories)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):  # one pass, no array of flags: NaN and infinity survive a sum
            return
    place, count = None, 0
    for start in range(0, len(values), _BLOCK_ROWS):
        flags = ~np.isfinite(values[start : start + _BLOCK_ROWS])
        if categories:
            flags[:, categories] = False
        bad = np.argwhere(flags)
        count += len(bad)
        if place is None and len(bad):
            place = (start + bad[0][0], *bad[0][1:])
    if place is None:
        return
    kind = "NaN" if np.isnan(values[tuple(place)]) else "infinity or a value too large for float64"
    raise InvalidInput(
        f"Input {name} contains {kind}: first at {_where(place, source)}, {count} not finite in all. "
        "Drop those rows" + (IMPUTE if name == "X" else ".")
    )
