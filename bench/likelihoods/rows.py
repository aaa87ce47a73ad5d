"""Training and test rows of a set and a seed, read from the directory named by ALAKARTE_DATA or generated.

In: a `Set` and a seed. Out: a `Split`. Text columns are categories, and so are the two numbered ones of covtype; other
columns are numbers. Where `is_test` marks the test rows there is one split; else a quarter of the rows, stratified for
classes. covtype_50k learns from the first 50,000 of its training rows, shuffled by the seed. Seeds of concrete are the
folds of that set.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from bench.folds import fold
from bench.likelihoods.sets import Set

CATEGORIES = {"covtype": ("wilderness_area", "soil_type")}  # categories that the file has as whole numbers
OUTLIERS, OUTLIER_STDS = 0.05, 10.0


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to test on; `exposure` is None where rows have none."""

    X: pd.DataFrame
    y: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    exposure: np.ndarray | None = None
    exposure_test: np.ndarray | None = None
    rate_test: np.ndarray | None = None  # the truth, of a generated set
    y_std: float = 1.0  # of clean training targets

    def take(self, rows: np.ndarray) -> "Split":
        """With these training rows only."""
        exposure = None if self.exposure is None else self.exposure[rows]
        return replace(self, X=self.X.iloc[rows], y=self.y[rows], exposure=exposure)


def load(one: Set, seed: int) -> Split:
    """The rows of a set and a seed."""
    if one.source == "generated":
        return GENERATED[one.name](seed)
    if one.source == "regression":
        return _concrete(one, seed)
    table = _table(one)
    inputs, target = table.iloc[:, :-1], table.iloc[:, -1].to_numpy()
    train, test = _parts(inputs, target, seed, stratified=one.kind == "classes")
    inputs = inputs.drop(columns="is_test", errors="ignore")
    split = Split(inputs.iloc[train], target[train], inputs.iloc[test], target[test])
    return split if one.n_train is None else split.take(first(len(train), one.n_train, seed))


def first(n: int, n_train: int, seed: int) -> np.ndarray:
    """The first `n_train` of n rows, shuffled."""
    return np.random.default_rng(seed).permutation(n)[:n_train]


def typed(table: pd.DataFrame, categories: tuple[str, ...] = ()) -> pd.DataFrame:
    """Text and the named columns as categories, all else as numbers; the target, the last column, as it is."""
    columns = {}
    for name, column in table.iloc[:, :-1].items():
        is_number = pd.api.types.is_numeric_dtype(column) and name not in categories
        columns[name] = column if name == "is_test" else column.astype(float if is_number else "category")
    return pd.DataFrame(columns | {table.columns[-1]: table.iloc[:, -1]})


def with_outliers(y: np.ndarray, seed: int) -> np.ndarray:
    """The targets, a seeded twentieth of them moved up or down by ten standard deviations."""
    rng = np.random.default_rng(seed)
    moved = rng.choice(len(y), round(OUTLIERS * len(y)), replace=False)
    y = y.copy()
    y[moved] += rng.choice([-1.0, 1.0], len(moved)) * OUTLIER_STDS * y.std()
    return y


def with_exposures(seed: int, n: int = 4000) -> Split:
    """Poisson counts whose exposures run from 0.1 to 100, log-uniformly; the rate is a smooth function of 3 inputs."""
    rng = np.random.default_rng(seed)
    inputs = pd.DataFrame(rng.standard_normal((n, 3)), columns=["a", "b", "c"])
    rate = np.exp(np.sin(2 * inputs["a"]) + 0.5 * inputs["b"]).to_numpy()
    exposure = 10 ** rng.uniform(-1, 2, n)
    counts = rng.poisson(rate * exposure)
    train, test = _parts(inputs, counts, seed, stratified=False)
    return Split(
        inputs.iloc[train], counts[train], inputs.iloc[test], counts[test], exposure[train], exposure[test], rate[test]
    )


def two_classes(seed: int, n: int = 1000, d: int = 8) -> Split:
    """1,000 rows to learn from and as many to test on, 8 inputs, two classes with a curved border and some noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2 * n, d))
    latent = 3 * np.sin(X[:, 0] + X[:, 1]) + 2 * X[:, 2] * X[:, 3] + X[:, 4]
    labels = (rng.random(2 * n) < 1 / (1 + np.exp(-latent))).astype(int)
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    return Split(table[:n], labels[:n], table[n:], labels[n:])


GENERATED = {"exposure": with_exposures, "rows_1000": two_classes}


def _concrete(one: Set, seed: int) -> Split:
    """A fold of the regression set; outliers among its training targets if the set is to have them."""
    X, y, X_test, y_test = fold(one.file or one.name, seed)
    names = [f"x{j}" for j in range(X.shape[1])]
    disturbed = with_outliers(y, seed) if one.name == "concrete_outliers" else y
    inputs, inputs_test = pd.DataFrame(X, columns=names), pd.DataFrame(X_test, columns=names)
    return Split(inputs, disturbed, inputs_test, y_test, y_std=float(y.std()))


def _table(one: Set) -> pd.DataFrame:
    """The file of a set, columns typed."""
    root = os.environ.get("ALAKARTE_DATA")
    file = one.file or one.name
    path = Path(root or "") / one.source / f"{file}.csv.gz"
    if not root or not path.exists():
        message = f"No data set {file!r}: ALAKARTE_DATA names {root!r}; it must be a directory with {one.source}/"
        raise FileNotFoundError(f"{message}{file}.csv.gz.")
    return typed(pd.read_csv(path), CATEGORIES.get(file, ()))


def _parts(inputs: pd.DataFrame, target: np.ndarray, seed: int, stratified: bool):
    """Positions of training and test rows."""
    rows = np.arange(len(target))
    if "is_test" in inputs:
        is_test = inputs["is_test"].to_numpy() > 0
        return rows[~is_test], rows[is_test]
    return train_test_split(rows, test_size=0.25, random_state=seed, stratify=target if stratified else None)
