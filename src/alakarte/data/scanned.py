"""Scans as checked arrays that lie in a spool: each file is decoded once.

In: what a user gave to `fit`, `partial_fit` or `predict`, X a `Scan`. Out: arrays as `data/read.py` gives them, mapped
from a spool: later stages do not know where they came from. Rows without a weight are left out.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from alakarte.data.categories import Encoding, Levels, chosen_categories, unlike_others
from alakarte.data.decode import ColumnReader, KnownLevels, NewLevels
from alakarte.data.read import check_total
from alakarte.data.roles import Roles, ScannedRole, number_reader, read_batches
from alakarte.data.scan import Scan
from alakarte.data.spool import Column, Spool, kept_spool
from alakarte.errors import InvalidInput
from alakarte.execution.progress import warn
from alakarte.records import Array

_BLOCK_ROWS = 1 << 16


@dataclass(frozen=True)
class Scanned:
    """Inputs (n, variables), targets (n,) or (n, T), weights (n,), and the levels of categories."""

    inputs: Array
    target: Array
    weight: Array
    encoding: Encoding | None


def scanned_inputs(estimator: Any, X: Scan, encoding: Encoding | None) -> Array:
    """X (n, variables) with the variables of the fit, mapped from a spool."""
    readers = _known_readers(estimator, X, encoding)
    inputs = ScannedRole(X, readers)
    with closing(Spool(X.cache_dir)) as spool:
        column = spool.column("X", inputs.width, inputs.dtype)
        for batch in read_batches([X], estimator.verbose):
            column.append(inputs.rows(batch, None))
        values = column.mapped()
    _warn_of_unknown(readers)
    return values


def scanned_further(estimator: Any, X: Scan, y: Any, sample_weight: Any, encoding: Encoding | None) -> Scanned:
    """Rows that join a fitted model, with its variables and levels."""
    readers = _known_readers(estimator, X, encoding)
    with closing(Spool(X.cache_dir)) as spool:
        arrays = Roles(X, readers, y, sample_weight).write(spool, estimator.verbose)
    _warn_of_unknown(readers)
    return _scanned(arrays, sample_weight, encoding)


def scanned_training(estimator: Any, X: Scan, y: Any, sample_weight: Any) -> Scanned:
    """A table to learn from; a spool that was kept is used again."""
    chosen = chosen_categories(X, estimator.categorical_features, len(X.columns))
    _check_names(estimator, X, reset=True)
    readers: list[ColumnReader] = [
        NewLevels("X", name, j) if j in chosen else number_reader("X", X, j) for j, name in enumerate(X.columns)
    ]
    roles = Roles(X, readers, y, sample_weight)
    name = None if X.cache_dir is None else roles.fingerprint(chosen)
    kept = None if X.cache_dir is None or name is None else kept_spool(X.cache_dir, name)
    if kept is not None:
        arrays, described = kept
        levels = {int(j): Levels(np.array(told["values"]), told["missing"]) for j, told in described.items()}
        return _scanned(arrays, sample_weight, _encoding(len(readers), levels))
    with closing(Spool(X.cache_dir, name)) as spool:
        arrays = roles.write(spool, estimator.verbose)
        levels = _renumber(spool.columns["X"], readers)
        spool.keep({str(j): {"values": each.values.tolist(), "missing": each.missing} for j, each in levels.items()})
    return _scanned(arrays, sample_weight, _encoding(len(readers), levels))


def _scanned(arrays: dict[str, Array], sample_weight: Any, encoding: Encoding | None) -> Scanned:
    """The arrays of a spool, with the weight of all rows where none was written; at least one row has one."""
    n_rows = len(arrays["X"])
    weight = arrays.get("weight")
    if weight is None:
        weight = np.broadcast_to(np.float64(1 if sample_weight is None else sample_weight), n_rows)
    check_total(weight)
    return Scanned(arrays["X"], arrays["y"], weight, encoding)


def _check_names(estimator: Any, X: Scan, *, reset: bool) -> None:
    """Names and number of the variables, as scikit-learn checks those of a table."""
    if X.is_column:
        raise InvalidInput(f"X is one column: give a table of one column, table[[{X.columns[0]!r}]].")
    if len(set(X.columns)) < len(X.columns):
        raise InvalidInput(f"X has a column twice: {', '.join(X.columns)}.")
    validate_data(estimator, X.schema.empty_table(), reset=reset, skip_check_array=True)


def _known_readers(estimator: Any, X: Scan, encoding: Encoding | None) -> list[ColumnReader]:
    """Readers for rows of a fitted model."""
    _check_names(estimator, X, reset=False)
    categories = {} if encoding is None else encoding.categories
    return [
        KnownLevels("X", name, j, categories[j]) if j in categories else number_reader("X", X, j)
        for j, name in enumerate(X.columns)
    ]


def _encoding(n_variables: int, levels: dict[int, Levels]) -> Encoding | None:
    return Encoding(tuple(levels.get(j) for j in range(n_variables))) if levels else None


def _renumber(column: Column, readers: Sequence[ColumnReader]) -> dict[int, Levels]:
    """The levels of categories, and their numbers in the spool: until now they stood in the order of appearance."""
    new = {j: reader for j, reader in enumerate(readers) if isinstance(reader, NewLevels)}
    levels = {j: reader.levels() for j, reader in new.items()}
    table = column.mapped("r+") if new else np.empty((0, 0))
    for start in range(0, len(table), _BLOCK_ROWS):
        block = table[start : start + _BLOCK_ROWS]
        for j, reader in new.items():
            block[:, j] = reader.renumbered(block[:, j], levels[j])
    return levels


def _warn_of_unknown(readers: Sequence[ColumnReader]) -> None:
    """One warning, where some levels were not seen by the fit."""
    unknown = [reader for reader in readers if isinstance(reader, KnownLevels) and reader.n_unknown]
    if unknown:
        told = ((reader.label, reader.unknown, reader.n_unknown) for reader in unknown)
        warn(unlike_others(told), UserWarning)
