"""A model file and a further table: what `predict` and `evaluate` share."""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from alakarte.cli.mistakes import Mistake
from alakarte.cli.tables import Part, parts
from alakarte.data.schema import Schema
from alakarte.errors import InvalidInput
from alakarte.estimators.fastfood_features import FastfoodFeatures
from alakarte.estimators.load import load
from alakarte.records import Array


def open_model(path: Path) -> Any:
    """The estimator in a file that `alakarte fit` has written."""
    try:
        model = load(path)
    except FileNotFoundError:
        raise Mistake(f"{path}: there is no such file. Make it with alakarte fit.") from None
    except InvalidInput as error:
        raise Mistake(str(error)) from None
    if isinstance(model, FastfoodFeatures):
        raise Mistake(f"{path}: holds FastfoodFeatures, which predict nothing. Give a model of alakarte fit.")
    return model


def tables_of_numbers(model: Any, path: Path, also: Sequence[str]) -> Iterator[tuple[Array, Part]]:
    """Parts of a table as numbers (rows, variables), and as they came, with the columns of the fit and `also`."""
    schema = schema_of(model)
    wanted = {*(column.name for column in schema.columns), *also}
    for part in parts(path, sorted(wanted)):
        if missing := [name for name in also if name not in part]:
            raise Mistake(f"{path}: has no column {missing[0]!r}.")
        try:
            yield schema.table(part), part
        except InvalidInput as error:
            raise Mistake(f"{path}: {error}. Give a table like that of the fit.") from None


def schema_of(model: Any) -> Schema:
    """How the table of a model's fit was read."""
    schema = vars(model).get("schema_")
    if isinstance(schema, Schema):
        return schema
    raise Mistake("This model was fitted in Python and has no schema of a table: predict with it there.")


def silenced(function: Any, *arguments: Any, **settings: Any) -> Any:
    """The result of a function, without the warning that commands say better."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The fit has not seen some levels")
        return function(*arguments, **settings)
