"""`alakarte predict`: a model file and a table in, predictions out, part by part."""

import argparse
import sys
from collections import Counter
from typing import Any

from alakarte.cli.mistakes import Mistake
from alakarte.cli.open_model import open_model, schema_of, silenced, tables_of_numbers
from alakarte.cli.options import note
from alakarte.cli.roles import numbers_of_roles, role_columns
from alakarte.cli.tables import Part, Writer, ahead
from alakarte.estimators.classifier import GPClassifier
from alakarte.estimators.counts import GPCountRegressor
from alakarte.records import Array


def predict(options: argparse.Namespace) -> int:
    """Predict all rows of a table."""
    model = open_model(options.model)
    _check(options, model)
    n_rows, unknown = 0, Counter[str]()
    with Writer(options.output) as writer:
        is_counts = isinstance(model, GPCountRegressor)
        for table, raw in ahead(tables_of_numbers(model, options.table, [*options.keep, *role_columns(options)])):
            kept = {name: raw[name] for name in options.keep}
            roles = numbers_of_roles(options, raw, counts=is_counts)
            writer.write(kept | predictions(model, table, options.std, options.interval, **roles))
            unknown.update(schema_of(model).unknown(table))
            n_rows += len(table)
            if sys.stderr.isatty():
                print(f"\r{n_rows:,} rows", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if not n_rows:
        raise Mistake(f"{options.table}: has no rows below its header.")
    for name, count in unknown.items():
        note(f"column {name!r}: {count} rows with a word that the fit has not seen, taken as unlike all others")
    return 0


def _check(options: argparse.Namespace, model: Any) -> None:
    if options.interval is not None and not 0 < options.interval < 1:
        raise Mistake(f"--interval {options.interval:g}: give a number between 0 and 1, such as 0.95.")
    if isinstance(model, GPClassifier) and (options.std or options.interval is not None):
        raise Mistake("--std and --interval are for numbers: a classifier gives the probability of every class.")


def predictions(model: Any, table: Array, std: bool, interval: float | None, **exposure: Array) -> Part:
    """Columns by name: mean, std, low and high; or label and probabilities; `exposure` of counts alone."""
    if isinstance(model, GPClassifier):
        probability = silenced(model.predict_proba, table)
        label = model.classes_[probability.argmax(axis=1)]
        named = {f"p({name})": probability[:, place] for place, name in enumerate(model.classes_.tolist())}
        return {"label": label} | named
    found = silenced(model.predict, table, return_std=std, **exposure)
    columns = dict(zip(("mean", "std"), found, strict=True)) if std else {"mean": found}
    if interval is not None:
        columns["low"], columns["high"] = silenced(model.predict_interval, table, interval, **exposure)
    return columns
