"""Numbers of a table that was read once, on disk: later passes map them into memory.

In: blocks of rows, one after the other. Out: arrays that are mapped. A spool without a name has no entry in its
directory: it is gone when nobody maps it any more, also after a crash. One with a name is written under another, and
renamed when it is whole.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike

from alakarte.records import Array

WRITING = ".alakarte-writing-"  # how directories of spools that are not whole begin
_DESCRIPTION = "spool.json"


class Column:
    """Rows of one shape and type, appended to a file."""

    def __init__(self, file: IO[bytes], directory: str, width: int | None, dtype: DTypeLike):
        self.file, self.directory, self.width, self.dtype = file, directory, width, np.dtype(dtype)
        self.n_rows = 0

    def append(self, rows: Array) -> None:
        """Add rows (k,) or (k, width)."""
        block = np.ascontiguousarray(rows, dtype=self.dtype)
        with told_where_full(self.directory):
            self.file.write(block.data.cast("B") if block.size else b"")
        self.n_rows += len(rows)

    def mapped(self, mode: Any = "r") -> Array:
        """(n,) or (n, width), mapped; of no rows, an empty array."""
        with told_where_full(self.directory):
            self.file.flush()
        return _map(self.file, self.n_rows, self.width, self.dtype, mode)


@contextmanager
def told_where_full(directory: str) -> Iterator[None]:
    """Within it, errors of the disk name the directory and the cure."""
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno,
            f"The spool of this table cannot be written to {directory} ({error.strerror}): give scan_parquet a "
            "cache_dir with enough room, or fewer columns or rows",
        ) from error


def _map(file: Any, n_rows: int, width: int | None, dtype: Any, mode: Any = "r") -> Array:
    shape = (n_rows,) if width is None else (n_rows, width)
    if n_rows == 0:
        return np.empty(shape, dtype)
    return np.memmap(file, dtype=dtype, mode=mode, shape=shape)


class Spool:
    """Columns by name, all with the same rows; without a name, or to be kept under one."""

    def __init__(self, directory: str | None, name: str | None = None):
        self.directory = tempfile.gettempdir() if directory is None else directory
        self.name = name
        self.folder: Path | None = None
        self.columns: dict[str, Column] = {}
        if name is not None:
            with told_where_full(self.directory):
                self.folder = Path(tempfile.mkdtemp(prefix=WRITING, dir=self.directory))

    def column(self, name: str, width: int | None, dtype: DTypeLike) -> Column:
        """A new column."""
        with told_where_full(self.directory):
            if self.folder is None:
                file: Any = tempfile.TemporaryFile(dir=self.directory)  # noqa: SIM115
            else:
                file = open(self.folder / name, "w+b")  # noqa: SIM115
        self.columns[name] = Column(file, self.directory, width, dtype)
        return self.columns[name]

    def keep(self, description: dict[str, Any]) -> None:
        """Leave it under its name, where it has one, with words that describe it."""
        if self.folder is None or self.name is None:
            return
        columns = {name: (each.n_rows, each.width, each.dtype.name) for name, each in self.columns.items()}
        with told_where_full(self.directory):
            for column in self.columns.values():
                column.file.flush()
                os.fsync(column.file.fileno())
            text = json.dumps({"columns": columns, "description": description})
            (self.folder / _DESCRIPTION).write_text(text, encoding="utf-8")
        target = Path(self.directory) / self.name
        if kept_spool(self.directory, self.name) is None:  # what stands there is damaged
            shutil.rmtree(target, ignore_errors=True)
        with suppress(OSError):  # somebody else has written the same
            os.rename(self.folder, target)

    def close(self) -> None:
        """Close the files: what is mapped stays so, what was not kept is removed."""
        for column in self.columns.values():
            with suppress(OSError):  # a full disk has been told already
                column.file.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def kept_spool(directory: str, name: str) -> tuple[dict[str, Array], dict[str, Any]] | None:
    """Columns and description of a spool that is whole; None where there is none."""
    folder = Path(directory) / name
    try:
        told = json.loads((folder / _DESCRIPTION).read_text(encoding="utf-8"))
        arrays = {
            each: _map(folder / each, n_rows, width, np.dtype(dtype))
            for each, (n_rows, width, dtype) in told["columns"].items()
        }
    except (OSError, ValueError, KeyError):
        return None
    return arrays, told["description"]
