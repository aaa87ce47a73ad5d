"""Levels of the categories of a Dask collection: found partition by partition, numbered alike everywhere.

In: partitions in which each value of a category is a number of its own. Out: the same with the numbers that the levels
of all partitions have, in the order that those of a table in memory have. Each partition is read once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from alakarte.data.categories import MISSING, Encoding, Levels, levels_of
from alakarte.data.cluster_pieces import Piece
from alakarte.data.columns import column, column_label, is_missing
from alakarte.execution.cluster import Cluster
from alakarte.records import Array

_SENT = 1000  # values of a partition, more of which would be too many levels anyway

Values = dict[int, NDArray[Any]]  # (k,) what the numbers 0 … k − 1 of a column stand for
Coded = tuple[Array, Array, Array, Values]  # a piece, and its values


def code_categories(x: Any, table: Array, categories: list[int]) -> Values:
    """Number the values of categories of a partition x, in the columns of its table (rows, variables)."""
    values: Values = {}
    for j in categories:
        known: dict[Any, int] = {}
        objects = column(x, j).astype(object)
        table[:, j] = [MISSING if is_missing(value) else known.setdefault(value, len(known)) for value in objects]
        values[j] = np.empty(len(known), dtype=object)
        values[j][:] = list(known)
    return values


def with_levels(
    cluster: Cluster, futures: list[Any], example: Any, categories: list[int]
) -> tuple[list[Any], Encoding, list[int]]:
    """Futures of pieces with the levels of all, these, and the rows of each; `example` names the columns."""
    found = cluster.run(_present, [(future,) for future in futures], said="partitions searched for levels")
    lengths = [n for n, _, _ in found]
    levels: dict[int, Levels] = {}
    for place, j in enumerate(categories):
        present = dict.fromkeys(value for _, values, _ in found for value in values[place])
        missing = any(each[place] for _, _, each in found)
        distinct = [*present, *([None] if missing else [])]
        some = any(len(values[place]) == _SENT for _, values, _ in found)  # there may be more
        levels[j] = levels_of(distinct, column_label(example, j), sum(lengths), some=some)
    encoding = Encoding(tuple(levels.get(j) for j in range(int(example.shape[1]))))
    return [cluster.submit(_renumbered, future, levels) for future in futures], encoding, lengths


def _present(shared: None, piece: Coded) -> tuple[int, list[list[Any]], list[bool]]:
    """Runs on a worker: rows of a piece, and of each category the values among them and whether some are missing."""
    x, values = piece[0], piece[3]
    codes = [np.unique(x[:, j]) for j in values]
    present = [
        each[own[own != MISSING][:_SENT].astype(np.intp)].tolist()
        for each, own in zip(values.values(), codes, strict=True)
    ]
    return len(x), present, [bool((own == MISSING).any()) for own in codes]


def _renumbered(piece: Coded, levels: dict[int, Levels]) -> Piece:
    """Runs on a worker: a piece with the numbers of the levels."""
    x, y, weight, values = piece
    x = x.copy()
    for j, each in values.items():
        numbers = np.append(levels[j].numbered(each), MISSING)
        x[:, j] = numbers[np.where(x[:, j] == MISSING, len(each), x[:, j]).astype(np.intp)]
    return x, y, weight
