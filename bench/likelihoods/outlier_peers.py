"""Boosted trees for regression with outliers, by squares and by absolute errors.

In: a `Split`. Out: an `Outcome` with means. The first line of a docstring states the settings.
"""

from bench.likelihoods.boosting import Rows, boosted
from bench.likelihoods.outcome import Clock, Outcome
from bench.likelihoods.rows import Split


def lightgbm_l2(split: Split) -> Outcome:
    """LightGBM by squared errors, settings as for classes."""
    return _boosted(split, "regression")


def lightgbm_l1(split: Split) -> Outcome:
    """LightGBM by absolute errors, settings as for classes."""
    return _boosted(split, "regression_l1")


def _boosted(split: Split, objective: str) -> Outcome:
    clock = Clock()
    model = boosted(Rows(split.X, split.y), {"objective": objective})
    seconds = clock.seconds()
    return Outcome(model.predict(split.X_test), seconds, f"{model.rounds} rounds")


PEERS = {peer.__name__: peer for peer in (lightgbm_l2, lightgbm_l1)}
