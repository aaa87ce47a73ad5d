"""The paper's data sets and folds, read from the directory named by ALAKARTE_DATA; nothing of them is kept here."""

import gzip
import os
from functools import cache
from pathlib import Path

import numpy as np

LAYOUTS = ("{name}", "regression/{name}", "uci_datasets/{name}")
CURE = "clone treforevans/uci_datasets from GitHub and set ALAKARTE_DATA to the path of the clone"


def directory(name: str) -> Path:
    """Folder of a data set."""
    root = os.environ.get("ALAKARTE_DATA")
    if not root:
        raise FileNotFoundError(f"ALAKARTE_DATA is not set: {CURE}.")
    for layout in LAYOUTS:
        folder = Path(root) / layout.format(name=name)
        if (folder / "data.csv.gz").exists():
            return folder
    raise FileNotFoundError(f"No data set {name!r} under ALAKARTE_DATA={root}: {CURE}.")


@cache
def load(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X (n, d), y (n,), mask (n, 10) whose column k marks the test rows of fold k."""
    table = _table(directory(name) / "data.csv.gz")
    mask = _table(directory(name) / "test_mask.csv.gz") > 0.5
    return table[:, :-1], table[:, -1], mask


def _table(path):
    with gzip.open(path, "rt") as stream:
        return np.loadtxt(stream, delimiter=",", ndmin=2)


def fold(name: str, k: int):
    """X_train, y_train, X_test, y_test of fold k."""
    X, y, mask = load(name)
    test = mask[:, k]
    return X[~test], y[~test], X[test], y[test]
