"""`alakarte evaluate`: a model file and a table with its target in, measures out, part by part."""

import argparse
import json
from typing import Any

import numpy as np

from alakarte.cli.mistakes import Mistake
from alakarte.cli.open_model import open_model, schema_of, silenced, tables_of_numbers
from alakarte.cli.predict import predictions
from alakarte.data.schema import NUMBER, ColumnSchema, RawColumn, gaps, words
from alakarte.errors import InvalidInput
from alakarte.estimators.classifier import GPClassifier
from alakarte.records import Array

COVERAGE = 0.95


def evaluate(options: argparse.Namespace) -> int:
    """Measure predictions on all rows of a table whose target is there."""
    model = open_model(options.model)
    sums: dict[str, float] = {}
    n_rows, target = 0, schema_of(model).target
    for table, raw in tables_of_numbers(model, options.table, [target]):
        there = ~gaps(raw[target])
        try:
            for name, value in _row_sums(model, table[there], raw[target][there]).items():
                sums[name] = sums.get(name, 0.0) + value
        except InvalidInput as error:
            raise Mistake(f"{options.table}: {error}.") from None
        n_rows += int(np.count_nonzero(there))
    if not n_rows:
        raise Mistake(f"{options.table}: has no row with a {target!r}.")
    found = _measures(sums, n_rows)
    if options.json:
        print(json.dumps({"rows": n_rows} | found))
    else:
        print(f"{'rows':<24}{n_rows:>12,}")
        print("\n".join(f"{name:<24}{value:>12.5g}" for name, value in found.items()))
    return 0


def _row_sums(model: Any, table: Array, target: RawColumn) -> dict[str, float]:
    """Sums over the rows of a part."""
    if not len(table):
        return {}
    if isinstance(model, GPClassifier):
        y = words(target).astype(str)
        found = predictions(model, table, std=False, interval=None)
        log_density = silenced(model.log_predictive_density, table, y)
        return {"accuracy": float((found["label"] == y).sum()), "log_density": float(log_density.sum())}
    y = ColumnSchema(schema_of(model).target, NUMBER).numbers(target)
    found = predictions(model, table, std=False, interval=COVERAGE)
    error = y - found["mean"]
    inside = (found["low"] <= y) & (y <= found["high"])
    return {
        "squared_error": float((error**2).sum()),
        "absolute_error": float(np.abs(error).sum()),
        "coverage_of_95": float(inside.sum()),
        "log_density": float(silenced(model.log_predictive_density, table, y).sum()),
    }


def _measures(sums: dict[str, float], n_rows: int) -> dict[str, float]:
    """Means, and the root of the mean squared error."""
    means = {name: value / n_rows for name, value in sums.items()}
    if "squared_error" in means:
        means = {"rmse": float(np.sqrt(means.pop("squared_error")))} | means
    return means
