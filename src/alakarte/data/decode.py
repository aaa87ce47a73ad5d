"""Arrow's columns as numbers, batch by batch, with the checks that arrays get.

In: a `Batch`. Out: arrays of numbers; levels of categories as `data/categories.py` numbers them, or, while they are
learned, in the order in which they came. An error names the file, the row group, the row and the column.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from alakarte.data.categories import MISSING, MOST_LEVELS, UNKNOWN, Levels, levels_of
from alakarte.data.columns import is_missing
from alakarte.data.read import IMPUTE, NEEDS_NUMBERS
from alakarte.data.sources import Batch, arrow
from alakarte.errors import InvalidInput
from alakarte.records import Array, Flags


def is_number(kind: Any) -> bool:
    """Whether values of an Arrow type are numbers or truth values."""
    types = arrow("pyarrow.types")
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind))


def fits_single(kind: Any) -> bool:
    """Whether float32 holds all values of an Arrow type exactly."""
    types = arrow("pyarrow.types")
    if types.is_integer(kind) or types.is_boolean(kind):
        return bool(kind.bit_width <= 16)
    return bool(types.is_float16(kind) or types.is_float32(kind))


class ColumnReader(ABC):
    """One column of a role: X, y or sample_weight."""

    def __init__(self, role: str, name: str, place: int = 0):
        self.role, self.name, self.place = role, name, place

    @property
    def label(self) -> str:
        """`column 1 ('age')`."""
        return f"column {self.place} ({self.name!r})"

    @abstractmethod
    def read(self, batch: Batch, kept: Flags | None) -> Array:
        """(rows,) numbers of a batch, of the rows `kept` where some are left out."""


class NumberReader(ColumnReader):
    """A column of finite numbers."""

    def check_type(self, kind: Any) -> None:
        """Raise InvalidInput where values are no numbers."""
        if not is_number(kind):
            raise InvalidInput(f"{self.role} holds {kind} in {self.label}. {NEEDS_NUMBERS}")

    def read(self, batch: Batch, kept: Flags | None) -> Array:
        """Numbers, all finite, also in rows that are left out."""
        column = batch.columns.column(self.name)
        if column.null_count:
            missing = np.asarray(column.is_null())
            raise self._bad("a missing value", batch, int(np.argmax(missing)))
        if arrow("pyarrow.types").is_decimal(column.type):
            column = column.cast(arrow().float64())
        values: Array = column.to_numpy(zero_copy_only=False)
        self._check_finite(values, batch)
        return values if kept is None else values[kept]

    def _check_finite(self, values: Array, batch: Batch) -> None:
        if values.dtype.kind != "f":
            return
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(values.sum(dtype=np.float64)):  # NaN and infinity survive a sum
                return
        wrong = ~np.isfinite(values)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise self._bad("NaN" if np.isnan(values[row]) else "infinity", batch, row)

    def _bad(self, what: str, batch: Batch, row: int) -> InvalidInput:
        cure = "Drop those rows, such as with filters=" + (f",{IMPUTE}" if self.role == "X" else ".")
        return InvalidInput(f"Input {self.role} contains {what}: first at {batch.place(row)}, {self.label}. {cure}")


class WeightReader(NumberReader):
    """A column of weights ≥ 0."""

    def read(self, batch: Batch, kept: Flags | None = None) -> Array:
        """Finite weights, none of them negative."""
        weight = np.asarray(super().read(batch, kept), dtype=np.float64)
        if (weight < 0).any():
            row = int(np.argmax(weight < 0))
            raise InvalidInput(
                f"sample_weight = {weight[row]} at {batch.place(row)}, {self.label}, is negative: weights are ≥ 0."
            )
        return weight


class CategoryReader(ColumnReader):
    """A column of levels, each of which is looked up once per batch."""

    def read(self, batch: Batch, kept: Flags | None) -> Array:
        """What levels are in a table of numbers."""
        column = batch.columns.column(self.name)
        if kept is not None:
            column = column.filter(arrow().array(kept))
        if not arrow("pyarrow.types").is_dictionary(column.type):
            column = column.dictionary_encode()
        distinct = [*column.dictionary.to_pylist(), None]
        places = column.indices.fill_null(len(distinct) - 1).to_numpy(zero_copy_only=False)
        present = np.unique(places)
        numbers = np.full(len(distinct), MISSING)
        numbers[present] = self.numbers([distinct[place] for place in present])
        return np.asarray(numbers[places])

    @abstractmethod
    def numbers(self, distinct: list[Any]) -> list[float]:
        """What levels are in a table of numbers."""


class NewLevels(CategoryReader):
    """Levels that are being learned: numbered in the order in which they come."""

    def __init__(self, role: str, name: str, place: int):
        super().__init__(role, name, place)
        self.seen: dict[Any, int] = {}
        self.missing = False
        self.n_rows = 0

    def read(self, batch: Batch, kept: Flags | None) -> Array:
        """Numbers in order of appearance."""
        codes = super().read(batch, kept)
        self.n_rows += len(codes)
        if len(self.seen) > MOST_LEVELS:
            self.levels()  # which says so
        return codes

    def numbers(self, distinct: list[Any]) -> list[float]:
        """Each level that has not come before gets the next number."""
        numbers = []
        for value in distinct:
            missing = is_missing(value)
            self.missing |= missing
            numbers.append(MISSING if missing else float(self.seen.setdefault(value, len(self.seen))))
        return numbers

    def levels(self) -> Levels:
        """All levels, in their order."""
        return levels_of([*self.seen, *([None] if self.missing else [])], self.label, self.n_rows)

    def renumbered(self, codes: Array, levels: Levels) -> Array:
        """What these levels are in a table of numbers, from numbers in order of appearance (rows,)."""
        table = np.append(levels.numbered(np.array([*self.seen, None], dtype=object))[:-1], MISSING)
        return np.asarray(table[np.where(codes == MISSING, len(self.seen), codes).astype(np.intp)])


class KnownLevels(CategoryReader):
    """Levels of a fit; others are counted."""

    def __init__(self, role: str, name: str, place: int, levels: Levels):
        super().__init__(role, name, place)
        self.levels = levels
        self.unknown: set[Any] = set()
        self.n_unknown = 0

    def read(self, batch: Batch, kept: Flags | None) -> Array:
        """Numbers of the fit."""
        codes = super().read(batch, kept)
        self.n_unknown += int(np.count_nonzero(self.levels.places(codes) < 0))
        return codes

    def numbers(self, distinct: list[Any]) -> list[float]:
        """Those of the fit; what it has not seen stands apart."""
        objects = np.empty(len(distinct), dtype=object)
        objects[:] = distinct
        numbers: list[float] = self.levels.numbered(objects).tolist()
        for value, number in zip(distinct, numbers, strict=True):
            if number == UNKNOWN or (number == MISSING and not self.levels.missing):
                self.unknown.add(value)
        return numbers
