"""`alakarte report`: a model file, and a table with its target, in; a page of HTML out."""

import argparse
from typing import Any

import numpy as np

from alakarte.cli.mistakes import Mistake
from alakarte.cli.open_model import open_model, schema_of, silenced, tables_of_numbers
from alakarte.cli.options import note
from alakarte.cli.roles import numbers_of_roles, role_columns
from alakarte.data.schema import NUMBER, ColumnSchema, RawColumn, gaps, words
from alakarte.errors import InvalidInput
from alakarte.estimators.classifier import GPClassifier
from alakarte.estimators.counts import GPCountRegressor
from alakarte.records import Array, Named


def report(options: argparse.Namespace) -> int:
    """Write the page."""
    if not options.output.parent.is_dir():
        raise Mistake(f"{options.output}: there is no folder {str(options.output.parent)!r}. Make it first.")
    model = open_model(options.model)
    X, y, exposure = (None, None, {}) if options.table is None else _rows(model, options)
    try:
        silenced(model.report, options.output, X, y, **exposure)
    except InvalidInput as error:
        raise Mistake(str(error)) from None
    note(f"{options.output}: written, {options.output.stat().st_size / 1e6:.1f} MB")
    return 0


def _rows(model: Any, options: argparse.Namespace) -> tuple[Array, Any, Named]:
    """Numbers (rows, variables), targets and exposures of the rows of a table whose target is there."""
    target, tables, targets, exposures = schema_of(model).target, [], [], []
    is_counts = isinstance(model, GPCountRegressor)
    for table, raw in tables_of_numbers(model, options.table, [target, *role_columns(options)]):
        there = ~gaps(raw[target])
        tables.append(table[there])
        some = {name: values[there] for name, values in raw.items()}
        exposures.append(numbers_of_roles(options, some, counts=is_counts))
        try:
            targets.append(_target(model, raw[target][there]))
        except InvalidInput as error:
            raise Mistake(f"{options.table}: {error}.") from None
    if not sum(map(len, targets)):
        raise Mistake(f"{options.table}: has no row with a {target!r}.")
    joined = {name: np.concatenate([each[name] for each in exposures]) for name in exposures[0]}
    return np.concatenate(tables), np.concatenate(targets), joined


def _target(model: Any, values: RawColumn) -> Any:
    """Labels as words, or numbers."""
    if isinstance(model, GPClassifier):
        return words(values).astype(str)
    return ColumnSchema(schema_of(model).target, NUMBER).numbers(values)
