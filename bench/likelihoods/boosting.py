"""LightGBM with early stopping, for classes, counts and regression.

In: training rows and parameters. Out: a model and the raw scores of rows that it did not see. Up to 5,000 rows five
folds choose the number of rounds and the model learns from all rows again; above, a tenth of the rows is held out.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bench.likelihoods.choice import divisions

PARAMETERS = {"learning_rate": 0.05, "verbose": -1, "seed": 0}
MOST_ROUNDS, PATIENCE = 3000, 50


@dataclass(frozen=True)
class Rows:
    """Inputs, targets, and the raw score that boosting starts from (log exposure), if any."""

    X: pd.DataFrame
    y: np.ndarray
    start: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> "Rows":
        """Some of them."""
        return Rows(self.X.iloc[rows], self.y[rows], None if self.start is None else self.start[rows])


@dataclass(frozen=True)
class Boosted:
    """A booster, its rounds, and the rows held out with their raw scores (start included)."""

    booster: object
    rounds: int
    held: np.ndarray
    held_scores: np.ndarray

    def raw(self, X: pd.DataFrame) -> np.ndarray:
        """Raw scores without start."""
        return self.booster.predict(X, raw_score=True, num_iteration=self.rounds)

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """What the objective predicts."""
        return self.booster.predict(X, num_iteration=self.rounds)


def boosted(rows: Rows, parameters: dict, stratified: bool = False) -> Boosted:
    """Fit with as many rounds as serve rows that were held out."""
    parameters = PARAMETERS | parameters
    parts = divisions(rows.y, stratified)
    models = [_stopped_early(rows, parameters, train, held) for train, held in parts]
    if len(models) == 1:
        return models[0]
    rounds = max(1, round(np.mean([model.rounds for model in models])))
    return replace(
        models[0],
        booster=_train(rows, parameters, rounds),
        rounds=rounds,
        held=np.concatenate([model.held for model in models]),
        held_scores=np.concatenate([model.held_scores for model in models]),
    )


def _stopped_early(rows: Rows, parameters: dict, train: np.ndarray, held: np.ndarray) -> Boosted:
    import lightgbm

    learning, watched = rows.take(train), rows.take(held)
    data = lightgbm.Dataset(learning.X, learning.y, init_score=learning.start)
    watch = lightgbm.Dataset(watched.X, watched.y, init_score=watched.start, reference=data)
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    booster = lightgbm.train(parameters, data, MOST_ROUNDS, valid_sets=[watch], callbacks=[stop])
    model = Boosted(booster, booster.best_iteration, held, np.empty(0))
    scores = model.raw(watched.X)
    return replace(model, held_scores=scores if watched.start is None else scores + watched.start)


def _train(rows: Rows, parameters: dict, rounds: int):
    import lightgbm

    return lightgbm.train(parameters, lightgbm.Dataset(rows.X, rows.y, init_score=rows.start), rounds)
