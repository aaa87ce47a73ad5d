"""Where the rows of a scan lie: Parquet files, or whatever speaks Arrow's C stream.

In: paths, or an Arrow table or stream. Out: `Source`: a schema, and batches of columns with the place that each came
from. Does not look at values. A file that is not what it was when it was scanned is refused by name.
"""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from alakarte.errors import InvalidInput

BATCH_ROWS = 1 << 16
READ_AHEAD = 4  # batches that are decoded before they are asked for


def arrow(module: str = "pyarrow") -> Any:
    """A module of pyarrow, or an error that names the extra."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            "Parquet files and Arrow streams are read by pyarrow, which is not installed: pip install "
            "'alakarte[parquet]'."
        ) from error


@dataclass(frozen=True)
class Batch:
    """Some rows as Arrow columns, and where they come from."""

    columns: Any  # a record batch
    source: "Source"
    part: Any  # a fragment of the source
    start: int  # place of the first row within that part
    first: int  # the same among all rows

    @property
    def n_rows(self) -> int:
        """Rows."""
        return int(self.columns.num_rows)

    def place(self, row: int) -> str:
        """Where a row of this batch lies, in words."""
        return self.source.place(self.part, self.start + row)


class Source(ABC):
    """Rows that are read batch by batch, each time in the same order."""

    schema: Any  # of Arrow

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """All rows of these columns."""

    @abstractmethod
    def place(self, part: Any, row: int) -> str:
        """Where a row of a part lies, in words."""

    @abstractmethod
    def count_rows(self) -> int:
        """Rows in all."""

    @abstractmethod
    def fingerprint(self) -> tuple[object, ...] | None:
        """What tells these rows from others without reading them; None where nothing does."""

    @abstractmethod
    def describe(self) -> str:
        """What it is, in words."""


@dataclass(frozen=True)
class ParquetSource(Source):
    """Parquet files, as a data set of pyarrow, and those of its rows that pass a filter."""

    dataset: Any
    filter: Any = None
    files: dict[str, tuple[int, str]] = field(init=False)  # bytes and time of the last change, when scanned

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", self._files_now())

    @property
    def schema(self) -> Any:
        """Of the data set."""
        return self.dataset.schema

    def _files_now(self) -> dict[str, tuple[int, str]]:
        infos = self.dataset.filesystem.get_file_info(self.dataset.files)
        return {info.path: (info.size or 0, str(info.mtime_ns)) for info in infos}

    def check_unchanged(self) -> None:
        """Raise InvalidInput where a file is not what it was when it was scanned."""
        for path, now in self._files_now().items():
            before = self.files[path]
            if now != before:
                raise InvalidInput(
                    f"{path} has changed since it was scanned: it had {before[0]} bytes, now it has {now[0]}. Scan it "
                    "again, and leave it as it is during a fit."
                )

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """File by file, in the order of the data set."""
        self.check_unchanged()
        first = 0
        for fragment in self.dataset.get_fragments(filter=self.filter):
            start = 0
            with self._explained(fragment.path):
                self._check_columns(fragment, names)
                scanner = fragment.scanner(
                    schema=self.dataset.schema,
                    columns=list(names),
                    filter=self.filter,
                    batch_size=BATCH_ROWS,
                    batch_readahead=READ_AHEAD,
                    use_threads=True,
                )
                reader = iter(scanner.to_batches())
            while True:
                with self._explained(fragment.path):
                    columns = next(reader, None)
                if columns is None:
                    break
                yield Batch(columns, self, fragment, start, first)
                start += columns.num_rows
                first += columns.num_rows
        self.check_unchanged()

    def _check_columns(self, fragment: Any, names: Sequence[str]) -> None:
        """Raise InvalidInput where a file lacks a column that other files have."""
        of_folders = arrow("pyarrow.dataset").get_partition_keys(fragment.partition_expression)
        for name in names:
            if name not in of_folders and name not in fragment.physical_schema.names:
                raise InvalidInput(
                    f"{fragment.path} has no column {name!r}, which other files have: leave that file or that column "
                    "out."
                )

    @contextmanager
    def _explained(self, path: str) -> Iterator[None]:
        """Within it, errors of pyarrow name the file and the cure."""
        try:
            yield
        except InvalidInput:
            raise
        except (OSError, arrow().ArrowException) as error:
            self.check_unchanged()
            raise InvalidInput(
                f"{path} cannot be read as Parquet: {error}. Write that file again, or leave it out."
            ) from (error)

    def place(self, part: Any, row: int) -> str:
        """`part-3.parquet, row group 7, row 12`."""
        for piece in part.split_by_row_group(filter=self.filter, schema=self.dataset.schema):
            group = piece.row_groups[0]
            n_rows = group.num_rows if self.filter is None else piece.count_rows(filter=self.filter)
            if row < n_rows:
                kept = "" if self.filter is None else " of those that pass the filter"
                return f"{part.path}, row group {group.id}, row {row}{kept}"
            row -= n_rows
        return str(part.path)

    def count_rows(self) -> int:
        """From the ends of the files, unless there is a filter."""
        return int(self.dataset.count_rows(filter=self.filter))

    def fingerprint(self) -> tuple[object, ...]:
        """Names, sizes and times of the files, schema and filter."""
        return (*sorted(self.files.items()), str(self.dataset.schema), str(self.filter))

    def describe(self) -> str:
        """Name or number of the files."""
        files = list(self.files)
        return files[0] if len(files) == 1 else f"{len(files)} Parquet files"


@dataclass
class ArrowSource(Source):
    """A table that speaks Arrow's C stream, or a stream, which is read once."""

    data: Any
    schema: Any
    is_stream: bool
    used: bool = False

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """As they come."""
        if self.is_stream and self.used:
            raise InvalidInput(
                "This stream has been read, and a stream can be read once: give the table that it came from, or write "
                "it to Parquet and use scan_parquet."
            )
        self.used = True
        reader = arrow().RecordBatchReader.from_stream(self.data)
        start = 0
        for batch in reader:
            for low in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(low, BATCH_ROWS)
                yield Batch(part.select(list(names)), self, None, start, start)
                start += part.num_rows

    def place(self, part: Any, row: int) -> str:
        """`row 12`."""
        return f"row {row}"

    def count_rows(self) -> int:
        """By reading one column, where it is no stream."""
        if self.is_stream:
            raise InvalidInput("A stream does not tell how many rows it has: give a table, or write it to Parquet.")
        return sum(batch.n_rows for batch in self.batches(self.schema.names[:1]))

    def fingerprint(self) -> None:
        """Nothing tells it from others."""
        return

    def describe(self) -> str:
        """The kind of the object."""
        return type(self.data).__name__
