"""`alakarte evaluate`: a model file and a table with its target in, measures out, part by part."""

import argparse
import json
from typing import Any

import numpy as np

from alakarte.cli.mistakes import Mistake
from alakarte.cli.open_model import open_model, schema_of, silenced, tables_of_numbers
from alakarte.cli.predict import predictions
from alakarte.cli.roles import numbers_of_roles, role_columns
from alakarte.data.schema import NUMBER, ColumnSchema, RawColumn, gaps, words
from alakarte.errors import InvalidInput
from alakarte.estimators.classifier import GPClassifier
from alakarte.estimators.counts import GPCountRegressor
from alakarte.records import Array, Named

COVERAGE = 0.95


def evaluate(options: argparse.Namespace) -> int:
    """Measure predictions on all rows of a table whose target is there."""
    model = open_model(options.model)
    sums: dict[str, float] = {}
    n_rows, total, target = 0, 0.0, schema_of(model).target
    is_counts = isinstance(model, GPCountRegressor)
    for table, raw in tables_of_numbers(model, options.table, [target, *role_columns(options)]):
        there = ~gaps(raw[target])
        some = {name: values[there] for name, values in raw.items()}
        roles = numbers_of_roles(options, some, counts=is_counts)
        weight = roles.pop("sample_weight", np.ones(np.count_nonzero(there)))
        try:
            for name, values in _of_rows(model, table[there], some[target], roles).items():
                sums[name] = sums.get(name, 0.0) + float(weight @ values)
        except InvalidInput as error:
            raise Mistake(f"{options.table}: {error}.") from None
        n_rows, total = n_rows + len(weight), total + float(weight.sum())
    if not total:
        raise Mistake(f"{options.table}: has no row with a {target!r}{' and a weight' if n_rows else ''}.")
    found = _measures(sums, total)
    if options.json:
        print(json.dumps({"rows": n_rows} | found))
    else:
        print(f"{'rows':<24}{n_rows:>12,}")
        print("\n".join(f"{name:<24}{value:>12.5g}" for name, value in found.items()))
    return 0


def _of_rows(model: Any, table: Array, target: RawColumn, exposure: Named) -> dict[str, Array]:
    """(rows,) what each row of a part adds to a mean."""
    if not len(table):
        return {}
    if isinstance(model, GPClassifier):
        y = words(target).astype(str)
        found = predictions(model, table, std=False, interval=None)
        log_density = silenced(model.log_predictive_density, table, y)
        return {"accuracy": np.asarray(found["label"] == y, dtype=float), "log_density": log_density}
    y = ColumnSchema(schema_of(model).target, NUMBER).numbers(target)
    found = predictions(model, table, std=False, interval=COVERAGE, **exposure)
    error = y - found["mean"]
    inside = (found["low"] <= y) & (y <= found["high"])
    return {
        "squared_error": error**2,
        "absolute_error": np.abs(error),
        "coverage_of_95": inside.astype(float),
        "log_density": silenced(model.log_predictive_density, table, y, **exposure),
    }


def _measures(sums: dict[str, float], total: float) -> dict[str, float]:
    """Means, and the root of the mean squared error."""
    means = {name: value / total for name, value in sums.items()}
    if "squared_error" in means:
        means = {"rmse": float(np.sqrt(means.pop("squared_error")))} | means
    return means
