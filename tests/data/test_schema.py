"""Columns as people have them become numbers, the same way for the fit and for later tables."""

import numpy as np
import pytest

from alakarte.data.schema import CATEGORY, DATE, NUMBER, learn_schema, words
from alakarte.errors import InvalidInput


def objects(*values):
    return np.array(values, dtype=object)


RAW = {
    "x": objects("1", "2.5", "", "4"),
    "day": np.array(["1970-01-03", "NaT", "1970-01-01T12:00", "1970-01-02"], dtype="datetime64[ms]"),
    "colour": objects("red", "NA", "blue", "red"),
    "size": np.array([1.0, 2.0, 3.0, 4.0]),
    "y": np.zeros(4),
}
SCHEMA = learn_schema(RAW, "y")


def test_kinds_levels_and_fill_values():
    x, day, colour, size = SCHEMA.columns
    assert [column.kind for column in SCHEMA.columns] == [NUMBER, DATE, CATEGORY, NUMBER]
    assert (x.fill, x.indicator, size.indicator) == (2.5, True, False)
    assert (day.fill, day.indicator) == (1.0, True)
    assert colour.levels == ("blue", "red")
    assert SCHEMA.names == ("x", "x is missing", "day", "day is missing", "colour", "size")
    assert SCHEMA.categories == [4]


def test_a_table_of_numbers():
    expected = [
        [1, 0, 2, 0, 1, 1],
        [2.5, 0, 1, 1, np.nan, 2],
        [2.5, 1, 0.5, 0, 0, 3],
        [4, 0, 1, 0, 1, 4],
    ]
    np.testing.assert_array_equal(SCHEMA.table(RAW), expected)


def test_another_table_is_read_alike():
    """Dates as words, a number in its own type, a new word, a gap where the fit had none."""
    other = {
        "x": np.array([np.nan, 7.0]),
        "day": objects("1970-01-11", "1970-01-01T06:00:00+00:00"),
        "colour": objects("violet", None),
        "size": objects("null", "2"),
    }
    table = SCHEMA.table(other)
    np.testing.assert_array_equal(table, [[2.5, 1, 10, 0, -1, 2.5], [7, 0, 0.25, 0, np.nan, 2]])
    assert SCHEMA.unknown(table) == {"colour": 1}


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"x": objects("much")}, "column 'x' has 'much', which is no number"),
        ({"day": objects("soon")}, "column 'day' has 'soon', which is no date"),
        ({"day": np.array([1.0])}, "column 'day' holds numbers; the model has learned it as a date"),
        ({"x": np.array(["1970-01-01"], dtype="datetime64[D]")}, "column 'x' holds dates"),
        ({"size": objects("inf")}, "column 'size' has an infinite value in row 1"),
    ],
)
def test_what_is_of_another_kind_is_named(changed, text):
    one = {name: values[:1] for name, values in RAW.items()}
    with pytest.raises(InvalidInput, match=text):
        SCHEMA.table(one | changed)
    with pytest.raises(InvalidInput, match="column 'x' is not there"):
        SCHEMA.table({})


def test_columns_that_cannot_be_learned_are_named():
    with pytest.raises(InvalidInput, match="'x' has no value at all"):
        learn_schema({"x": objects("", None)}, "y")
    with pytest.raises(InvalidInput, match="'x' has 300 different words"):
        learn_schema({"x": objects(*(f"w{i}" for i in range(300)))}, "y")


def test_numbers_as_words():
    assert words(np.array([1.0, 2.5, np.nan])).tolist() == ["1", "2.5", None]
