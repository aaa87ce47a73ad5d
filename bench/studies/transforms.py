"""Transforms of the target: what a logarithm, a power, or the choice by evidence makes of a default fit.

    python -m bench.studies.transforms [machine …] [--folds 0 1 2] [--positive]

In: folds of sets; `positive`: of some of them targets as they were measured, all above zero. Out: a line per fit and
then a mean per set: RMSE over std(y), log density of standardised y, coverage of 95 % intervals, the evidence, and what
`auto` took.
"""

import argparse
import time
import warnings

import numpy as np

from alakarte import GPRegressor
from bench.folds import fold
from bench.scores import scores_of

SETS = ("machine", "forest", "autos", "concreteslump", "housing")
# The sets have centred targets, some of logarithms. The least value that was measured tells what they were.
LEAST = {"autompg": 9.0, "concrete": 2.33, "energy": 6.01, "housing": 5.0, "yacht": 0.01, "autos": 5118.0}
LOGARITHMS = ("yacht", "autos")
KINDS = (None, "log", "yeo-johnson", "auto")


def measured(name: str, k: int):
    """A fold with targets as they were measured."""
    X, y, X_test, y_test = fold(name, k)
    least = min(y.min(), y_test.min())
    if name in LOGARITHMS:
        return X, LEAST[name] * np.exp(y - least), X_test, LEAST[name] * np.exp(y_test - least)
    return X, LEAST[name] + y - least, X_test, LEAST[name] + y_test - least


def scores(kind: str | None, k: int, table) -> list[float]:
    """Fit one table, and print its line."""
    X, y, X_test, y_test = table
    began = time.process_time()
    model = GPRegressor(target_transform=kind, random_state=k, n_jobs=1).fit(X, y)
    seconds = time.process_time() - began
    found = scores_of(model, X_test, y_test, y.std())
    transform = model.model_.scaling.transform
    numbers = [found[name] for name in ("rmse_over_std", "log_density_standardised", "coverage")]
    taken = "y" if transform is None else transform.words()
    print(
        f"{k:>5} {kind!s:<12}{numbers[0]:>8.4f}{numbers[1]:>9.4f}{numbers[2]:>7.3f}"
        f"{model.log_marginal_likelihood_:>12.1f}{seconds:>7.1f} s  {taken}",
        flush=True,
    )
    return numbers


def main() -> None:
    """All kinds on all folds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("sets", nargs="*", default=SETS)
    options.add_argument("--folds", nargs="*", type=int, default=[0, 1, 2])
    options.add_argument("--positive", action="store_true")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    for name in given.sets:
        tables = [(measured if given.positive else fold)(name, k) for k in given.folds]
        positive = all((y > 0).all() for _, y, _, _ in tables)
        kinds = [kind for kind in KINDS if kind != "log" or positive]
        print(f"{name}: RMSE/std, log density, coverage, evidence", flush=True)
        found = {kind: [scores(kind, k, table) for k, table in zip(given.folds, tables, strict=True)] for kind in kinds}
        for kind, each in found.items():
            mean = np.mean(each, axis=0)
            print(f" mean {kind!s:<12}{mean[0]:>8.4f}{mean[1]:>9.4f}{mean[2]:>7.3f}", flush=True)


if __name__ == "__main__":
    main()
