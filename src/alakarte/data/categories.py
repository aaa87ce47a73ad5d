"""Categories: which columns they are, the levels that they have, and the one-hot columns that levels become.

In: the user's table. Out: `Encoding`. Between the user's table and the one-hot columns stands a table of numbers (n,
variables), in which a level that is a number stands for itself and a word for its place among the levels: it is as
small as the user's, and an array of numbers is one already.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alakarte.data.columns import Column, as_columns, column, column_label, column_names, column_types, is_missing
from alakarte.errors import InvalidInput
from alakarte.records import Array, Flags, Integers, Variables

MOST_LEVELS = 255
ROWS_PER_LEVEL = 2
MISSING, UNKNOWN = np.inf, -np.inf  # in a table of numbers: no value, and a level that the fit has not seen
SHOWN = 3  # levels in a message
FROM_DTYPE = "from_dtype"
# first words of types in pandas, Polars and Arrow
WORDS = frozenset(("str", "string", "utf8", "large_string", "string_view"))
CATEGORY_TYPES = WORDS | {"category", "categorical", "enum", "dictionary", "bool", "boolean"}


@dataclass(frozen=True)
class Levels:
    """The levels of one category, in order, and whether no value is one more, the last."""

    values: NDArray[Any]  # (k,) words or numbers
    missing: bool

    @property
    def are_words(self) -> bool:
        """Whether levels are no numbers."""
        return self.values.dtype.kind == "U"

    @property
    def n_columns(self) -> int:
        """One per level."""
        return self.values.size + self.missing

    @cached_property
    def numbers(self) -> Array:
        """(k,) what levels are in a table of numbers."""
        return np.arange(self.values.size, dtype=np.float64) if self.are_words else self.values.astype(np.float64)

    def places(self, numbers: Array) -> Integers:
        """(rows,) which of its columns is one, from a column of numbers; −1 where the fit has not seen the level."""
        place = np.searchsorted(self.numbers, numbers)
        place[np.append(self.numbers, np.nan)[place] != numbers] = -1
        if self.missing:
            place[np.isnan(numbers) | (numbers == MISSING)] = self.values.size
        return place

    def numbered(self, values: Column) -> Array:
        """(rows,) a column of numbers from the user's values."""
        if values.dtype.kind in "biuf" and not self.are_words:
            numbers = values.astype(np.float64)
            numbers[np.isnan(numbers)] = MISSING
            return numbers
        known = dict(zip(self.values.tolist(), self.numbers.tolist(), strict=True))
        distinct = {value: MISSING if is_missing(value) else known.get(value, UNKNOWN) for value in set(values)}
        return np.fromiter((distinct[value] for value in values), dtype=np.float64, count=len(values))


@dataclass(frozen=True)
class Encoding:
    """How the variables of a table become columns of inputs: a number is one column, a category one per level."""

    levels: tuple[Levels | None, ...]  # of each variable; None: a number

    @cached_property
    def variables(self) -> Variables:
        """Which columns belong to which variable."""
        counts = [1 if levels is None else levels.n_columns for levels in self.levels]
        is_number = np.array([levels is None for levels in self.levels])
        return Variables(np.repeat(np.arange(len(counts), dtype=np.int64), counts), is_number)

    @property
    def n_columns(self) -> int:
        """d, the inputs that a kernel sees."""
        return self.variables.of_column.size

    @cached_property
    def categories(self) -> dict[int, Levels]:
        """Levels by variable."""
        return {j: levels for j, levels in enumerate(self.levels) if levels is not None}

    @property
    def numbers(self) -> Integers:
        """Variables that are numbers."""
        return np.flatnonzero(self.variables.is_number)

    def runs_of_numbers(self) -> list[tuple[slice, slice]]:
        """Variables that are numbers side by side, and their columns: slices, which copy nothing."""
        edges = np.flatnonzero(np.diff(self.variables.is_number, prepend=False, append=False))
        first = self.variables.first
        pairs = [(int(low), int(high)) for low, high in pairwise(edges)][::2]
        return [(slice(low, high), slice(int(first[low]), int(first[low]) + high - low)) for low, high in pairs]

    def columns_of(self, j: int) -> slice:
        """The columns of a category."""
        start = int(self.variables.first[j])
        return slice(start, start + self.categories[j].n_columns)

    def one_hot(self, x: Array) -> Array:
        """(rows, d) from a table of numbers (rows, variables): numbers as they are, levels as ones among zeros."""
        out = np.zeros((len(x), self.n_columns))
        for numbers, columns in self.runs_of_numbers():
            out[:, columns] = x[:, numbers]
        for j, levels in self.categories.items():
            place = levels.places(x[:, j])
            rows = np.flatnonzero(place >= 0)
            out[rows, self.variables.first[j] + place[rows]] = 1.0
        return out

    def unknown(self, x: Array) -> dict[int, Integers]:
        """Rows (k,) of a table of numbers (rows, variables) whose level the fit has not seen, by variable."""
        rows = {j: np.flatnonzero(levels.places(x[:, j]) < 0) for j, levels in self.categories.items()}
        return {j: places for j, places in rows.items() if places.size}


def chosen_categories(X: Any, wanted: Any, n_variables: int) -> list[int]:
    """Columns of the user's table that are categories, by his setting `categorical_features`."""
    if wanted is None:
        return []
    if isinstance(wanted, str) and wanted == FROM_DTYPE:
        return [j for j, word in enumerate(column_types(X)) if word in CATEGORY_TYPES or _are_words(X, j, word)]
    given = np.asarray(wanted)
    if given.size == 0 and given.ndim == 1:
        return []
    if given.ndim != 1 or isinstance(wanted, str) or given.dtype.kind not in "biuUOT":
        raise InvalidInput(
            f"categorical_features={wanted!r:.80}: give {FROM_DTYPE!r}, None, or a list of indices, names or flags."
        )
    if given.dtype.kind == "b":
        return _by_flags(given, n_variables)
    return sorted({_index(each, X, n_variables) for each in given.tolist()})


def _are_words(X: Any, j: int, word: str) -> bool:
    """Whether a column of objects holds words or truth values; an error if it holds words among other things."""
    if word != "object":
        return False
    present = [value for value in _distinct(column(X, j)) if not is_missing(value)]
    if any(isinstance(value, str) for value in present):
        _sorted(present, column_label(X, j))
        return True
    return bool(present) and all(isinstance(value, bool | np.bool_) for value in present)


def _by_flags(flags: Flags, n_variables: int) -> list[int]:
    if flags.size != n_variables:
        raise InvalidInput(f"categorical_features has {flags.size} flags; X has {n_variables} columns: give one each.")
    return np.flatnonzero(flags).tolist()


def _index(given: Any, X: Any, n_variables: int) -> int:
    """The place of a column that is given by its place or name."""
    if isinstance(given, str):
        names = column_names(X)
        if names is None:
            raise InvalidInput(f"categorical_features names {given!r}, but X has no names: give indices or flags.")
        if given not in names:
            raise InvalidInput(
                f"categorical_features names {given!r}, which X has not: it has {', '.join(map(str, names))}."
            )
        return names.index(given)
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or not 0 <= given < n_variables:
        raise InvalidInput(
            f"categorical_features has {given!r}: indices are whole numbers from 0 to {n_variables - 1}."
        )
    return int(given)


def learn_encoding(X: Any, categories: Sequence[int], n_variables: int, counted: Flags) -> Encoding | None:
    """Levels of the columns `categories` of the user's table, from the rows `counted` (n,); None without any."""
    if not categories:
        return None
    table, levels = as_columns(X), dict.fromkeys(range(n_variables))
    return Encoding(tuple((levels | {j: _levels(table, j, counted) for j in categories}).values()))


def _levels(table: Any, j: int, counted: Flags) -> Levels:
    """Levels of one column, or an error that names it."""
    distinct = _distinct(column(table, j)[counted])
    return levels_of(distinct, column_label(table, j), int(np.count_nonzero(counted)))


def levels_of(distinct: list[Any], label: str, n_rows: int, *, some: bool = False) -> Levels:
    """Levels from the values that differ among so many rows, or an error that names the column.

    `some`: there may be more values than those, which are too many already.
    """
    present = [value for value in distinct if not is_missing(value)]
    levels = Levels(np.array(_sorted(present, label)), missing=len(present) < len(distinct))
    most = min(MOST_LEVELS, max(2, n_rows // ROWS_PER_LEVEL))
    if levels.n_columns > most:
        raise InvalidInput(
            f"{label} has {'at least ' if some else ''}{levels.n_columns} levels in {n_rows} rows: a category may have "
            f"at most {most}, that is half as many as rows and no more than {MOST_LEVELS}. Merge rare levels, drop the "
            "column, or take it as a number (leave it out of categorical_features, or "
            "sklearn.preprocessing.TargetEncoder)."
        )
    return levels


def _distinct(values: Column) -> list[Any]:
    """Values that differ; all, where some are such that they cannot be compared."""
    if values.dtype.kind in "biuf":
        return list(np.unique(values).tolist())
    try:
        return list(set(values))
    except TypeError:  # lists or dictionaries
        return list(values)


def _sorted(present: list[Any], label: str) -> list[Any]:
    """Words or numbers in order; an error where they are neither, or both."""
    if all(isinstance(value, str) for value in present):
        return sorted(present)
    if all(isinstance(value, Real | np.bool_) and isfinite(value) for value in present):
        return sorted({float(value) for value in present})
    kinds = sorted({type(value).__name__ for value in present})
    raise InvalidInput(
        f"{label} is a category that holds {' and '.join(kinds)}: its levels must be all words or all finite "
        "numbers. Turn them into words, in pandas with .astype(str)."
    )


def told_unknown(X: Any, rows: dict[int, Integers]) -> str:
    """A sentence about the rows of the user's table X whose level is unknown, by column."""
    table = as_columns(X)
    return unlike_others(
        (column_label(table, j), column(table, j)[places].tolist(), places.size) for j, places in rows.items()
    )


def unlike_others(unknown: Iterable[tuple[str, Iterable[Any], int]]) -> str:
    """A sentence about levels that the fit has not seen: label of the column, values, number of rows."""
    parts = []
    for label, values, n_rows in unknown:
        distinct = sorted({repr(value) for value in values})
        shown = ", ".join(distinct[:SHOWN]) + (", …" if len(distinct) > SHOWN else "")
        parts.append(f"{label} has {shown} in {n_rows} row(s)")
    return f"The fit has not seen some levels, which are taken as unlike all others: {'; '.join(parts)}."
