"""How the columns of a table on disk become numbers: kind, levels and fill value of each, learned once and kept.

In: columns by name, arrays of numbers, of dates, or of words and None. Out: `Schema`, which makes a table of numbers
(rows, variables) of any further part of such a table. A date becomes days since 1970; a missing number its median, with
a column beside it that says so; a word its place among the levels. Knows no files and no estimators.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import quote
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from alakarte.data.categories import MOST_LEVELS
from alakarte.errors import InvalidInput
from alakarte.records import Array, Flags

RawColumn: TypeAlias = NDArray[Any]  # (rows,) float64, datetime64, or objects that are words or None
NUMBER, DATE, CATEGORY = "number", "date", "category"
NO_VALUE = frozenset(("", "na", "n/a", "nan", "null", "none"))  # words that stand for no value, in lower case
UNKNOWN = -1.0  # the place of a word that is no level
_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True)
class ColumnSchema:
    """One column of a table on disk."""

    name: str
    kind: str  # NUMBER, DATE or CATEGORY
    levels: tuple[str, ...] = ()  # of a category, in order
    fill: float = 0.0  # what a missing number or date becomes
    indicator: bool = False  # whether a column beside it says where values are missing

    def numbers(self, values: RawColumn) -> Array:
        """(rows,) as numbers, NaN where there is no value; InvalidInput for what is of another kind."""
        if self.kind == CATEGORY:
            return self._places(words(values))
        if values.dtype.kind == "O":
            parsed = _parsed(values, self.kind)
            if isinstance(parsed, str):
                raise InvalidInput(f"column {self.name!r} has {parsed!r:.60}, which is no {self.kind}")
            return parsed
        if (values.dtype.kind == "M") != (self.kind == DATE):
            raise InvalidInput(
                f"column {self.name!r} holds {_kind_of(values)}s; the model has learned it as a {self.kind}"
            )
        return _days(values) if self.kind == DATE else values

    def _places(self, values: RawColumn) -> Array:
        """(rows,) places among the levels; NaN: no value; −1: a word that is none of them."""
        known: dict[Any, float] = {level: float(place) for place, level in enumerate(self.levels)}
        known[None] = np.nan
        distinct = {word: known.get(word, UNKNOWN) for word in set(values)}
        return np.fromiter((distinct[word] for word in values), dtype=np.float64, count=len(values))


@dataclass(frozen=True)
class Schema:
    """The columns that a model reads, in order, and the one that it predicts."""

    columns: tuple[ColumnSchema, ...]
    target: str

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variables: columns, each with its indicator behind it."""
        return tuple(
            name
            for column in self.columns
            for name in ([column.name, f"{column.name} is missing"] if column.indicator else [column.name])
        )

    def variable(self, place: int) -> tuple[ColumnSchema, bool]:
        """The column that a variable comes from, and whether it is the indicator behind it."""
        every = [(column, flag) for column in self.columns for flag in (False, True)[: 1 + column.indicator]]
        return every[place]

    @property
    def categories(self) -> list[int]:
        """Which of the variables are categories."""
        kinds = [kind for column in self.columns for kind in [column.kind, *[NUMBER] * column.indicator]]
        return [place for place, kind in enumerate(kinds) if kind == CATEGORY]

    def table(self, raw: Mapping[str, RawColumn]) -> Array:
        """(rows, variables) numbers from columns by name."""
        if missing := [column.name for column in self.columns if column.name not in raw]:
            raise InvalidInput(f"column {missing[0]!r} is not there, which the model reads")
        n_rows = len(next(iter(raw.values())))
        table, place = np.empty((n_rows, len(self.names))), 0
        for column in self.columns:
            values = column.numbers(raw[column.name])
            table[:, place] = values
            if column.kind != CATEGORY:
                self._fill(column, values, table[:, place : place + 1 + column.indicator])
            place += 1 + column.indicator
        return table

    def _fill(self, column: ColumnSchema, values: Array, out: Array) -> None:
        """Write the fill value, and the indicator (rows, 2) where there is one, for what is missing."""
        is_whole = bool(np.isfinite(values).all())
        if column.indicator:
            out[:, 1] = 0.0 if is_whole else np.isnan(values)
        if not is_whole:
            _check_finite(column.name, values)
            out[np.isnan(values), 0] = column.fill

    def unknown(self, table: Array) -> dict[str, int]:
        """How many rows of a table of numbers (rows, variables) have a word that the fit has not seen, by column."""
        names = (column.name for column in self.columns if column.kind == CATEGORY)
        counts = {
            name: np.count_nonzero(table[:, j] == UNKNOWN) for j, name in zip(self.categories, names, strict=True)
        }
        return {name: int(count) for name, count in counts.items() if count}


def learn_schema(raw: Mapping[str, RawColumn], target: str) -> Schema:
    """The schema of a training table, from all columns but the target."""
    return Schema(tuple(_learned(name, values) for name, values in raw.items() if name != target), target)


def _learned(name: str, values: RawColumn) -> ColumnSchema:
    """Kind of a column: numbers or dates where all values are, else a category."""
    for kind in (NUMBER, DATE):
        numbers = _as_kind(values, kind)
        if numbers is not None:
            _check_finite(name, numbers)
            gaps = np.isnan(numbers)
            if gaps.all():
                raise InvalidInput(f"column {name!r} has no value at all: leave it out with --drop {quote(name)}")
            return ColumnSchema(name, kind, fill=float(np.median(numbers[~gaps])), indicator=bool(gaps.any()))
    levels = sorted({word for word in words(values) if word is not None})
    if len(levels) > MOST_LEVELS:
        raise InvalidInput(
            f"column {name!r} has {len(levels)} different words, such as {levels[0]!r:.40}; a category has at most "
            f"{MOST_LEVELS}: leave it out with --drop {quote(name)}"
        )
    return ColumnSchema(name, CATEGORY, levels=tuple(levels))


def _as_kind(values: RawColumn, kind: str) -> Array | None:
    """A column as numbers of that kind; None where it is of another."""
    if values.dtype.kind == "O":
        parsed = _parsed(values, kind)
        return None if isinstance(parsed, str) else parsed
    if _kind_of(values) != kind:
        return None
    return _days(values) if kind == DATE else values


def _kind_of(values: RawColumn) -> str:
    return {"M": DATE, "O": CATEGORY}.get(values.dtype.kind, NUMBER)


def words(values: RawColumn) -> RawColumn:
    """(rows,) words and None: numbers as they are written, whole ones without a point."""
    if values.dtype.kind == "O":
        return np.array([None if _is_gap(word) else word for word in values], dtype=object)
    if values.dtype.kind == "M":
        return np.array([None if np.isnat(date) else str(date) for date in values], dtype=object)
    listed = values.tolist()
    return np.array([None if x != x else str(int(x)) if x == int(x) else repr(x) for x in listed], dtype=object)


def gaps(values: RawColumn) -> Flags:
    """(rows,) where there is no value."""
    if values.dtype.kind == "O":
        return np.fromiter((_is_gap(word) for word in values), dtype=bool, count=len(values))
    return np.asarray(np.isnat(values) if values.dtype.kind == "M" else np.isnan(values))


def _is_gap(word: Any) -> bool:
    return word is None or word.strip().lower() in NO_VALUE


def _parsed(values: Iterable[Any], kind: str) -> Array | str:
    """(rows,) numbers or days of words, NaN where there is no value; the first word that is neither."""
    read = float if kind == NUMBER else _day
    distinct: dict[Any, float] = {}
    for word in set(values):
        try:
            distinct[word] = np.nan if _is_gap(word) else read(word)
        except ValueError:
            return str(word)
    return np.fromiter((distinct[word] for word in values), dtype=np.float64)


def _day(word: str) -> float:
    """Days since 1970 of a date, or of a date with a time, as ISO 8601 writes them."""
    moment = datetime.fromisoformat(word.strip())
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.timestamp() / 86400


def _days(values: RawColumn) -> Array:
    """(rows,) days since 1970, NaN where there is no date."""
    days = (values - np.datetime64("1970-01-01")) / _DAY
    return np.asarray(days, dtype=np.float64)


def _check_finite(name: str, values: Array) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        raise InvalidInput(
            f"column {name!r} has an infinite value in row {int(np.argmax(infinite)) + 1}: drop that row"
        )
