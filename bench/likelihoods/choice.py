"""Which of some candidates predicts rows best that it has not seen: five folds up to 5,000 rows, a tenth above.

In: fit functions, inputs and labels. Out: the candidate with the least log loss.
"""

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

FEW_ROWS = 5000
FOLDS = 5


def divisions(y: np.ndarray, stratified: bool = True) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions of rows to learn from and of rows held out."""
    labels = y if stratified else np.zeros(len(y))
    if len(y) <= FEW_ROWS:
        divider = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    else:
        divider = StratifiedShuffleSplit(1, test_size=0.1, random_state=0)
    return list(divider.split(labels, labels))


def best(candidates, X: np.ndarray, y: np.ndarray):
    """The candidate whose model, made by `candidate.fit(X, y)`, has the least log loss on held-out rows."""
    parts, labels = divisions(y), np.unique(y)
    losses = []
    for candidate in candidates:
        held_out = [
            log_loss(y[held], candidate.fit(X[train], y[train]).predict_proba(X[held]), labels=labels)
            for train, held in parts
        ]
        losses.append(np.mean(held_out))
    return candidates[int(np.argmin(losses))]
