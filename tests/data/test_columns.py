"""Columns of tables of any library: names, types in a word, values; tables are known by what they answer."""

import numpy as np
import pytest

from alakarte import GPClassifier, GPCountRegressor, GPRegressor, InvalidInput
from alakarte.data.columns import (
    as_columns,
    column,
    column_label,
    column_names,
    column_types,
    in_memory,
    is_missing,
    some_columns,
)

NUMBERS, WORDS = [1.0, 2.0, 3.0], ["u", None, "v"]


class Values(list):
    """A column that gives itself as a list, as those of Polars and of Arrow do."""

    def to_list(self):
        return list(self)

    to_pylist = to_list


class Polars:
    """What is used of a DataFrame of Polars."""

    columns, dtypes = ["a", "b"], ["Float64", "Categorical(ordering='physical')"]

    def to_series(self, j):
        return Values((NUMBERS, WORDS)[j])

    def select(self, names):
        return names


class Schema:
    """Types of an Arrow table."""

    types = ("double", "dictionary<values=string, indices=int32, ordered=0>")


class Arrow:
    """What is used of an Arrow table; its `columns` are values, not names."""

    column_names, schema, columns = ["a", "b"], Schema(), (NUMBERS, WORDS)

    def column(self, j):
        return Values((NUMBERS, WORDS)[j])

    def select(self, names):
        return names


def pandas_table():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({"a": NUMBERS, "b": pd.Series(WORDS, dtype="category")})


TABLES = [
    pytest.param(pandas_table, ["float64", "category"], id="pandas"),
    pytest.param(Polars, ["float64", "categorical"], id="Polars"),
    pytest.param(Arrow, ["double", "dictionary"], id="Arrow"),
]


@pytest.mark.parametrize(("make", "types"), TABLES)
def test_tables_of_three_libraries(make, types):
    table = make()
    assert as_columns(table) is table
    assert column_names(table) == ["a", "b"]
    assert column_types(table) == types
    assert column_label(table, 1) == "column 1 ('b')"
    assert column(table, 0).tolist() == NUMBERS
    values = column(table, 1)
    assert values.dtype == object
    assert [value for value in values if not is_missing(value)] == ["u", "v"]
    assert list(some_columns(table, np.array([1]))) == ["b"]


def test_arrays_and_lists_have_columns_without_names_and_types():
    for table in (np.eye(3), [[1, 2], [3, 4]], np.array([["a", 1.0]], dtype=object)):
        assert column_names(table) is None
        assert column_types(table) == []
        assert column_label(table, 2) == "column 2"
    numbers, mixed, words = as_columns([[1, 2], [3, 4]]), as_columns([["a", 1.0]]), np.array([["a"], ["b"]])
    assert column(numbers, 1).tolist() == [2, 4]
    assert column(numbers, 1).dtype.kind == "i"
    assert mixed.tolist() == [["a", 1.0]]  # the number did not become a word
    assert column(words, 0).dtype == object
    assert some_columns(numbers, np.array([1])).tolist() == [[2], [4]]


def test_what_stands_for_no_value():
    pd = pytest.importorskip("pandas")
    assert all(is_missing(value) for value in (None, np.nan, float("nan"), np.float32("nan"), pd.NA, pd.NaT))
    assert not any(is_missing(value) for value in (0, "", "nan", False, np.inf, [], np.zeros(2)))


def test_a_query_of_polars_is_refused_with_the_cure():
    lazy = type("LazyFrame", (), {"__module__": "polars.lazyframe.frame", "sink_parquet": print})()
    X, y = np.ones((5, 2)), np.arange(5.0)
    fitted = GPRegressor(max_iter=0).fit(X, y)
    for call in (
        lambda: GPRegressor().fit(lazy, y),
        lambda: GPRegressor().fit(X, lazy),
        lambda: GPRegressor().fit(X, y, lazy),
        lambda: GPClassifier().fit(lazy, y),
        lambda: GPClassifier().fit(X, lazy),
        lambda: GPCountRegressor().fit(lazy, y),
        lambda: GPCountRegressor().fit(X, lazy),
        lambda: fitted.predict(lazy),
        lambda: fitted.score(lazy, y),
    ):
        with pytest.raises(InvalidInput, match=r"LazyFrame of Polars.*query\.collect\(\).*scan_parquet"):
            call()
    eager = type("DataFrame", (), {"__module__": "polars.dataframe.frame"})()
    assert in_memory(eager) is eager
