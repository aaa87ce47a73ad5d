"""The user's tables in: checks that name the value, the place and the cure; rows merged so that weights equal repetition.

In: anything array-like. Out: float64 arrays and weights. Knows nothing of kernels.
"""

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from alakarte.errors import InvalidInput

# Up to this many rows, identical rows are merged and sorted: L-BFGS amplifies 1e-16 to 1e-2 [reliability].
MERGE_ROWS = 20_000
_NUMBERS = "alakarte needs numbers: encode categories (OneHotEncoder, OrdinalEncoder) and dates (days since a start)."


def read_inputs(estimator, X):
    """X (n, d) float64, finite, with the inputs of the fit."""
    return _read(estimator, X, reset=False)


def read_training(estimator, X, y, sample_weight, *, reset=True):
    """X (n, d), y (n,), weight (n,), all finite, at least one positive weight."""
    if y is None:
        raise InvalidInput("fit requires y, but the target y is None: this is a regressor, pass fit(X, y).")
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise InvalidInput(
            f"y has shape {np.shape(y)}: one target a model; fit one GPRegressor a column (MultiOutputRegressor does)."
        )
    X, y = _read(estimator, X, y, reset=reset)
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weight < 0).any():
        raise InvalidInput(
            f"sample_weight[{int(np.argmax(weight < 0))}] = {weight.min()} is negative; weights are ≥ 0."
        )
    if not weight.sum() > 0:
        raise InvalidInput("sample_weight sums to zero: at least one row must have a positive weight.")
    return X, y, weight


def _read(estimator, X, *target, reset):
    for name, values in zip(("X", "y"), (X, *target), strict=False):
        if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
            raise InvalidInput(f"{name} has {np.ma.count_masked(values)} masked values: fill or drop those rows.")
        if np.asarray(values, dtype=object).dtype.kind == "O" and _has_dates(values):
            raise InvalidInput(f"{name} holds dates. {_NUMBERS}")
    settings = {"dtype": np.float64, "ensure_all_finite": False, "reset": reset}
    try:
        if not target:
            checked = validate_data(estimator, X, **settings)
            _finite(checked, "X")
            return checked
        X, y = validate_data(estimator, X, *target, y_numeric=True, **settings)
    except (ValueError, TypeError) as error:
        if "could not convert" in str(error) or "dtype" in str(error):
            raise type(error)(f"{error} {_NUMBERS}") from error
        raise
    _finite(X, "X")
    y = np.asarray(y, dtype=np.float64)
    _finite(y, "y")
    return X, y


def _has_dates(values) -> bool:
    kinds = [np.asarray(values).dtype] if not hasattr(values, "dtypes") else list(np.atleast_1d(values.dtypes))
    return any(getattr(kind, "kind", "") in "mM" for kind in kinds)


def _finite(values, name):
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    place = np.argwhere(bad)[0]
    kind = "NaN" if np.isnan(values[tuple(place)]) else "infinity"
    where = f"row {place[0]}" + (f", column {place[1]}" if place.size > 1 else "")
    raise InvalidInput(
        f"Input {name} contains {kind}: first at {where}, {int(bad.sum())} not finite in all. "
        "Drop those rows or impute them (sklearn.impute.SimpleImputer)."
    )


def merge_rows(X, y, weight):
    """Distinct rows in sorted order with summed weights: the same for weights and for repeated rows."""
    keep = weight > 0
    X, y, weight = X[keep], y[keep], weight[keep]
    if X.shape[0] > MERGE_ROWS:
        return X, y, weight
    table = np.column_stack([X, y]) + 0.0  # −0.0 becomes 0.0
    table, inverse = np.unique(table, axis=0, return_inverse=True)
    weight = np.bincount(inverse.ravel(), weight, len(table))
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].copy(), weight
