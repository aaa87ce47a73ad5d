"""The sets of this room, by kind, and the figure that is asked of each.

In: nothing. Out: `SETS`, records by name. `kind` decides the loss of a test row: "classes" and "counts" have the
negative log probability of what was observed, "outliers" the squared error over the variance of clean training targets.
"""

from dataclasses import dataclass

SEEDS = (0, 1, 2)
GLM = ("glm_poisson", "glm_nb")
LIGHTGBM = ("lightgbm", "lightgbm_127")


@dataclass(frozen=True)
class Asked:
    """A limit of one figure of ours: a number, or the least loss among some methods, times `factor`, plus `slack`.

    `among` empty with no number means all peers.
    """

    text: str
    figure: str = "loss"
    at_most: float | None = None
    at_least: float | None = None
    among: tuple[str, ...] = ()
    slack: float = 0.0
    factor: float = 1.0


@dataclass(frozen=True)
class Set:
    """A data set: where its rows come from, how many rows are learned from, and what is asked of `ours`."""

    name: str
    kind: str  # "classes", "counts" or "outliers"
    asked: tuple[Asked, ...]
    source: str  # "classification", "counts", "regression" or "generated"
    file: str | None = None  # if it is not the name
    n_train: int | None = None  # the first of shuffled training rows; all if None
    seeds: tuple[int, ...] = SEEDS
    ours: str = "alakarte"


def _best(slack: float) -> Asked:
    return Asked(f"≤ best peer + {slack:g}", slack=slack)


def _at_most(limit: float) -> Asked:
    return Asked(f"≤ {limit:g}", at_most=limit)


def _classes(name: str, *asked: Asked, **more) -> Set:
    return Set(name, "classes", asked, "classification", **more)


def _counts(name: str) -> Set:
    return Set(name, "counts", (Asked("< GLM, Poisson and NB", among=GLM),), "counts")


SMALL = ("heart", "pima", "sonar", "ionosphere", "wdbc")
COUNTS = ("nmes_ofp", "bike", "doctorcontacts", "rwm5yr", "biochemists")
MARKED = {"seeds": (0,)}  # the test rows are marked in the data: one split
COVTYPE_ALL = (
    _at_most(0.055),
    Asked("≤ 600 s", "seconds", at_most=600.0),
    Asked("≤ 2 GB beyond the data", "peak_mb", at_most=2048.0),
)
SECONDS = (
    Asked("seconds ≤ scikit-learn's GP classifier", "seconds", among=("gpc",)),
    Asked("≤ 5 s", "seconds", at_most=5.0),
)
STUDENT_T = (Asked("≤ .33", at_most=0.33),)
CLEAN = (Asked("≤ 1.03 Gaussian", among=("alakarte",), factor=1.03),)

_ALL = (
    *(_classes(name, _best(0.02)) for name in SMALL),
    _classes("banana", _at_most(0.230)),
    _classes("ring", _at_most(0.050)),
    _classes("twonorm", _best(0.005)),
    _classes("digits8x8", _at_most(0.045)),
    _classes("penbased", Asked("≤ LightGBM", among=LIGHTGBM)),
    _classes("letter", _at_most(0.070)),
    _classes("adult", _at_most(0.285), **MARKED),
    _classes("higgs7k", _best(0.015), **MARKED),
    *(_counts(name) for name in COUNTS),
    Set("exposure", "counts", (Asked("≤ .02 beyond the truth", among=("truth",), slack=0.02),), "generated"),
    Set("concrete", "outliers", CLEAN, "regression", ours="alakarte_student_t"),
    Set("concrete_outliers", "outliers", STUDENT_T, "regression", file="concrete", ours="alakarte_student_t"),
    Set("rows_1000", "classes", SECONDS, "generated"),
    _classes("mnist30k", Asked("accuracy ≥ .97", "accuracy", at_least=0.97), **MARKED),
    _classes("covtype_50k", _at_most(0.175), file="covtype", n_train=50_000),
    _classes("covtype_all", *COVTYPE_ALL, file="covtype", **MARKED),
)
SETS = {each.name: each for each in _ALL}
