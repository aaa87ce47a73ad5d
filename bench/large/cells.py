"""What is run on large tables: cells, each a set, a fold, a method and a limit of time.

In: names. Out: cells as dictionaries, and the rows of one.
"""

import numpy as np

from bench import folds
from bench.folds import fold
from bench.large.peers import METHODS

# the same rows, whole days left out: the set, and the inputs that tell the day
BY_DAYS = {"bike_days": ("bike", (0, 1, 2)), "houseelectric_days": ("houseelectric", (0, 1, 2))}
SETS = (
    "kin40k",
    "protein",
    "bike",
    "bike_days",
    "houseelectric",
    "houseelectric_days",
    "sml",
    "gas",
    "pumadyn32nm",
    "keggdirected",
    "parkinsons",
)
FOLDS = dict.fromkeys(("protein", "bike", "bike_days"), range(3)) | dict.fromkeys(
    ("sml", "gas", "pumadyn32nm"), range(5)
)
TREES = ("lightgbm", "xgboost", "histogram_boosting")
PEERS = dict.fromkeys(("kin40k", "protein", "bike", "bike_days"), tuple(METHODS)[1:])
PEERS |= dict.fromkeys(("houseelectric", "houseelectric_days"), TREES)  # others would take hours


def cells(names, folds=None, methods=None, max_time: float | None = None) -> list[dict]:
    """All cells of some sets: the library on some folds, trees beside it, other peers on fold 0, unless told otherwise.

    Peers have no limit of time: with one, only the library runs.
    """
    return [
        {"set": name, "fold": k, "method": method, "max_time": max_time}
        for name in names
        for k in folds or FOLDS.get(name, [0])
        for method in methods or ("alakarte", *(() if max_time else _peers(name, k)))
    ]


def _peers(name: str, k: int) -> tuple[str, ...]:
    """Of one fold; those that take a minute or more on the first alone."""
    return tuple(peer for peer in PEERS.get(name, ()) if peer in TREES or k == 0)


def load(name: str, k: int):
    """X_train, y_train, X_test, y_test; bike (a log count) without the two inputs whose sum is the count."""
    x_train, y_train, x_test, y_test = fold_of_days(name, k) if name in BY_DAYS else fold(name, k)
    last = -2 if name.startswith("bike") else None
    return x_train[:, :last], y_train, x_test[:, :last], y_test


def fold_of_days(name: str, k: int):
    """X_train, y_train, X_test, y_test: every tenth day of a random order is a test day, from the k-th on."""
    source, columns = BY_DAYS[name]
    X, y, _ = folds.load(source)
    day = np.unique(X[:, columns], axis=0, return_inverse=True)[1].ravel()
    place = np.random.default_rng(0).permutation(day.max() + 1)
    test = place[day] % 10 == k
    return X[~test], y[~test], X[test], y[test]
