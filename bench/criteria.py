"""Which score chooses kernels better: evidence, less a price for all parameters or for `gm` alone: `bench.criteria`.

Small sets, three folds each, defaults but for the score. RMSE over std(y), log density of standardised y and coverage
of test rows; the last lines are means over the sets.
"""

import sys
import warnings

import numpy as np

from alakarte import GPRegressor
from alakarte.kitchen import Tasted
from alakarte.metrics import coverage, log_density
from bench.folds import fold

SETS = (
    "autompg",
    "autos",
    "breastcancer",
    "challenger",
    "concreteslump",
    "energy",
    "fertility",
    "forest",
    "housing",
    "machine",
    "stock",
    "yacht",
)
FOLDS = range(3)


def log_rows(one):
    return np.log(one.at.model.problem.rows.total)


SCORES = {
    "gm − ½ k log N": vars(Tasted)["score"].func,
    "all − ½ k log N": lambda one: -one.at.value - 0.5 * one.learned.problem.layout.size * log_rows(one),
    "evidence": lambda one: -one.at.value,
}


def figures(name, k, score):
    """RMSE, log density, coverage and the kernel chosen."""
    x_train, y_train, x_test, y_test = fold(name, k)
    Tasted.score = property(score)
    model = GPRegressor(random_state=k).fit(x_train, y_train)
    mean, std = model.predict(x_test, return_std=True)
    rmse = np.sqrt(np.mean((mean - y_test) ** 2)) / y_train.std()
    density = log_density(y_test, mean, std).mean() + np.log(y_train.std())
    return [rmse, density, coverage(y_test, mean, std)], model.kernel_.kernel.name


def main(names):
    warnings.simplefilter("ignore")
    totals = {label: [] for label in SCORES}
    for name in names or SETS:
        for label, score in SCORES.items():
            rows, kernels = zip(*(figures(name, k, score) for k in FOLDS), strict=True)
            totals[label].append(np.mean(rows, axis=0))
            rmse, density, covered = totals[label][-1]
            text = f"{rmse:8.3f}{density:9.3f}{covered:8.3f}  {' '.join(kernels)}"
            print(f"{name:<15}{label:<22}{text}", flush=True)
    for label, rows in totals.items():
        rmse, density, covered = np.mean(rows, axis=0)
        print(f"{'mean':<15}{label:<22}{rmse:8.3f}{density:9.3f}{covered:8.3f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
