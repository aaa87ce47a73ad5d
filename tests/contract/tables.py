"""Awkward tables, each with the words of the error it must raise, and what every fit must pass."""

from dataclasses import dataclass
from datetime import date

import numpy as np
import pytest
from scipy import sparse

from alakarte import GPRegressor

pd = pytest.importorskip("pandas", reason="some of the awkward tables are DataFrames")
SMALL = {
    "n_components": 2,
    "n_frequencies": 8,
    "n_restarts": 2,
    "max_iter": 10,
    "max_iter_restart": 4,
    "n_jobs": 1,
    "random_state": 0,
}
MODELS = {
    "ard": {"kernel": "ard"},
    "gm": {"kernel": "gm"},
    "pwl": {"kernel": "pwl"},
    "exact ard": {"kernel": "ard", "expansion": "exact"},
    "auto": {"kernel": "auto", "n_components": None, "n_frequencies": None},
}
N_ROWS = 24
TABLE = np.random.default_rng(0).standard_normal((N_ROWS, 3))
TARGET = np.sin(2 * TABLE[:, 0]) + 0.5 * TABLE[:, 1] + 0.1 * np.random.default_rng(1).standard_normal(N_ROWS)
DAYS = np.datetime64("2024-01-01") + np.arange(N_ROWS)
NUMBERS = ("needs numbers", "encode")


@dataclass(frozen=True)
class Case:
    """A table; `error`: the kind of the error and words of its message, empty where the fit must work."""

    name: str
    X: object
    y: object
    error: tuple = ()


def changed(values, place, value):
    """A copy of `values` with one entry replaced; lists of places for the row index are allowed."""
    values = np.array(values)
    values[place] = value
    return values


def frame(**columns):
    """Three named columns: those of `TABLE`, some replaced."""
    return pd.DataFrame({"a": TABLE[:, 0], "b": TABLE[:, 1], "c": TABLE[:, 2]} | columns)


def objects(values):
    return np.asarray(values).astype(object)


def read_only(values):
    values = np.array(values)
    values.flags.writeable = False
    return values


MIXED = frame(
    a=np.arange(N_ROWS),
    b=pd.array(TABLE[:, 1], dtype="Float64"),
    c=TABLE[:, 2] > 0,
).assign(d=TABLE[:, 0].astype(np.float32), e=pd.array(np.arange(N_ROWS) % 5, dtype="Int8"))
MISSING = frame(b=pd.array([None if i == 4 else v for i, v in enumerate(TABLE[:, 1])], dtype="Float64"))
FITS = [
    # rows and columns that say nothing
    Case("constant column", changed(TABLE, (slice(None), 1), 7.0), TARGET),
    Case("all columns constant", np.full((N_ROWS, 3), 7.0), TARGET),
    Case("duplicate columns", TABLE[:, [0, 0, 1, 1]], TARGET),
    Case("duplicate rows", np.tile(TABLE[:6], (4, 1)), np.tile(TARGET[:6], 4)),
    Case("equal rows, different targets", np.tile(TABLE[:6], (4, 1)), TARGET),
    Case("constant y", TABLE, np.full(N_ROWS, 3.0)),
    # sizes
    Case("one row", TABLE[:1], TARGET[:1]),
    Case("two rows", TABLE[:2], TARGET[:2]),
    Case("one column", TABLE[:, :1], TARGET),
    Case("fewer rows than columns", TABLE[:12].reshape(4, 9), TARGET[:4]),
    # scales, offsets, outliers
    Case("X 1e-310", TABLE * 1e-310, TARGET),
    Case("X 1e-200", TABLE * 1e-200, TARGET),
    Case("X 1e200", TABLE * 1e200, TARGET),
    Case("X 1e300", TABLE * 1e300, TARGET),
    Case("scales by column", TABLE * [1e-300, 1.0, 1e300], TARGET),
    Case("X offset 1e15", TABLE * 1e3 + 1e15, TARGET),
    Case("y offset 1e15", TABLE, TARGET * 1e3 + 1e15),
    Case("X outlier 1e150", changed(TABLE, (5, 1), 1e150), TARGET),
    Case("y outlier 1e150", TABLE, changed(TARGET, 5, 1e150)),
    Case("y 1e200", TABLE, TARGET * 1e200),
    Case("y 1e-200", TABLE, TARGET * 1e-200),
    Case("y 1e-310", TABLE, TARGET * 1e-310),
    # types and layouts
    Case("integers", (TABLE * 10).astype(np.int64), (TARGET * 10).astype(np.int32)),
    Case("unsigned bytes", (TABLE * 40 + 128).astype(np.uint8), (TARGET * 40 + 128).astype(np.uint8)),
    Case("booleans", TABLE > 0, TARGET > 0),
    Case("float16", TABLE.astype(np.float16), TARGET.astype(np.float16)),
    Case("float32", TABLE.astype(np.float32), TARGET.astype(np.float32)),
    Case("objects that are numbers", objects(TABLE), objects(TARGET)),
    Case("numeric strings", TABLE.astype(str), TARGET.astype(str)),
    Case("Fortran order", np.asfortranarray(TABLE), TARGET),
    Case("negative strides", TABLE[::-1, ::-1], TARGET[::-1]),
    Case("other byte order", TABLE.astype(">f8"), TARGET.astype(">f8")),
    Case("read-only", read_only(TABLE), read_only(TARGET)),
    Case("nested lists", TABLE.tolist(), TARGET.tolist()),
    Case("DataFrame of mixed types", MIXED, pd.Series(TARGET, dtype="Float64")),
]
REFUSALS = [
    Case("missing in a nullable column", MISSING, TARGET, (ValueError, "row 4", "'b'", "NaN", "impute")),
    Case("NaN in X", changed(TABLE, (3, 1), np.nan), TARGET, (ValueError, "X", "NaN", "row 3, column 1", "impute")),
    Case("infinity in X", changed(TABLE, (3, 2), np.inf), TARGET, (ValueError, "infinity", "row 3, column 2", "Drop")),
    Case("NaN in y", TABLE, changed(TARGET, 6, np.nan), (ValueError, "y", "NaN", "row 6", "Drop")),
    Case("minus infinity in y", TABLE, changed(TARGET, 6, -np.inf), (ValueError, "y", "infinity", "row 6", "Drop")),
    Case("strings", changed(objects(TABLE), (2, 1), "red"), TARGET, (ValueError, "'red'", "row 2, column 1", *NUMBERS)),
    Case("complex", TABLE + 1j, TARGET, (ValueError, "Complex data not supported", "X", "real", "imag")),
    Case("no columns", np.empty((N_ROWS, 0)), TARGET, (ValueError, "0 feature(s)", "minimum of 1", "column")),
    Case("no rows", np.empty((0, 3)), np.empty(0), (ValueError, "0 sample(s)", "minimum of 1", "row")),
    Case("X of one dimension", TABLE[:, 0], TARGET, (ValueError, "Expected 2D array", "1D", "reshape(-1, 1)")),
    Case("X of three dimensions", TABLE.reshape(N_ROWS, 3, 1), TARGET, (ValueError, "dim 3", "reshape(len(X), -1)")),
    Case("more rows than targets", TABLE, TARGET[:-2], (ValueError, "24", "22", "row")),
    Case("sparse", sparse.csr_array(TABLE), TARGET, (TypeError, "Sparse", "X", "toarray")),
    Case("dates", frame(b=DAYS), TARGET, (ValueError, "'b'", "dates", *NUMBERS, "days since")),
    Case("durations", (DAYS - DAYS[0])[:, None], TARGET, (ValueError, "durations", "timedelta64", *NUMBERS)),
    Case("masked", np.ma.masked_greater(TABLE, 1.8), TARGET, (ValueError, "masked", "row 15, column 2", "drop")),
    Case("ragged lists", [[1.0, 2.0], [3.0], [4.0, 5.0]], [1, 2, 3], (ValueError, "row 1", "1 ", "2", "same length")),
]
CASES = FITS + REFUSALS


def named(cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name.replace(" ", "_"))


def model(name="ard", **settings):
    return GPRegressor(**SMALL | MODELS[name] | settings)


def check_predictions(fitted, X):
    """Everything a user can ask for at the rows of X is finite and in order."""
    mean, std = fitted.predict(X, return_std=True)
    lower, upper = fitted.predict_interval(X)
    samples = fitted.sample_y(X, n_samples=2)
    for values in (mean, std, lower, upper, samples):
        assert np.isfinite(values).all()
        assert len(values) == len(X)
    assert (std >= 0).all()
    assert (lower <= mean).all()
    assert (mean <= upper).all()
    assert np.isfinite(fitted.log_marginal_likelihood_)
    assert np.isfinite(fitted.noise_std_)
    assert fitted.summary()


def check_refusal(error, function, *arguments, **settings):
    """`function` raises a ValueError or TypeError whose message holds all the words."""
    kind, *words = error
    with pytest.raises(kind) as caught:
        function(*arguments, **settings)
    missing = [word for word in words if word not in str(caught.value)]
    assert not missing, f"{missing} not in: {caught.value}"


FURTHER = [
    Case("no X", None, TARGET, (ValueError, "X is None", "table")),
    Case("no y", TABLE, None, (ValueError, "requires y", "fit(X, y)")),
    Case("targets of three dimensions", TABLE, TABLE[:, :2, None], (ValueError, "dim 3", "one column per target")),
    Case("y of strings", TABLE, ["high"] * N_ROWS, (ValueError, "y holds 'high'", "row 0", *NUMBERS)),
    Case("y of dates", TABLE, DAYS, (ValueError, "y holds dates", "datetime64", *NUMBERS)),
    Case("complex y", TABLE, TARGET + 1j, (ValueError, "Complex data not supported", "y")),
    Case("masked y", TABLE, np.ma.masked_greater(TARGET, 1), (ValueError, "y has", "masked", "row", "drop")),
    Case("ragged y", TABLE[:3], [[1.0], [2.0, 3.0], [4.0]], (ValueError, "y: row 1 has 2", "same length")),
    Case("named strings", frame(b=["red"] * N_ROWS), TARGET),
    Case("strings and numbers", frame(b=["red", *objects(TABLE[1:, 1])]), TARGET, (ValueError, "'b'", "float and str")),
    Case("a level per row", frame(b=[f"level {i}" for i in range(N_ROWS)]), TARGET, (ValueError, "'b'", "24", "12")),
    Case("dictionaries", changed(objects(TABLE), (2, 1), {"a": 1}), TARGET, (TypeError, "{'a': 1}", "row 2, column 1")),
    Case("None in X", changed(objects(TABLE), (2, 1), None), TARGET, (ValueError, "NaN", "row 2, column 1")),
    Case("pandas NA", changed(objects(TABLE), (2, 1), pd.NA), TARGET, (TypeError, "<NA>", "row 2, column 1")),
    Case("days in lists", [[day] for day in DAYS], TARGET, (ValueError, "X holds dates", *NUMBERS)),
    Case(
        "days as objects",
        changed(objects(TABLE), (2, 1), DAYS[0]),
        TARGET,
        (ValueError, "dates at row 2, column 1", *NUMBERS),
    ),
    Case("Python's dates", [[date(2024, 1, 1)]], [1], (TypeError, "datetime.date", "row 0, column 0", *NUMBERS)),
    Case("time zones", frame(c=pd.Series(DAYS).dt.tz_localize("UTC")), TARGET, (ValueError, "'c'", "UTC", *NUMBERS)),
    Case("integers beyond float64", [[10**400], [1]], [0, 1], (ValueError, "too large", "row 0, column 0")),
    Case("long doubles beyond float64", TABLE * np.longdouble("1e400"), TARGET, (ValueError, "too large", "row 0")),
    Case("the ends of float64 in X", np.sign(TABLE) * 1.7e308, TARGET, (ValueError, "X[:, 0]", "1e+304", "divide")),
    Case("the ends of float64 in y", TABLE, np.sign(TARGET) * 1.7e308, (ValueError, "y reaches", "1e+304", "divide")),
    Case("records", np.zeros(3, [("a", "f8"), ("b", "f8")]), [1, 2, 3], (TypeError, "Cannot cast")),
    Case("masked array without a mask", np.ma.masked_invalid(TABLE), TARGET),
    Case("integers of Python, long", [[10**30 * i] for i in range(5)], range(5)),
    Case("one long row", np.arange(200.0)[None], [1.0]),
    Case("negative zeros", np.tile([[0.0], [-0.0]], (12, 1)), TARGET),
    Case("next to each other", 1 + np.finfo(float).eps * np.arange(N_ROWS)[:, None], TARGET),
    Case("the least numbers", np.arange(N_ROWS)[:, None] * 5e-324, np.arange(N_ROWS) * 5e-324),
    Case("X 1e303", TABLE * 1e303, TARGET * 1e303),
]
