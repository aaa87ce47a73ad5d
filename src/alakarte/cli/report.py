"""`alakarte report`: a model file, and a table with its target, in; a page of HTML out."""

import argparse
from typing import Any

import numpy as np

from alakarte.cli.mistakes import Mistake
from alakarte.cli.open_model import open_model, schema_of, silenced, tables_of_numbers
from alakarte.cli.options import note
from alakarte.data.schema import NUMBER, ColumnSchema, RawColumn, gaps, words
from alakarte.errors import InvalidInput
from alakarte.estimators.classifier import GPClassifier
from alakarte.records import Array


def report(options: argparse.Namespace) -> int:
    """Write the page."""
    if not options.output.parent.is_dir():
        raise Mistake(f"{options.output}: there is no folder {str(options.output.parent)!r}. Make it first.")
    model = open_model(options.model)
    X, y = (None, None) if options.table is None else _rows(model, options)
    try:
        silenced(model.report, options.output, X, y)
    except InvalidInput as error:
        raise Mistake(str(error)) from None
    note(f"{options.output}: written, {options.output.stat().st_size / 1e6:.1f} MB")
    return 0


def _rows(model: Any, options: argparse.Namespace) -> tuple[Array, Any]:
    """Numbers (rows, variables) and targets of the rows of a table whose target is there."""
    target, tables, targets = schema_of(model).target, [], []
    for table, raw in tables_of_numbers(model, options.table, [target]):
        there = ~gaps(raw[target])
        tables.append(table[there])
        try:
            targets.append(_target(model, raw[target][there]))
        except InvalidInput as error:
            raise Mistake(f"{options.table}: {error}.") from None
    if not sum(map(len, targets)):
        raise Mistake(f"{options.table}: has no row with a {target!r}.")
    return np.concatenate(tables), np.concatenate(targets)


def _target(model: Any, values: RawColumn) -> Any:
    """Labels as words, or numbers."""
    if isinstance(model, GPClassifier):
        return words(values).astype(str)
    return ColumnSchema(schema_of(model).target, NUMBER).numbers(values)
