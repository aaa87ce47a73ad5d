"""What is run: cells, each a set, a method and a fold, with the settings of the paper or the library's own.

In: names. Out: `Cell`s in the order in which they tell most. Nothing here is chosen by data set, only by its group.
"""

from dataclasses import asdict, dataclass
from itertools import product

from bench.paper.published import METHODS, PAPER

# The paper's section 5. It is stated once above the result lines, in this form; "other": what is not named.
PROTOCOL = {
    "Q_and_m": {
        "small": [5, 256],
        "medium": [3, 256],
        "large": {"3droad": [6, 16], "buzz": [6, 16], "song": [5, 8], "houseelectric": [5, 8]},
    },
    "n_restarts": {"rbf": 5, "other": 10},
    "exact_in_mode_paper": {"small": ["rbf", "ard"]},
    "n_learning_rows": {"small": None, "medium": "auto", "large": "auto"},
    "n_posterior_frequencies": None,
    "max_iter": 150,
    "max_iter_restart": 20,
    "lengthscale_spread": None,
    "random_state": "fold",
}
SCHEDULES = {None: "literal", "auto": "progressive"}  # by n_learning_rows
FOLDS_OF_ALL = 800  # rows up to which all ten folds are run
SWEEP_SETS = ("concrete", "energy")
SWEEP_Q = ((1, 32), (2, 32), (4, 32), (8, 32), (16, 32))
SWEEP_M = ((2, 8), (2, 16), (2, 32), (2, 64), (2, 128), (2, 256))


@dataclass(frozen=True)
class Cell:
    """One run; `mode` "paper", "auto", "sweep" or "fastfood"."""

    set: str
    method: str
    fold: int
    mode: str
    Q: int | None = None  # the mode's own if None
    m: int | None = None

    def key(self) -> tuple:
        """What makes it the same run."""
        return tuple(asdict(self).values())


def group(name: str, n_rows: int | None = None) -> str:
    """Small, medium or large: the paper's, or by rows for a set it does not have."""
    if name in PAPER:
        return PAPER[name].group
    return "small" if n_rows <= 2000 else "medium" if n_rows <= 100_000 else "large"


def schedule(name: str, n_rows: int | None = None) -> str:
    """The paper's literal protocol, or the progressive one where that costs hours."""
    return SCHEDULES[PROTOCOL["n_learning_rows"][group(name, n_rows)]]


def settings(cell: Cell, n_rows: int) -> dict:
    """Arguments of GPRegressor for a cell; the library's defaults for `auto`."""
    if cell.mode == "auto":
        return {"random_state": cell.fold}
    kind, restarts = group(cell.set, n_rows), PROTOCOL["n_restarts"]
    Q, m = (cell.Q, cell.m) if cell.Q else _sizes(cell.set, kind)
    exact = cell.mode == "paper" and cell.method in PROTOCOL["exact_in_mode_paper"].get(kind, ())
    same = ("n_posterior_frequencies", "max_iter", "max_iter_restart", "lengthscale_spread")
    return {
        "kernel": cell.method,
        "n_components": Q,
        "n_frequencies": m,
        "n_learning_rows": PROTOCOL["n_learning_rows"][kind],
        "expansion": "exact" if exact else "fastfood",
        "n_restarts": restarts.get(cell.method, restarts["other"]),
        "random_state": cell.fold,
        **{name: PROTOCOL[name] for name in same},
    }


def _sizes(name: str, kind: str) -> list[int]:
    """Q and m of a set."""
    sizes = PROTOCOL["Q_and_m"][kind]
    return sizes.get(name, [5, 8]) if kind == "large" else sizes


def cells(names, folds=None, methods=METHODS, modes=("paper", "auto")) -> list[Cell]:
    """All cells of some sets, first folds of all sets first; the paper's choice of folds unless told."""
    found = []
    for name in names:
        kind, n_rows = group(name), PAPER[name].n_rows
        wanted = range(10) if n_rows <= FOLDS_OF_ALL else range(3) if kind == "small" else range(1)
        for k in folds or wanted:
            if "paper" in modes:
                found += [Cell(name, method, k, "paper") for method in methods]
            if "auto" in modes:
                found.append(Cell(name, "auto", k, "auto"))
    return sorted(found, key=lambda cell: (cell.fold, PAPER[cell.set].n_rows))


def baselines(names, folds=(0,)) -> list[Cell]:
    """The rbf and ard of small sets by Fastfood, which the table has exact: what the figures measure others by."""
    small = sorted((name for name in names if group(name) == "small"), key=lambda name: PAPER[name].n_rows)
    return [Cell(name, method, k, "fastfood") for k, name, method in product(folds, small, ("rbf", "ard"))]


def sweep(names=SWEEP_SETS, folds=(0,), methods=METHODS) -> list[Cell]:
    """RMSE against Q at m = 32 and against m at Q = 2, at Q·m frequencies for all methods."""
    sizes = dict.fromkeys((*SWEEP_M, *SWEEP_Q))
    every = product(folds, sizes, names, methods)
    return [Cell(name, method, k, "sweep", Q, m) for k, (Q, m), name, method in every]
