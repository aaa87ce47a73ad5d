"""Tables that are read when a fit or a prediction needs them: `scan_parquet` and `scan_arrow`.

In: paths of Parquet files, or whatever speaks Arrow's C stream. Out: `Scan`, a lazy table with `[columns]` and
`["column"]`. Nothing but names and types is read here.
"""

import fnmatch
import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from alakarte.data.sources import ArrowSource, ParquetSource, Source, arrow
from alakarte.errors import InvalidInput

_WILD = "*?["


@dataclass(frozen=True)
class Scan:
    """Columns of a table that lies elsewhere; one column where it was asked for by its name alone.

    Made by `scan_parquet` and `scan_arrow`; `table[["a", "b"]]` and `table["a"]` are scans of fewer columns.
    """

    source: Source
    columns: tuple[str, ...]
    is_column: bool = False
    cache_dir: str | None = None

    def __getitem__(self, wanted: str | Sequence[str]) -> "Scan":
        """One column by its name, or a table of some columns by a list of names."""
        names = [wanted] if isinstance(wanted, str) else wanted
        if self.is_column or not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise InvalidInput(
                f"A scan is asked for a column or a list of columns by name, not for {wanted!r:.60}: choose rows with "
                "filters=, or read the rows you need into an array."
            )
        for name in names:
            self._check_name(name)
        return replace(self, columns=tuple(names), is_column=isinstance(wanted, str))

    def _check_name(self, name: str) -> None:
        if name in self.columns:
            return
        near = get_close_matches(name, self.columns, 1)
        meant = f"; did you mean {near[0]!r}?" if near else "."
        shown = ", ".join(self.columns[:20]) + (", …" if len(self.columns) > 20 else "")
        raise InvalidInput(f"{self.source.describe()} has no column {name!r}{meant} It has {shown}.")

    @property
    def schema(self) -> Any:
        """Names and types of its columns, of Arrow."""
        return arrow().schema([self.source.schema.field(name) for name in self.columns])

    def __len__(self) -> int:
        return self.source.count_rows()

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows,) of a column, else (rows, columns)."""
        return (len(self),) if self.is_column else (len(self), len(self.columns))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """All its values in memory; words and missing values as objects."""
        parts = [batch.columns for batch in self.source.batches(list(dict.fromkeys(self.columns)))]
        table = arrow().Table.from_batches(parts, schema=self.schema)
        values = [table.column(name).combine_chunks().to_numpy(zero_copy_only=False) for name in self.columns]
        array = values[0] if self.is_column else np.column_stack(values)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<Scan of {', '.join(self.columns[:6])}{', …' * (len(self.columns) > 6)}: {self.source.describe()}>"


def scan_parquet(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    filesystem: Any = None,
    partitioning: Any = "hive",
    cache_dir: Any = None,
) -> Scan:
    """A lazy table of Parquet files: `fit`, `predict` and their kin read it batch by batch.

    The first pass checks every value and writes numbers to a spool, which further passes map into memory: memory stays
    flat in the rows. Same rows, same bits as from an array.

    Parameters
    ----------
    source : str, path, or list of them
        A file, files, a directory, or a pattern such as ``"measurements/*.parquet"``; also a URI such as ``s3://…``.
    columns : list of str, optional
        Columns to offer; all if None.
    filters : expression or list of tuples, optional
        Which rows, as in `pyarrow.dataset` or `pyarrow.parquet`: ``[("year", ">=", 2020)]``.
    filesystem : pyarrow.fs.FileSystem, optional
        By the path if None.
    partitioning : optional
        Of directories, as in `pyarrow.dataset.dataset`.
    cache_dir : path, optional
        Where the spool lies. None: the system's temporary directory, and the spool is gone when the fit ends, whatever
        ended it. A directory: the spool is kept there under a fingerprint of the files, and used again.

    Returns
    -------
    Scan

    Examples
    --------
    ``table = scan_parquet("measurements/*.parquet")``, then
    ``GPRegressor().fit(table[["wind", "hour"]], table["power"], sample_weight=table["hours"])``
    """
    dataset_module = arrow("pyarrow.dataset")
    filesystem, paths = _paths(source, filesystem)
    try:
        dataset = dataset_module.dataset(paths, format="parquet", filesystem=filesystem, partitioning=partitioning)
        if isinstance(filters, list | tuple):
            filters = arrow("pyarrow.parquet").filters_to_expression(filters)
        if filters is not None:
            dataset.scanner(filter=filters)  # an error here, not at the first row
    except (OSError, arrow().ArrowException) as error:
        raise InvalidInput(f"{source!s:.200} cannot be scanned as Parquet: {error}") from error
    if not dataset.files:
        raise InvalidInput(
            f"{source!s:.200} has no Parquet files: give a file, a directory or a pattern that has some."
        )
    return _scan(ParquetSource(dataset, filters), columns, cache_dir)


def scan_arrow(data: Any, *, columns: Sequence[str] | None = None, cache_dir: Any = None) -> Scan:
    """A lazy table of whatever speaks Arrow's C stream: tables of Polars, DuckDB, pandas, Arrow, and streams.

    Parameters
    ----------
    data : object with ``__arrow_c_stream__``
        A stream is read once: X, y and weights must be columns of the same scan.
    columns : list of str, optional
        Columns to offer; all if None.
    cache_dir : path, optional
        Where the spool lies during a fit; the system's temporary directory if None.

    Returns
    -------
    Scan

    Examples
    --------
    ``table = scan_arrow(duckdb.sql("SELECT * FROM 'rows.csv'"))``, then ``GPRegressor().fit(table[["a"]], table["y"])``
    """
    if not speaks_arrow(data):
        raise InvalidInput(f"{type(data).__name__} has no __arrow_c_stream__: give a table of Arrow, Polars or DuckDB.")
    reader = arrow().RecordBatchReader
    if isinstance(data, reader):
        return _scan(ArrowSource(data, data.schema, is_stream=True), columns, cache_dir)
    return _scan(ArrowSource(data, reader.from_stream(data).schema, is_stream=False), columns, cache_dir)


def speaks_arrow(data: Any) -> bool:
    """Whether it gives Arrow's C stream."""
    return callable(getattr(data, "__arrow_c_stream__", None))


def as_scan(data: Any) -> Any:
    """The same as a scan, where it gives a stream of Arrow and nothing that NumPy reads; else as it is."""
    if isinstance(data, Scan) or not speaks_arrow(data) or callable(getattr(data, "__array__", None)):
        return data
    return scan_arrow(data)


def _scan(source: Source, columns: Sequence[str] | None, cache_dir: Any) -> Scan:
    directory = None if cache_dir is None else os.fspath(cache_dir)
    if directory is not None and not os.path.isdir(directory):
        raise InvalidInput(f"cache_dir={directory!r} is no directory: make it first.")
    table = Scan(source, tuple(source.schema.names), cache_dir=directory)
    return table if columns is None else table[list(columns)]


def _paths(source: Any, filesystem: Any) -> tuple[Any, Any]:
    """A file system, None for that of this machine, and paths in it with patterns replaced by files."""
    given = [os.fspath(path) for path in (source if isinstance(source, list | tuple) else [source])]
    fs = arrow("pyarrow.fs")
    if filesystem is None and given and "://" in given[0]:
        filesystem, _ = fs.FileSystem.from_uri(_base(given[0]))
        given = [path.split("://", 1)[1] for path in given]
    files = [file for path in given for file in (_matching(path, filesystem) if _is_wild(path) else [path])]
    return filesystem, files[0] if len(files) == 1 else files


def _is_wild(path: str) -> bool:
    return any(sign in path for sign in _WILD)


def _base(path: str) -> str:
    """The directory above the first part with a wild card."""
    parts = path.split("/")
    first = next((index for index, part in enumerate(parts) if _is_wild(part)), len(parts))
    return "/".join(parts[:first])


def _matching(pattern: str, filesystem: Any) -> list[str]:
    """Files that match a pattern, sorted; an error if there are none."""
    if filesystem is None:
        files = glob.glob(pattern, recursive=True)
    else:
        fs = arrow("pyarrow.fs")
        infos = filesystem.get_file_info(fs.FileSelector(_base(pattern), recursive=True))
        files = [info.path for info in infos if info.is_file and fnmatch.fnmatchcase(info.path, pattern)]
    if not files:
        raise InvalidInput(f"No file matches {pattern!r}.")
    return sorted(files)
