"""Run cells, a line for each.

In: sets, methods, seeds and the file of lines. Out: lines with the error, the log density, the part of held-out rows
within 95 % bands, and seconds. A cell that has a line is never run again.
"""

import importlib.metadata
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from alakarte.metrics import log_density
from bench.lines import append, prepare, read
from bench.patterns.methods import METHODS, applies
from bench.patterns.sets import SETS

LINES = Path(__file__).parents[1] / "results" / "patterns.tsv"
CELL = ("set", "method", "seed")
# the fields of a line, with the digits that are kept
COLUMNS = dict.fromkeys(CELL) | {
    "error": 4,
    "log_density": 4,
    "coverage": 3,
    "seconds": 3,
    "n_train": None,
    "n_test": None,
}
SHARED = ("versions",)
PACKAGES = ("alakarte", "numpy", "scipy", "scikit-learn", "statsmodels", "statsforecast", "torch", "gpytorch")


def one(name: str, method: str, seed: int) -> dict:
    """Fit and score one cell."""
    known = SETS[name]
    x, y, held = known.rows(np.random.default_rng(seed))
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mean, lower, upper, std = METHODS[method](x[~held], y[~held], x[held], known, seed)
    seconds = time.process_time() - began
    test = y[held]
    return {
        "error": float(np.sqrt(np.mean((test - mean) ** 2)) / (known.noise or y.std())),
        "log_density": float(np.mean(log_density(test, mean, std)) + np.log(y.std())),
        "coverage": float(np.mean((test >= lower) & (test <= upper))),
        "seconds": seconds,
        "n_train": int((~held).sum()),
        "n_test": int(held.sum()),
    }


def run(sets: list[str], methods: list[str], seeds: list[int], path: Path) -> None:
    """All cells without a line."""
    prepare(path, COLUMNS)
    done = {tuple(line[field] for field in CELL) for line in read(path)}
    for name, method, seed in ((s, m, k) for s in sets for m in methods for k in seeds):
        if (name, method, seed) in done or not applies(method, name, SETS[name]):
            continue
        try:
            line = {"set": name, "method": method, "seed": seed} | one(name, method, seed)
        except ImportError as missing:
            print(f"{name}, {method}: {missing}", file=sys.stderr)
            continue
        append(path, line | {"versions": _versions()}, COLUMNS, SHARED)
        print({key: line[key] for key in (*CELL, "error", "log_density", "coverage", "seconds")}, flush=True)


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
