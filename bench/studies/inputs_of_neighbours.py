"""Inputs of neighbours as they are, as mid-ranks, and binary ones in wider units: which tell rows left out best?

    python -m bench.studies.inputs_of_neighbours [protein bike …] [--folds 3] [--rows 20000]

In: folds of sets, of large ones some rows at random. Out: a line per fit by neighbours alone: log density of rows left
out, standardised, and RMSE over std(y) of the test rows. `binary`: inputs of two values are divided by .3 of their
range where their standard deviation is less.
"""

import argparse
import warnings
from unittest.mock import patch

import numpy as np

import alakarte.data.standardise as standardise
from alakarte import GPRegressor
from bench.large.cells import load
from bench.scores import rmse

LEAST_STD = 0.3  # of an input whose values are 0 and 1
SETS = ("protein", "bike", "pumadyn32nm", "sml", "keggdirected")


def mid_ranks(X_train, X):
    """(rows, d) the part of the training rows that is below, half of those that are equal among them."""
    columns = np.sort(X_train, axis=0).T, X.T
    below, up_to = (
        [np.searchsorted(known, values, side) for known, values in zip(*columns, strict=True)]
        for side in ("left", "right")
    )
    return (np.column_stack(below) + np.column_stack(up_to)) / (2 * len(X_train))


def wider_binary(moments):
    """`moments` with a least standard deviation of inputs of two values."""

    def found(values, *rest, **named):
        mean, std, live = moments(values, *rest, **named)
        low, high = values.min(axis=0), values.max(axis=0)
        binary = ((values == low) | (values == high)).all(axis=0)
        return mean, np.where(binary, np.maximum(std, LEAST_STD * (high - low)), std), live

    return found


def show(name: str, k: int, n_rows: int) -> None:
    """The lines of one fold."""
    X, y, X_test, y_test = load(name, k)
    some = np.random.default_rng(0).permutation(len(X))[:n_rows]
    X, y = X[some], y[some]
    wider = patch.object(standardise, "moments", wider_binary(standardise.moments))
    report(name, k, "as they are", (X, y, X_test, y_test))
    report(name, k, "mid-ranks", (mid_ranks(X, X), y, mid_ranks(X, X_test), y_test))
    narrow = [np.unique(column).size == 2 and column.std() < LEAST_STD * np.ptp(column) for column in X.T]
    if any(narrow):
        with wider:
            report(name, k, "binary", (X, y, X_test, y_test))


def report(name: str, k: int, label: str, table) -> None:
    """Fit and print."""
    X, y, X_test, y_test = table
    model = GPRegressor(expansion="local", random_state=0).fit(X, y)
    error = rmse(model.predict(X_test) - y_test) / y.std()
    print(f"{name:<14}{k:>2} {label:<12}{model.left_out_log_density_:>9.4f}{error:>9.4f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--folds", nargs="*", type=int, default=[3])
    parser.add_argument("--rows", type=int, default=20_000)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in asked.sets:
        for k in asked.folds:
            show(name, k, asked.rows)


if __name__ == "__main__":
    main()
