"""Levels of categories partition by partition: numbered as those of a table in memory, each partition on its own."""

import numpy as np
import pytest

from alakarte.data.categories import MISSING
from alakarte.data.dask_categories import _present, code_categories, with_levels
from alakarte.errors import InvalidInput
from data.test_cluster_pieces import Here

PARTS = (
    np.array([[1.0, "b", 3.0], [2.0, None, 1.0]], dtype=object),
    np.array([[3.0, "a", 1.0], [4.0, "c", 2.0], [5.0, "b", 3.0], [6.0, "a", 3.0]], dtype=object),
)


def pieces():
    out = []
    for part in (np.repeat(part, 2, axis=0) for part in PARTS):
        table = np.zeros(part.shape)
        table[:, 0] = part[:, 0]
        values = code_categories(part, table, [1, 2])
        out.append((table, np.zeros((len(part), 1)), np.ones(len(part)), values))
    return out


def test_levels_of_all_partitions_in_their_order():
    given = pieces()
    before = [piece[0].copy() for piece in given]
    coded, encoding, lengths = with_levels(Here(), given, np.empty((0, 3)), [1, 2])
    assert lengths == [len(piece[0]) for piece in given]
    assert encoding.levels[0] is None
    assert encoding.levels[1].values.tolist() == ["a", "b", "c"]
    assert encoding.levels[1].missing
    assert encoding.levels[2].values.tolist() == [1.0, 2.0, 3.0]
    assert [piece[0][::2].tolist() for piece in coded] == [
        [[1, 1, 3], [2, MISSING, 1]],
        [[3, 0, 1], [4, 2, 2], [5, 1, 3], [6, 0, 3]],
    ]
    assert all(np.array_equal(piece[0], own) for piece, own in zip(given, before, strict=True))  # may be used again


def test_rows_that_are_left_out_bring_no_level():
    first, second = pieces()
    second = tuple(part[:2] for part in second[:3]) + second[3:]
    assert _present(None, second) == (2, [["a"], [1.0]], [False, False])
    encoding = with_levels(Here(), [first, second], np.empty((0, 3)), [1, 2])[1]
    assert encoding.levels[1].values.tolist() == ["a", "b"]


def test_too_many_levels_are_refused():
    few = [tuple(part[::2] for part in piece[:3]) + piece[3:] for piece in pieces()]
    with pytest.raises(InvalidInput, match="column 1 has 4 levels in 6 rows: a category may have at most 3"):
        with_levels(Here(), few, np.empty((0, 3)), [1])


def test_levels_that_were_not_all_sent_are_at_least_so_many():
    words = np.array([[f"word {i}"] for i in range(5001)], dtype=object)
    given = []
    for part in (words[:2500], words[2500:]):
        table = np.zeros(part.shape)
        values = code_categories(part, table, [0])
        given.append((table, np.zeros((len(part), 1)), np.ones(len(part)), values))
    with pytest.raises(InvalidInput, match="column 0 has at least 2000 levels in 5001 rows"):
        with_levels(Here(), given, np.empty((0, 1)), [0])
