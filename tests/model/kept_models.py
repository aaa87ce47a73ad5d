"""Small fitted estimators, one for each kind of posterior, estimator and likelihood: what files must keep."""

import warnings
from functools import cache

import numpy as np

from alakarte import FastfoodFeatures, GPClassifier, GPCountRegressor, GPRegressor
from alakarte.kernels import ARD, RBF, GaussianMixture, PiecewiseLinear
from alakarte.kernels.registry import kernels
from alakarte.posteriors.votes import VotesPosterior

SHORT = {"max_iter": 2, "max_iter_restart": 1, "n_restarts": 1, "random_state": 0, "n_jobs": 1}


def table(n=24, d=3):
    """X (n, d) whose last column is one of three whole numbers, and y (n,)."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, d))
    X[:, -1] = rng.integers(0, 3, n)
    return X, np.sin(X[:, 0]) + 0.3 * X[:, -1] + 0.1 * rng.standard_normal(n)


X, y = table()
LABELS = np.array(["low", "middle", "high"], dtype=object)[np.digitize(y, [0.0, 0.6])]
COUNTS = np.round(np.exp(y))
# name: estimator, target
RECIPES = {
    "rows": (GPRegressor("ard", **SHORT), y),
    "average": (GPRegressor(**SHORT), y),
    "weights": (GPRegressor("gm", n_components=2, n_frequencies=4, **SHORT), y),
    "weights_fast": (GPRegressor("ard", n_frequencies=8, expansion="fastfood", categorical_features=[2], **SHORT), y),
    "low_rank": (GPRegressor("ard", n_frequencies=40, **SHORT), y),
    "two_targets": (GPRegressor("rbf", **SHORT), np.column_stack([y, 3 * y**2])),
    "settings": (
        GPRegressor(ARD(fixed={"amplitude": 2.0}, bounds={"lengthscale": ([0.1, 0.1, 1.0], np.inf)}), **SHORT),
        y,
    ),
    "noise_given": (GPRegressor("ard", noise_std=np.float64(0.3), **SHORT), y),
    "log": (GPRegressor("ard", target_transform="log", **SHORT), np.exp(y)),
    "yeo_johnson": (
        GPRegressor("ard", target_transform="yeo-johnson", n_frequencies=6, **SHORT),
        np.column_stack([np.exp(y), -np.exp(0.5 * y)]),
    ),
    "knots": (GPRegressor(PiecewiseLinear(n_knots=3), n_components=1, n_frequencies=4, **SHORT), y),
    "student_t": (GPRegressor("ard", likelihood="student_t", **SHORT), y),
    "student_t_weights": (GPRegressor("ard", likelihood="student_t", n_frequencies=6, **SHORT), y),
    "two_classes": (GPClassifier("ard", class_weight={False: 1.0, True: 2.0}, **SHORT), y > 0.2),
    "three_classes": (GPClassifier("rbf", **SHORT), LABELS),
    "three_classes_weights": (GPClassifier("rbf", n_frequencies=6, **SHORT), LABELS),
    "counts": (GPCountRegressor("rbf", **SHORT), COUNTS),
    "counts_average": (GPCountRegressor(likelihood="poisson", **SHORT), COUNTS),
    "sum": (GPRegressor(ARD() + RBF(), **SHORT), y),
    "sum_weights": (GPRegressor(ARD() + GaussianMixture(), n_components=1, n_frequencies=3, **SHORT), y),
    "full_covariance": (GPRegressor(GaussianMixture(covariance="full"), n_components=2, **SHORT), y),
    "full_covariance_weights": (GPRegressor(GaussianMixture(covariance="full"), n_frequencies=3, **SHORT), y),
    "input_noise": (GPRegressor("ard", likelihood="heteroscedastic", **SHORT), y),
    "neighbours": (GPRegressor("matern12", expansion="local", n_neighbors=5, **SHORT), y),
    "votes": (GPClassifier("matern12", expansion="local", n_neighbors=5, **SHORT), LABELS),
    "features": (FastfoodFeatures(n_components=9, random_state=0), y),
    **{f"kernel_{name}": (GPRegressor(name, n_frequencies=5, **SHORT), y) for name in sorted(kernels())},
}
GOLDEN = (
    "average",
    "weights_fast",
    "low_rank",
    "student_t",
    "two_classes",
    "three_classes_weights",
    "counts",
    "features",
    "sum_weights",
    "neighbours",
    "votes",
    "log",
    "yeo_johnson",
)


@cache
def fitted(name):
    """The fitted estimator of a recipe: not to be changed."""
    estimator, target = RECIPES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, target)


def moved(rows):
    """Other rows, with the same category."""
    return rows + 0.25 * (np.arange(3) < 2)


def answers(estimator):
    """All that an estimator says of some rows, as arrays."""
    rows = moved(X[:7])
    if isinstance(estimator, FastfoodFeatures):
        return [estimator.transform(rows)]
    if isinstance(estimator, GPClassifier) and isinstance(estimator.model_.posterior, VotesPosterior):
        return [estimator.predict(rows), estimator.predict_proba(rows)]
    if isinstance(estimator, GPClassifier):
        return [estimator.predict(rows), estimator.predict_proba(rows), *estimator.predict_latent(rows)]
    if isinstance(estimator, GPCountRegressor):
        return [*estimator.predict(rows, return_std=True), *estimator.predict_interval(rows)]
    parts = [*estimator.predict(rows, return_std=True), *estimator.predict_interval(rows)]
    return [*parts, estimator.sample_y(rows, 2), estimator.kernel_(rows, rows[:2])]
