"""How honest 95 % intervals of `GPRegressor()` are, and what calibration by rows left out changes.

    python -m bench.studies.coverage [set …] [--folds 0 1 …] [--lines PATH] [--table]

In: folds of the sets, tables of scikit-learn in fifths, generated rows. Out: a line per fit in
`results/coverage.tsv`; with `--table` nothing is run. The table pools the folds of a set: RMSE over std(y), log density
of standardised y and coverage with its standard error, both with the intervals as they were learned (`learned`) and
calibrated, and calibrated coverage by quarters of the distance to the nearest training row, nearest first. The mean
does not depend on calibration, so both come from one fit.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.spatial import KDTree
from sklearn import datasets

from alakarte import GPRegressor
from alakarte.metrics import coverage, log_density
from bench import lines
from bench.folds import fold
from bench.scores import rmse

LINES = Path(__file__).parents[1] / "results" / "coverage.tsv"
COLUMNS = {
    "set": None,
    "fold": None,
    "n_train": None,
    "n_test": None,
    "kernel": None,
    "rmse_over_std": 6,
    "scale": 4,
    "dof": 4,
    "log_density_learned": 6,
    "log_density": 6,
    "coverage_learned": 6,
    "coverage": 6,
    "quarters": None,
    "largest_std": 4,
    "cpu_seconds": 4,
}
OF_SKLEARN = ("diabetes", "wine_alcohol", "mean_concavity")
NOISE = {"friedman1": 1.0, "friedman2": 125.0, "friedman3": 0.1}
GENERATED_ROWS = (300, 400)  # to learn from, to test on


def table_of_sklearn(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X and y of a table that comes with scikit-learn."""
    if name == "diabetes":
        return datasets.load_diabetes(return_X_y=True)
    X, column = (datasets.load_wine().data, 0) if name == "wine_alcohol" else (datasets.load_breast_cancer().data, 6)
    return np.delete(X, column, axis=1), X[:, column]


def split(name: str, k: int):
    """X_train, y_train, X_test, y_test of a fold."""
    if name in NOISE:
        n, n_test = GENERATED_ROWS
        make = getattr(datasets, f"make_{name}")
        X, y = make(n_samples=n + n_test, noise=NOISE[name], random_state=k)
        return X[:n], y[:n], X[n:], y[n:]
    if name in OF_SKLEARN:
        X, y = table_of_sklearn(name)
        order = np.random.default_rng(1000 + k).permutation(len(X))
        test, train = np.split(order, [len(X) // 5])
        return X[train], y[train], X[test], y[test]
    return fold(name, k)


def one(name: str, k: int) -> dict:
    """The line of one fit."""
    X, y, X_test, y_test = split(name, k)
    warnings.simplefilter("ignore")
    began = time.process_time()
    model = GPRegressor(random_state=k, n_jobs=1).fit(X, y)
    seconds = time.process_time() - began
    mean, std = model.predict(X_test, return_std=True)
    low, high = model.predict_interval(X_test)
    covered = (low <= y_test) & (y_test <= high)
    found = model.model_.calibration
    learned = std / found.scale[0]
    return {
        "set": name,
        "fold": k,
        "n_train": len(y),
        "n_test": len(y_test),
        "kernel": model.kernel_.kernel.name,
        "rmse_over_std": rmse(mean - y_test) / float(y.std()),
        "scale": float(found.scale[0]),
        "dof": float(found.dof[0]),
        "log_density_learned": float(log_density(y_test, mean, learned).mean() + np.log(y.std())),
        "log_density": float(model.log_predictive_density(X_test, y_test).mean() + np.log(y.std())),
        "coverage_learned": coverage(y_test, mean, learned),
        "coverage": float(covered.mean()),
        "quarters": quarters(model.model_.scaling.inputs(X), model.model_.scaling.inputs(X_test), covered),
        "largest_std": float(std.max() / y.std()),
        "cpu_seconds": seconds,
    }


def quarters(x: np.ndarray, x_test: np.ndarray, covered: np.ndarray) -> str:
    """Rows covered and rows in all, of each quarter of test rows by distance to the nearest training row."""
    distance = KDTree(x).query(x_test)[0]
    parts = np.array_split(np.argsort(distance, kind="stable"), 4)
    return " ".join(f"{np.count_nonzero(covered[part])}/{len(part)}" for part in parts)


def run(names, folds, path: Path) -> None:
    """All fits that have no line yet."""
    lines.prepare(path, COLUMNS)
    done = {(line["set"], line["fold"]) for line in lines.read(path)}
    for name in names:
        for k in folds:
            if (name, k) not in done:
                lines.append(path, one(name, k), COLUMNS)


def show(path: Path, names, folds) -> None:
    """A line per set, its folds pooled by their test rows."""
    print(
        "set             rows  RMSE/sd  log density: learned, now    coverage: learned, now ± se     by distance"
        "               scale   dof"
    )
    found = [line for line in lines.read(path) if line["fold"] in folds]
    for name in dict.fromkeys(line["set"] for line in found):
        of_set = [line for line in found if line["set"] == name]
        if names and name not in names:
            continue
        weight = np.array([line["n_test"] for line in of_set])
        mean = {key: np.average([line[key] for line in of_set], weights=weight) for key in COLUMNS if key in POOLED}
        error = np.sqrt(mean["coverage"] * (1 - mean["coverage"]) / weight.sum())
        print(
            f"{name:<14}{weight.sum():>6}{mean['rmse_over_std']:>9.4f}{mean['log_density_learned']:>14.3f}"
            f"{mean['log_density']:>9.3f}{mean['coverage_learned']:>19.3f}{mean['coverage']:>7.3f} ± {error:.3f}"
            f"    {pooled_quarters(of_set)}{np.mean([line['scale'] for line in of_set]):>8.2f}"
            f"{np.median([float(line['dof']) for line in of_set]):>6.3g}"
        )


POOLED = ("rmse_over_std", "log_density_learned", "log_density", "coverage_learned", "coverage")


def pooled_quarters(of_set: list[dict]) -> str:
    """Coverage of each quarter, of all folds together."""
    counts = np.array([[part.split("/") for part in line["quarters"].split()] for line in of_set], dtype=int)
    covered, rows = counts.sum(axis=0).T
    return " ".join(f"{share:.3f}" for share in covered / np.maximum(rows, 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--folds", nargs="*", type=int, default=list(range(5)))
    parser.add_argument("--lines", type=Path, default=LINES)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    if not asked.table:
        run(asked.sets, asked.folds, asked.lines)
    show(asked.lines, asked.sets, asked.folds)


if __name__ == "__main__":
    main()
