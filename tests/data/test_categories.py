"""Levels of categories: which columns have them, what they are, and the columns that they become."""

import numpy as np
import pytest

from alakarte.data.categories import MISSING, MOST_LEVELS, UNKNOWN, Encoding, Levels, chosen_categories, learn_encoding
from alakarte.errors import InvalidInput

WORDS = np.array(
    [["b", 1.0], ["a", 2.0], [None, 3.0], ["b", 4.0], ["c", 5.0], ["a", 6.0], ["a", 7.0], ["a", 8.0]], object
)
ALL = np.ones(len(WORDS), dtype=bool)


def levels_of(values, counted=None):
    values = np.asarray(values)[:, None]
    counted = np.ones(len(values), dtype=bool) if counted is None else counted
    return learn_encoding(values, [0], 1, counted).levels[0]


def test_levels_are_plain_sorted_arrays():
    words, number = learn_encoding(WORDS, [0], 2, ALL).levels
    assert number is None
    assert words.values.tolist() == ["a", "b", "c"]
    assert words.values.dtype.kind == "U"
    assert words.missing
    assert words.n_columns == 4
    numbers = levels_of([3.0, 1.0, np.nan, 3.0, 1.0, 1.0])
    assert numbers.values.tolist() == [1.0, 3.0]
    assert numbers.missing
    assert levels_of([True, False] * 3).values.dtype == np.float64


def test_rows_without_a_weight_have_no_levels():
    counted = ALL.copy()
    counted[[2, 4]] = False
    words = learn_encoding(WORDS, [0], 2, counted).levels[0]
    assert words.values.tolist() == ["a", "b"]
    assert not words.missing


def test_a_table_of_numbers_and_its_one_hot_columns():
    encoding = learn_encoding(WORDS, [0], 2, ALL)
    numbers = encoding.levels[0].numbered(WORDS[:, 0])
    assert numbers.tolist() == [1, 0, MISSING, 1, 2, 0, 0, 0]
    columns = encoding.one_hot(np.column_stack([numbers, WORDS[:, 1].astype(float)]))
    assert columns.shape == (8, 5)
    assert columns[:, :4].argmax(axis=1).tolist() == [1, 0, 3, 1, 2, 0, 0, 0]
    assert columns[:, :4].sum(axis=1).tolist() == [1] * 8
    assert columns[:, 4].tolist() == WORDS[:, 1].tolist()
    assert encoding.variables.of_column.tolist() == [0, 0, 0, 0, 1]
    assert encoding.variables.first.tolist() == [0, 4]


def test_an_unknown_level_gets_zeros():
    seen, unseen = Levels(np.array(["a", "b"]), missing=False), np.array(["z", "a", None, 1.0], dtype=object)
    assert seen.numbered(unseen).tolist() == [UNKNOWN, 0.0, MISSING, UNKNOWN]
    encoding = Encoding((seen, Levels(np.array([1.0, 2.0]), missing=True)))
    x = np.column_stack([seen.numbered(unseen), [1.0, 1.5, np.nan, MISSING]])
    assert encoding.one_hot(x).tolist() == [[0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1]]
    assert {j: rows.tolist() for j, rows in encoding.unknown(x).items()} == {0: [0, 2, 3], 1: [1]}


def test_numbers_side_by_side_are_found_as_slices():
    two, none = Levels(np.array([0.0, 1.0]), missing=False), None
    runs = Encoding((none, none, two, none, two, two, none)).runs_of_numbers()
    assert runs == [(slice(0, 2), slice(0, 2)), (slice(3, 4), slice(4, 5)), (slice(6, 7), slice(9, 10))]
    assert Encoding((two,)).runs_of_numbers() == []


def test_columns_are_chosen_by_index_name_flag_or_type():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "number": [0.5, 1.5],
            "word": ["a", "b"],
            "flag": [True, False],
            "own": pd.Categorical([1, 2]),
            "objects": np.array(["a", None], dtype=object),
            "numbers": np.array([1, 2.5], dtype=object),
            "truths": np.array([True, None], dtype=object),
            "nullable": pd.array(["x", None], dtype="string"),
        }
    )
    assert chosen_categories(frame, "from_dtype", 8) == [1, 2, 3, 4, 6, 7]
    assert chosen_categories(frame, ["flag", "word"], 8) == [1, 2]
    assert chosen_categories(frame, [3, 0, 3], 8) == [0, 3]
    assert chosen_categories(frame, np.arange(8) == 2, 8) == [2]
    for nothing in (None, [], np.zeros(8, dtype=bool)):
        assert chosen_categories(frame, nothing, 8) == []
    assert chosen_categories(frame.to_numpy(), "from_dtype", 8) == []
    assert learn_encoding(frame, [], 8, np.ones(2, dtype=bool)) is None


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("region", "categorical_features='region': give 'from_dtype', None, or a list"),
        (3, "categorical_features=3: give"),
        ([0.5], "give 'from_dtype', None, or a list"),
        ([2], "has 2: indices are whole numbers from 0 to 1"),
        ([-1], "has -1: indices are whole numbers from 0 to 1"),
        ([True], "has 1 flags; X has 2 columns"),
        (["region"], "names 'region', but X has no names: give indices"),
        (np.array([0, None], dtype=object), "has None: indices are whole numbers"),
    ],
)
def test_a_choice_that_makes_no_sense(wanted, message):
    with pytest.raises(InvalidInput, match=message):
        chosen_categories(WORDS, wanted, 2)


def test_a_name_that_no_column_has():
    pd = pytest.importorskip("pandas")
    with pytest.raises(InvalidInput, match="names 'c', which X has not: it has a, b"):
        chosen_categories(pd.DataFrame({"a": [1.0], "b": [2.0]}), ["c"], 2)


def test_a_column_of_objects_with_words_among_others_is_refused():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": np.array(["x", 3], dtype=object)})
    with pytest.raises(InvalidInput, match=r"column 1 \('b'\) is a category that holds int and str.*\.astype\(str\)"):
        chosen_categories(frame, "from_dtype", 2)


@pytest.mark.parametrize("values", [["a", 1, "a", "a"], [(1, 2), "a"] * 2, [np.inf, 1.0, 1.0, 1.0], [{"a": 1}] * 4])
def test_levels_that_are_neither_words_nor_numbers(values):
    column = np.empty((4, 1), dtype=object)
    column[:, 0] = values
    with pytest.raises(InvalidInput, match=r"column 0 is a category that holds .*all words or all finite numbers"):
        learn_encoding(column, [0], 1, np.ones(4, dtype=bool))


def test_too_many_levels():
    half = [f"level {i // 2}" for i in range(40)]
    assert levels_of(half).n_columns == 20
    with pytest.raises(InvalidInput, match=r"column 0 has 21 levels in 41 rows: .* at most 20, .*Merge rare levels"):
        levels_of([*half, "one more"])
    with pytest.raises(InvalidInput, match=f"256 levels in 1024 rows: .* at most {MOST_LEVELS}"):
        levels_of(np.arange(1024.0) % 256)
    assert levels_of(["a", "b"]).n_columns == 2  # two are always allowed
