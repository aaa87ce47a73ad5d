"""Columns that are neither input nor target: the weight of a row, and its exposure.

In: the names that options give, and columns of a table. Out: numbers, or the mistake in them. An exposure belongs to
counts alone.
"""

import argparse

import numpy as np

from alakarte.cli.mistakes import Mistake
from alakarte.cli.tables import Part
from alakarte.data.schema import NUMBER, ColumnSchema
from alakarte.errors import InvalidInput
from alakarte.records import Array, Named

ROLES = {"weight": "sample_weight", "exposure": "exposure"}  # options, and what estimators call them


def role_columns(options: argparse.Namespace) -> list[str]:
    """The names that options give."""
    given = (vars(options).get(role) for role in ROLES)
    return [name for name in given if name is not None]


def numbers_of_roles(options: argparse.Namespace, table: Part, *, counts: bool) -> Named:
    """Weights and exposures (rows,), where options name their columns, by the names that estimators take."""
    if vars(options).get("exposure") is not None and not counts:
        raise Mistake("--exposure is for counts: this target is none. Leave it out, or fit with --task counts.")
    found: Named = {}
    for role, name in ROLES.items():
        column = vars(options).get(role)
        if column is not None:
            found[name] = _numbers(options, role, column, table)
    return found


def _numbers(options: argparse.Namespace, role: str, column: str, table: Part) -> Array:
    """(rows,) numbers that can be weights, or exposures."""
    try:
        values = ColumnSchema(column, NUMBER).numbers(table[column])
    except InvalidInput as error:
        raise Mistake(f"{options.table}: --{role} {column}: {error}. Give a column of numbers.") from None
    wrong = ~np.isfinite(values) | (values < 0 if role == "weight" else values <= 0)
    if wrong.any():
        row, least = int(np.argmax(wrong)), "≥ 0" if role == "weight" else "> 0"
        what = "no value" if np.isnan(values[row]) else f"{values[row]:g}"
        raise Mistake(f"{options.table}: --{role} {column}: {what} in row {row + 1}, give numbers {least} in all rows.")
    return np.asarray(values)
