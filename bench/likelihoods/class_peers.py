"""Other classifiers behind one form of function.

In: a `Split`. Out: an `Outcome` with probabilities. The first line of a docstring states the settings; it stands above
the result lines. A peer that is not installed raises ImportError with its name.
"""

import os

import numpy as np
from scipy.special import softmax
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bench.likelihoods.boosting import Rows, boosted
from bench.likelihoods.choice import best
from bench.likelihoods.encoding import arrays, standardised
from bench.likelihoods.outcome import Clock, Outcome
from bench.likelihoods.rows import Split

MAX_ROWS_GPC = 2000
CHOICE_ROWS = 3000  # rows by which RBFSampler's width is chosen
TREES = 500
THREADS = os.cpu_count()


def logistic(split: Split) -> Outcome:
    """Standardised and one-hot, C of .01, .1, 1, 10, 100 by five folds (a tenth held out above 5,000 rows)."""
    clock = Clock()
    X, X_test = standardised(split.X, split.X_test)
    candidates = [LogisticRegression(C=C, max_iter=300) for C in (0.01, 0.1, 1.0, 10.0, 100.0)]
    model = best(candidates, X, split.y).fit(X, split.y)
    seconds = clock.seconds()
    return Outcome(model.predict_proba(X_test), seconds, f"C = {model.C:g}")


def rbf_sampler(split: Split) -> Outcome:
    """RBFSampler, 1,000 columns (2,000 above 5,000 rows), logistic; scaling, gamma, C by five folds of ≤ 3,000 rows."""
    clock = Clock()
    X, X_test = arrays(split.X, split.X_test)
    few, y_few = X, split.y
    if len(few) > CHOICE_ROWS:
        few, _, y_few, _ = train_test_split(few, split.y, train_size=CHOICE_ROWS, random_state=0, stratify=split.y)
    widths = [_sampler(few, alike, c, 30.0) for alike in (False, True) for c in (0.25, 0.5, 1.0, 2.0, 4.0)]
    chosen = best(widths, few, y_few)
    chosen = best([_with(chosen, C) for C in (1.0, 10.0, 100.0, 1000.0)], few, y_few)
    chosen.set_params(rbfsampler__n_components=1000 if len(X) <= 5000 else 2000)
    model = chosen.fit(X, split.y)
    seconds = clock.seconds()
    scaling = "one scale" if model[0].with_std is False else "each column scaled"
    note = f"gamma {model[1].gamma:.3g}, C = {model[2].C:g}, {scaling}"
    return Outcome(model.predict_proba(X_test), seconds, note)


def _sampler(X: np.ndarray, alike: bool, factor: float, C: float):
    """Gamma is `factor` over the median squared distance; `alike` leaves the columns' own scales."""
    scaler = StandardScaler(with_std=not alike).fit(X)
    some = scaler.transform(X[np.random.default_rng(0).permutation(len(X))[:500]])
    squares = np.sum((some[: len(some) // 2] - some[-(len(some) // 2) :]) ** 2, axis=1)
    sampler = RBFSampler(gamma=factor / np.median(squares), n_components=500, random_state=0)
    return make_pipeline(scaler, sampler, LogisticRegression(C=C, max_iter=300))


def _with(model, C: float):
    return clone(model).set_params(logisticregression__C=C)


def random_forest(split: Split) -> Outcome:
    """500 trees, one-hot, leaves of at least 1, 3 or 10 rows by out-of-bag log loss, one more vote for every class."""
    clock = Clock()
    X, X_test = arrays(split.X, split.X_test)
    forests = [
        RandomForestClassifier(TREES, min_samples_leaf=leaf, oob_score=True, n_jobs=THREADS, random_state=0)
        for leaf in (1, 3, 10)
    ]
    losses = [_out_of_bag(forest.fit(X, split.y), split.y) for forest in forests]
    forest = forests[int(np.argmin(losses))]
    seconds = clock.seconds()
    return Outcome(_one_more_vote(forest.predict_proba(X_test)), seconds, f"leaves of {forest.min_samples_leaf}")


def _out_of_bag(forest, y: np.ndarray) -> float:
    return log_loss(y, _one_more_vote(forest.oob_decision_function_))


def _one_more_vote(proba: np.ndarray) -> np.ndarray:
    return (TREES * proba + 1 / proba.shape[1]) / (TREES + 1)


def hist_gradient_boosting(split: Split) -> Outcome:
    """Learning rate .05, at most 1,000 rounds, early stopping on a tenth, categories by dtype."""
    clock = Clock()
    model = HistGradientBoostingClassifier(
        learning_rate=0.05, max_iter=1000, early_stopping=True, n_iter_no_change=20, random_state=0
    ).fit(split.X, split.y)
    seconds = clock.seconds()
    return Outcome(model.predict_proba(split.X_test), seconds, f"{model.n_iter_} rounds")


def lightgbm(split: Split, leaves: int = 31) -> Outcome:
    """Learning rate .05, 31 leaves, rounds by five folds up to 5,000 rows, by early stopping on a tenth above."""
    clock = Clock()
    n_classes = len(np.unique(split.y))
    objective = {"objective": "binary"} if n_classes == 2 else {"objective": "multiclass", "num_class": n_classes}
    model = boosted(Rows(split.X, split.y), objective | {"num_leaves": leaves}, stratified=True)
    seconds = clock.seconds()
    predicted = model.predict(split.X_test)
    proba = np.column_stack([1 - predicted, predicted]) if n_classes == 2 else predicted
    return Outcome(proba, seconds, f"{model.rounds} rounds")


def lightgbm_127(split: Split) -> Outcome:
    """As lightgbm, 127 leaves."""
    return lightgbm(split, leaves=127)


def gpc(split: Split) -> Outcome:
    """scikit-learn's GaussianProcessClassifier, constant × one ARD RBF, standardised; at most 2,000 rows."""
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    if len(split.y) > MAX_ROWS_GPC:
        raise ValueError(f"{len(split.y)} training rows are more than the {MAX_ROWS_GPC} of an exact process.")
    clock = Clock()
    X, X_test = standardised(split.X, split.X_test)
    start = np.full(X.shape[1], np.sqrt(X.shape[1]))
    kernel = ConstantKernel(1.0, (1e-3, 1e4)) * RBF(start, (1e-2, 1e4))
    model = GaussianProcessClassifier(kernel, random_state=0).fit(X, split.y)
    seconds = clock.seconds()
    return Outcome(model.predict_proba(X_test), seconds, f"log evidence {model.log_marginal_likelihood_value_:.1f}")


def svgp(split: Split) -> Outcome:
    """GPyTorch's SVGP: RBF ARD, 500 inducing points, Adam .03, 1,000 batches of 1,024 rows or 150 s."""
    from bench.likelihoods.svgp import probabilities

    X, X_test = standardised(split.X, split.X_test)
    return probabilities(X, split.y, X_test)


def two_normals(split: Split) -> Outcome:
    """What ring was drawn from: each class normal, one mean and one variance for all inputs, by training rows."""
    X, X_test = split.X.to_numpy(), split.X_test.to_numpy()
    classes, counts = np.unique(split.y, return_counts=True)
    logs = [
        np.log(count) + _log_density(X[split.y == label], X_test) for label, count in zip(classes, counts, strict=True)
    ]
    return Outcome(softmax(np.column_stack(logs), axis=1), 0.0, "no fit")


def _log_density(rows: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Of a normal distribution around one number, with one variance, given some rows of it."""
    mean, variance = rows.mean(), rows.var()
    return -0.5 * (((at - mean) ** 2).sum(axis=1) / variance + rows.shape[1] * np.log(variance))


PEERS = {
    peer.__name__: peer
    for peer in (
        logistic,
        gpc,
        rbf_sampler,
        lightgbm,
        lightgbm_127,
        hist_gradient_boosting,
        random_forest,
        svgp,
        two_normals,
    )
}
