"""What a user gave with a scanned X: targets and weights, columns of the same scan or arrays.

In: X, y and sample_weight. Out: `Roles`, which reads all of them in one pass and writes rows with a weight to a spool.
"""

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import closing
from numbers import Real
from typing import Any

import numpy as np

from alakarte.data.decode import ColumnReader, NumberReader, WeightReader, fits_single, is_number
from alakarte.data.read import check_finite, check_target_shape, read_target, read_weight
from alakarte.data.scan import Scan
from alakarte.data.sources import Batch, arrow
from alakarte.data.spool import Spool
from alakarte.errors import InvalidInput
from alakarte.execution.progress import Progress
from alakarte.records import Array, Flags

_VERSION = 1  # of a spool
_SPEAK = 1.0  # seconds between two lines about the reading


class Role(ABC):
    """Numbers of one role, batch by batch: X, y or sample_weight."""

    dtype: Any
    width: int | None  # None: one number per row

    @abstractmethod
    def rows(self, batch: Batch, kept: Flags | None) -> Array:
        """(rows,) or (rows, width) numbers of a batch, of the rows `kept` where some are left out."""


class ScannedRole(Role):
    """Columns of a scan; float32 where that holds all their values exactly."""

    def __init__(self, scan: Scan, readers: Sequence[ColumnReader]):
        self.scan, self.readers = scan, readers
        self.width = None if scan.is_column else len(readers)
        kinds = [kind for kind in scan.schema.types if is_number(kind)]
        self.dtype = np.dtype(np.float32 if all(map(fits_single, kinds)) else np.float64)

    def rows(self, batch: Batch, kept: Flags | None) -> Array:
        """Decoded and checked."""
        if self.width is None:
            return self.readers[0].read(batch, kept)
        n_rows = batch.n_rows if kept is None else int(np.count_nonzero(kept))
        table = np.empty((n_rows, self.width), self.dtype)
        for j, reader in enumerate(self.readers):
            table[:, j] = reader.read(batch, kept)
        return table


class ArrayRole(Role):
    """An array in memory, one entry per row of the scan."""

    def __init__(self, name: str, values: Array):
        self.name, self.values, self.dtype = name, values, values.dtype
        self.width = values.shape[1] if values.ndim == 2 else None

    def rows(self, batch: Batch, kept: Flags | None) -> Array:
        """Its entries of these rows."""
        part = self.values[batch.first : batch.first + batch.n_rows]
        if len(part) < batch.n_rows:
            raise InvalidInput(f"{self.name} has {len(self.values)} entries, X has more rows: give one for each row.")
        return part if kept is None else part[kept]

    def check_length(self, n_rows: int) -> None:
        """Raise InvalidInput where there are more entries than rows."""
        if len(self.values) != n_rows:
            raise InvalidInput(f"{self.name} has {len(self.values)} entries, X has {n_rows} rows: give one for each.")


class Roles:
    """X, a scan; y and weights, columns of the same scan or arrays."""

    def __init__(self, X: Scan, readers: Sequence[ColumnReader], y: Any, sample_weight: Any):
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            if isinstance(values, Scan) and values.source is not X.source:
                raise InvalidInput(f"X and {name} are scans of different tables: take both from one scan.")
        self.roles: dict[str, Role] = {"X": ScannedRole(X, readers), "y": _targets(y)}
        if not isinstance(sample_weight, Real | None):
            self.roles["weight"] = _weights(sample_weight)

    @property
    def scans(self) -> list[Scan]:
        """Of all roles that are scanned."""
        return [role.scan for role in self.roles.values() if isinstance(role, ScannedRole)]

    def fingerprint(self, categories: list[int]) -> str | None:
        """The name under which a spool of this is kept; None where nothing tells it from others."""
        of_source = self.scans[0].source.fingerprint()
        if of_source is None or len(self.scans) < len(self.roles):
            return None
        columns = [(scan.columns, scan.is_column) for scan in self.scans]
        told = repr((_VERSION, of_source, list(self.roles), columns, categories))
        return "alakarte-" + hashlib.sha256(told.encode()).hexdigest()[:32]

    def write(self, spool: Spool, verbose: int) -> dict[str, Array]:
        """Read and check all rows, write those with a weight; arrays by role, mapped."""
        columns = {name: spool.column(name, role.width, role.dtype) for name, role in self.roles.items()}
        weights, n_rows = self.roles.get("weight"), 0
        for batch in read_batches(self.scans, verbose):
            n_rows = batch.first + batch.n_rows
            weight = None if weights is None else weights.rows(batch, None)
            kept = None if weight is None or (weight > 0).all() else weight > 0
            for name, role in self.roles.items():
                columns[name].append(role.rows(batch, kept))
        for role in self.roles.values():
            if isinstance(role, ArrayRole):
                role.check_length(n_rows)
        return {name: column.mapped() for name, column in columns.items()}


def number_readers(name: str, scan: Scan) -> list[NumberReader]:
    """One per column, or an error where a column holds no numbers."""
    return [number_reader(name, scan, j) for j in range(len(scan.columns))]


def number_reader(name: str, scan: Scan, j: int) -> NumberReader:
    """Of one column, or an error where it holds no numbers."""
    reader = (WeightReader if name == "sample_weight" else NumberReader)(name, scan.columns[j], j)
    reader.check_type(scan.schema.types[j])
    return reader


def _targets(y: Any) -> Role:
    if isinstance(y, Scan):
        return ScannedRole(y, number_readers("y", y))
    if y is None:
        raise InvalidInput("y is None: this estimator requires y to be passed, but the target y is None.")
    values = read_target(y)
    check_target_shape(values)
    check_finite(values, "y", y)
    return ArrayRole("y", values)


def _weights(sample_weight: Any) -> Role:
    if not isinstance(sample_weight, Scan):
        return ArrayRole("sample_weight", read_weight(sample_weight, np.asarray(sample_weight)))
    if not sample_weight.is_column:
        raise InvalidInput("sample_weight is a table: give one column, such as table['hours'].")
    role = ScannedRole(sample_weight, number_readers("sample_weight", sample_weight))
    role.dtype = np.dtype(np.float64)
    return role


def read_batches(scans: Sequence[Scan], verbose: int) -> Iterator[Batch]:
    """All rows of the columns of scans of one table; says about once per second how far it is."""
    source = scans[0].source
    names = list(dict.fromkeys(name for scan in scans for name in scan.columns))
    with closing(Progress(verbose, lambda nlml, total: nlml)) as progress:
        of_all = f" of {source.count_rows():,}" if verbose and source.fingerprint() is not None else ""
        spoke = time.perf_counter()
        n_rows = 0
        for batch in source.batches(names):
            yield batch
            n_rows = batch.first + batch.n_rows
            if time.perf_counter() - spoke >= _SPEAK:
                spoke = time.perf_counter()
                progress.say(f"reading {source.describe()}: {n_rows:,}{of_all} rows")
        progress.say(f"read {n_rows:,} rows of {source.describe()}")
    arrow().default_memory_pool().release_unused()
    if n_rows == 0:
        raise InvalidInput(f"{source.describe()} has no rows, or none that pass the filter: give at least one.")
