"""`alakarte fit`: a table on disk in, a model file out.

The schema of the table is kept in the file, so that `predict` and `evaluate` read further tables as this one was read.
"""

import argparse
import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from alakarte.cli.mistakes import Mistake
from alakarte.cli.options import note
from alakarte.cli.roles import numbers_of_roles, role_columns
from alakarte.cli.tables import Part, check_place, whole
from alakarte.data.schema import NUMBER, ColumnSchema, RawColumn, gaps, learn_schema, words
from alakarte.errors import InvalidInput
from alakarte.estimators.classifier import GPClassifier
from alakarte.estimators.counts import GPCountRegressor
from alakarte.estimators.regressor import GPRegressor
from alakarte.records import Array

LIKELIHOODS = {
    "regression": ("gaussian", "student_t"),
    "counts": ("negative_binomial", "poisson"),
    "classification": (),
}
MOST_MEAN_COUNT = 20.0  # of whole numbers from zero on, to be taken for counts


def fit(options: argparse.Namespace) -> int:
    """Learn from a table, and write the model."""
    check_place(options.output)
    table = _without_gaps(options, _columns(options))
    task = options.task or _task(options.target, table[options.target])
    try:
        roles = numbers_of_roles(options, table, counts=task == "counts")
        schema = learn_schema(_without_roles(options, table), options.target)
        X, y = schema.table(table), _target(options, task, table[options.target])
        model = _estimator(options, task, schema.categories).fit(X, y, **roles)
    except InvalidInput as error:
        raise Mistake(f"{options.table}: {error}") from None
    model.model_ = replace(model.model_, input_names=schema.names)
    model.schema_ = schema
    model.save(options.output)
    if options.json:
        print(json.dumps({"model": str(options.output), "task": task, "rows": len(y), **_learned(model)}))
    else:
        print(model.summary())
        note(f"{options.output}: written, {options.output.stat().st_size / 1e6:.1f} MB")
    return 0


def _learned(model: Any) -> dict[str, Any]:
    relevance = dict(zip(model.model_.input_names, model.relevance_.tolist(), strict=True))
    return {"kernel": model.kernel_.kernel.name, "log_evidence": model.log_marginal_likelihood_, "relevance": relevance}


def _columns(options: argparse.Namespace) -> Part:
    """All columns of the table but those to drop; the target is among them."""
    table = whole(options.table)
    roles = role_columns(options)
    for name in (options.target, *roles, *options.drop):
        if name not in table:
            raise Mistake(f"{options.table}: has no column {name!r}; it has {', '.join(table)[:200]}.")
    kept = {name: values for name, values in table.items() if name not in options.drop}
    if options.target not in kept:
        raise Mistake(f"{options.table}: --drop names the target {options.target!r}. Drop another column.")
    if twice := [name for name in roles if name == options.target or name in options.drop or roles.count(name) > 1]:
        raise Mistake(f"{options.table}: column {twice[0]!r} has two roles. Name another for --weight or --exposure.")
    if len(kept) - len(roles) < 2:
        raise Mistake(f"{options.table}: has no column beside the target {options.target!r} to learn from.")
    return kept


def _without_roles(options: argparse.Namespace, table: Part) -> Part:
    """Inputs and target alone."""
    roles = role_columns(options)
    return {name: values for name, values in table.items() if name not in roles}


def _without_gaps(options: argparse.Namespace, table: Part) -> Part:
    """The rows whose target is there."""
    there = ~gaps(table[options.target])
    if not there.any():
        raise Mistake(f"{options.table}: the target {options.target!r} has no value in any row.")
    if not there.all():
        note(f"{np.count_nonzero(~there)} of {there.size} rows have no {options.target!r} and are left out")
    return {name: values[there] for name, values in table.items()}


def _task(name: str, values: RawColumn) -> str:
    """By looking at the target, and saying so."""
    numbers = _numbers(name, values)
    task, why = "regression", "numbers"
    if isinstance(numbers, str):
        task, why = "classification", f"words, such as {numbers!r:.40}"
    elif len(np.unique(numbers)) <= 2:
        task, why = "classification", "two values"
    elif (numbers == np.floor(numbers)).all() and numbers.min() == 0 and numbers.mean() <= MOST_MEAN_COUNT:
        task, why = "counts", "whole numbers from zero on"
    note(f"target {name!r} has {why}: {task} (--task says otherwise)")
    return task


def _numbers(name: str, values: RawColumn) -> Array | str:
    """The target as numbers, or the first word that is none."""
    try:
        return ColumnSchema(name, NUMBER).numbers(values)
    except InvalidInput:
        return str(words(values)[0])


def _target(options: argparse.Namespace, task: str, values: RawColumn) -> Any:
    """(rows,) labels as words, or numbers."""
    if task == "classification":
        return words(values).astype(str)
    numbers = _numbers(options.target, values)
    if isinstance(numbers, str):
        raise Mistake(
            f"{options.table}: the target {options.target!r} has words, such as {numbers!r:.40}; --task {task} needs "
            "numbers. Leave out --task, or clean that column."
        )
    return numbers


def _estimator(options: argparse.Namespace, task: str, categories: list[int]) -> Any:
    """The estimator of a task, with the settings that the options ask for."""
    settings: dict[str, Any] = {
        "kernel": options.kernel,
        "categorical_features": categories,
        "max_time": options.max_time,
        "random_state": options.seed,
        "verbose": int(sys.stdout.isatty() and not options.json),
    }
    if options.target_transform is not None:
        if task != "regression":
            raise Mistake(f"--target-transform {options.target_transform} is for regression, and this is {task}.")
        settings["target_transform"] = options.target_transform
    if options.likelihood is not None:
        if options.likelihood not in LIKELIHOODS[task]:
            allowed = " or ".join(LIKELIHOODS[task]) or "none to choose"
            raise Mistake(f"--likelihood {options.likelihood}: {task} has {allowed}.")
        settings["likelihood"] = options.likelihood
    return {"regression": GPRegressor, "counts": GPCountRegressor, "classification": GPClassifier}[task](**settings)
