"""Counts and exposures as users give them: whole numbers and logarithms, or an error that names the cure."""

from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from alakarte.data.columns import in_memory
from alakarte.data.read import read_target
from alakarte.errors import InvalidInput
from alakarte.records import Array

MOST_COUNT = 1e15  # larger ones are no whole numbers in float64


def count_targets(y: Any, exposure: Any) -> Array:
    """(n, 2) counts and logarithms of exposure."""
    counts = read_counts(y)
    return np.column_stack([counts, log_exposure(exposure, len(counts))])


def read_counts(y: Any) -> Array:
    """(n,) whole numbers as float64."""
    if y is None:
        raise InvalidInput("y is None: this estimator requires y to be passed, but the target y is None: fit(X, y).")
    counts = np.asarray(column_or_1d(read_target(y), warn=True), dtype=np.float64)
    check_counts(counts, "y")
    return counts


def check_counts(counts: Array, name: str) -> None:
    """Raise InvalidInput for what is no count."""
    problems = (
        (~np.isfinite(counts), "Input {name} contains NaN or infinity: {name}[{row}] = {value}. Drop those rows."),
        (counts < 0, "{name}[{row}] = {value:g} is negative, no count: drop that row, or use GPRegressor."),
        (counts > MOST_COUNT, "{name}[{row}] = {value:g} is beyond 1e15, too large to be told: count in larger units."),
        (
            counts != np.floor(counts),
            "{name}[{row}] = {value:g} is no whole number: for rates give exposure=, or use GPRegressor.",
        ),
    )
    for wrong, text in problems:
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInput(text.format(name=name, row=row, value=counts[row]))


def log_exposure(exposure: Any, n_rows: int) -> Array:
    """(n,) logarithms, zeros if there is none."""
    if exposure is None:
        return np.zeros(n_rows)
    values = np.asarray(in_memory(exposure), dtype=np.float64)
    values = np.full(n_rows, float(values)) if values.ndim == 0 else np.ravel(values)
    if len(values) != n_rows:
        raise InvalidInput(f"exposure has {len(values)} entries for {n_rows} rows: give one for each row.")
    wrong = ~(values > 0) | ~np.isfinite(values)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidInput(
            f"exposure[{row}] = {values[row]:g} must be > 0 and finite: drop rows that were not observed."
        )
    return np.asarray(np.log(values))
