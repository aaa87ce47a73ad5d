"""Tables on disk, read and written part by part: CSV, Parquet and Feather.

In: a path. Out: parts of a table, columns by name; and back. CSV needs nothing but Python, the others need pyarrow.
Memory does not grow with the file.
"""

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from alakarte.cli.mistakes import Mistake
from alakarte.data.schema import RawColumn

Part: TypeAlias = dict[str, RawColumn]
PART_ROWS = 1 << 16
PARQUET, FEATHER = (".parquet", ".pq"), (".feather", ".arrow")
TABLES = (".csv", *PARQUET, *FEATHER)
T = TypeVar("T")


def parts(path: Path, wanted: Sequence[str] | None = None) -> Iterator[Part]:
    """Parts of a table, in order; of the columns `wanted`, where these are there."""
    if not path.exists():
        raise Mistake(f"{path}: there is no such file. Check the path.")
    if path.is_dir():
        raise Mistake(f"{path}: is a folder. Give a CSV, Parquet or Feather file.")
    read = _read_arrow if path.suffix.lower() in PARQUET + FEATHER else _read_csv
    return read(path, wanted)


def whole(path: Path) -> Part:
    """All of a table."""
    found = list(parts(path))
    if not found:
        raise Mistake(f"{path}: has no rows below its header.")
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def _read_csv(path: Path, wanted: Sequence[str] | None) -> Iterator[Part]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = file.readline()
            delimiter = max(",;\t", key=header.count)
            lines = csv.reader(chain([header], file), delimiter=delimiter, strict=True)
            names = _checked_names(path, next(lines, []))
            keep = [place for place, name in enumerate(names) if wanted is None or name in wanted]
            while rows := [row for row in islice(lines, PART_ROWS) if row]:
                uneven = next((row for row in rows if len(row) != len(names)), None)
                if uneven is not None:
                    raise Mistake(
                        f"{path}: a row near line {lines.line_num} has {len(uneven)} fields, the header {len(names)}. "
                        "Check quotes and delimiters."
                    )
                columns = list(zip(*rows, strict=True))
                yield {names[place]: np.array(columns[place], dtype=object) for place in keep}
    except UnicodeDecodeError:
        raise Mistake(
            f"{path}: is no text in UTF-8. Give a CSV file in UTF-8, or Parquet with its own suffix."
        ) from None
    except csv.Error as error:
        raise Mistake(f"{path}: is no CSV: {error}.") from None


def _checked_names(path: Path, names: list[str]) -> list[str]:
    """The names of a header, which differ."""
    names = [name.strip() for name in names]
    if not any(names):
        raise Mistake(f"{path}: is empty. Give a table with a header of names.")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Mistake(f"{path}: has two columns of the name {twice!r}. Rename one of them.")
    return names


def arrow(path: Path) -> Any:
    """The package pyarrow, or the mistake that it is not there."""
    try:
        import pyarrow
    except ImportError:
        raise Mistake(
            f'{path}: Parquet and Feather need pyarrow: pip install "alakarte[parquet]", or give a CSV file.'
        ) from None
    return pyarrow


def _read_arrow(path: Path, wanted: Sequence[str] | None) -> Iterator[Part]:
    pyarrow = arrow(path)
    with ExitStack() as stack:
        try:
            names, batches = _batches(path, wanted, stack)
        except pyarrow.ArrowInvalid:
            raise Mistake(f"{path}: is no file of the kind that its suffix says.") from None
        _checked_names(path, list(names))
        for batch in batches:
            for start in range(0, batch.num_rows, PART_ROWS):
                some = batch.slice(start, PART_ROWS)
                yield {name: _values(path, name, some.column(name)) for name in some.schema.names}


def _batches(path: Path, wanted: Sequence[str] | None, stack: ExitStack) -> tuple[list[str], Iterator[Any]]:
    """Names of all columns, and batches of those wanted."""
    if path.suffix.lower() in PARQUET:
        from pyarrow.parquet import ParquetFile

        file = stack.enter_context(ParquetFile(path, pre_buffer=False))
        names = list(file.schema_arrow.names)
        keep = None if wanted is None else [name for name in names if name in wanted]
        return names, file.iter_batches(batch_size=PART_ROWS, columns=keep)
    from pyarrow import ipc, memory_map

    reader = ipc.open_file(stack.enter_context(memory_map(str(path))))
    names = list(reader.schema.names)
    keep = names if wanted is None else [name for name in names if name in wanted]
    return names, (reader.get_batch(i).select(keep) for i in range(reader.num_record_batches))


def _values(path: Path, name: str, column: Any) -> RawColumn:
    """One column of Arrow as numbers, dates, or words."""
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if types.is_boolean(kind) or types.is_string(kind) or types.is_large_string(kind):
        values = np.empty(len(column), dtype=object)
        values[:] = [None if word is None else str(word) for word in column.to_pylist()]
        return values
    if types.is_date(kind) or types.is_timestamp(kind):
        return np.asarray(column.cast("timestamp[us]").to_numpy(zero_copy_only=False))
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return np.asarray(column.cast("float64", safe=False).to_numpy(zero_copy_only=False))
    raise Mistake(f"{path}: column {name!r} is of type {kind}, which is neither number, date nor word. Leave it out.")


def ahead(made: Iterator[T]) -> Iterator[T]:
    """The same, each made on another thread while the one before is worked on."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, made, None)
        while (part := coming.result()) is not None:
            coming = pool.submit(next, made, None)
            yield part


def check_place(path: Path, suffixes: Sequence[str] = ()) -> None:
    """Raise Mistake where a file cannot be written, or where its suffix says another kind than those."""
    if not path.parent.is_dir():
        raise Mistake(f"{path}: there is no folder {str(path.parent)!r}. Make it first.")
    if path.is_dir():
        raise Mistake(f"{path}: is a folder. Give the name of a file in it.")
    if suffixes and path.suffix.lower() not in suffixes:
        raise Mistake(f"{path}: {path.suffix or 'no suffix'} says no kind of table. Use {', '.join(suffixes)}.")


class Writer:
    """Writes a table part by part, to standard output, or beside a file whose place it takes when all is written.

    On a thread of its own: the next part is made while one is written.
    """

    def __init__(self, path: Path | None):
        if path is not None:
            check_place(path, TABLES)
        self.path = path
        self._pool = ThreadPoolExecutor(1)
        self._pending: Future[None] | None = None
        self._beside = None if path is None else path.with_name(f".{path.name}.tmp")
        self._stack = ExitStack()
        self._file: Any = None
        self._arrow: Any = None

    def __enter__(self) -> "Writer":
        return self

    def write(self, part: Mapping[str, RawColumn]) -> None:
        """Append rows; all parts have the same columns. Raises what went wrong with the part before."""
        self._wait()
        self._pending = self._pool.submit(self._write, part)

    def _wait(self) -> None:
        """Until all is written that was asked for."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()

    def _write(self, part: Mapping[str, RawColumn]) -> None:
        if self.path is not None and self.path.suffix.lower() in PARQUET + FEATHER:
            self._write_arrow(self.path, part)
        else:
            self._write_csv(part)

    def _write_csv(self, part: Mapping[str, RawColumn]) -> None:
        if self._file is None:
            place = sys.stdout if self._beside is None else self._stack.enter_context(_opened(self._beside))
            self._file = csv.writer(place, lineterminator="\n")
            self._file.writerow(part)
        self._file.writerows(zip(*(column.tolist() for column in part.values()), strict=True))

    def _write_arrow(self, path: Path, part: Mapping[str, RawColumn]) -> None:
        pyarrow = arrow(path)
        batch = pyarrow.record_batch([pyarrow.array(column) for column in part.values()], names=list(part))
        if self._arrow is None:
            self._arrow = self._stack.enter_context(_arrow_writer(path, self._beside, batch.schema))
        self._arrow.write_batch(batch)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._wait()
        except BaseException as failure:
            kind = type(failure)
            raise
        finally:
            self._pool.shutdown()
            self._stack.close()
            self._settle(whole=kind is None)

    def _settle(self, *, whole: bool) -> None:
        """Give the file its place, or remove it."""
        if self.path is None or self._beside is None:
            return
        if whole and self._beside.exists():
            self._beside.replace(self.path)
        self._beside.unlink(missing_ok=True)


def _opened(path: Path) -> Any:
    return path.open("w", encoding="utf-8", newline="")


def _arrow_writer(path: Path, beside: Path | None, schema: Any) -> Any:
    """A writer of batches into the file beside `path`, of the kind that its suffix says."""
    if path.suffix.lower() in PARQUET:
        from pyarrow.parquet import ParquetWriter
        from pyarrow.types import is_floating

        words = [field.name for field in schema if not is_floating(field.type)]  # numbers hardly repeat
        return ParquetWriter(beside, schema, use_dictionary=words or False)
    from pyarrow import ipc

    return ipc.new_file(str(beside), schema)
