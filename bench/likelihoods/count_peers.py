"""Other models of counts behind one form of function.

In: a `Split`, with exposures or without. Out: an `Outcome` with the log probability of every observed count. The first
line of a docstring states the settings; it stands above the result lines.
"""

import warnings

import numpy as np
from scipy.linalg import qr
from scipy.optimize import minimize_scalar

from bench.likelihoods.boosting import Rows, boosted
from bench.likelihoods.encoding import standardised
from bench.likelihoods.outcome import Clock, Outcome
from bench.likelihoods.rows import Split
from bench.likelihoods.scores import negative_binomial_log_probability, poisson_log_probability

LOG_SIZES = (-6.0, 12.0)  # within which the size of the negative binomial is sought


def constant_nb(split: Split) -> Outcome:
    """One rate for all rows, negative binomial, by maximum likelihood."""
    clock = Clock()
    exposure, exposure_test = exposures(split)
    rate = split.y.sum() / exposure.sum()
    size = best_size(split.y, rate * exposure)
    return _negative_binomial(split, rate * exposure_test, size, clock.seconds())


def glm_poisson(split: Split) -> Outcome:
    """statsmodels' GLM, Poisson, log link; standardised, one-hot without the first level."""
    import statsmodels.api as sm

    clock = Clock()
    X, X_test, offset, offset_test = _design(split)
    model = sm.GLM(split.y, X, family=sm.families.Poisson(), offset=offset).fit()
    seconds = clock.seconds()
    mean = model.predict(X_test, offset=offset_test)
    return Outcome(poisson_log_probability(split.y_test, mean), seconds, rate=mean / np.exp(offset_test))


def glm_nb(split: Split) -> Outcome:
    """statsmodels' GLM, negative binomial, its dispersion by maximum likelihood; rows as for glm_poisson."""
    import statsmodels.api as sm

    clock = Clock()
    X, X_test, offset, offset_test = _design(split)

    def fitted(log_size: float):
        family = sm.families.NegativeBinomial(alpha=float(np.exp(-log_size)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sm.GLM(split.y, X, family=family, offset=offset).fit()

    def loss(log_size: float) -> float:
        mean = fitted(log_size).fittedvalues
        return -negative_binomial_log_probability(split.y, mean, np.exp(log_size)).sum()

    log_size = minimize_scalar(loss, bounds=LOG_SIZES, method="bounded", options={"xatol": 1e-3}).x
    mean = fitted(log_size).predict(X_test, offset=offset_test)
    return _negative_binomial(split, mean, np.exp(log_size), clock.seconds())


def lightgbm_poisson(split: Split) -> Outcome:
    """LightGBM's Poisson objective, settings as for classes, log exposure as start; Poisson probabilities."""
    clock = Clock()
    _, mean, rounds = _boosted(split)
    rate = mean / exposures(split)[1]
    return Outcome(poisson_log_probability(split.y_test, mean), clock.seconds(), f"{rounds} rounds", rate)


def lightgbm_nb(split: Split) -> Outcome:
    """As lightgbm_poisson, negative binomial probabilities, dispersion by maximum likelihood on rows held out."""
    clock = Clock()
    model, mean, rounds = _boosted(split)
    size = best_size(split.y[model.held], np.exp(model.held_scores))
    return _negative_binomial(split, mean, size, clock.seconds(), f", {rounds} rounds")


def truth(split: Split) -> Outcome:
    """The rates that the rows were generated with, Poisson."""
    mean = split.rate_test * split.exposure_test
    return Outcome(poisson_log_probability(split.y_test, mean), 0.0, "no fit", rate=split.rate_test)


def exposures(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """Of training and test rows; ones where the set has none."""
    if split.exposure is None:
        return np.ones(len(split.y)), np.ones(len(split.y_test))
    return split.exposure, split.exposure_test


def best_size(y: np.ndarray, mean: np.ndarray) -> float:
    """The size of the negative binomial under which counts with these means are most probable."""

    def loss(log_size: float) -> float:
        return -negative_binomial_log_probability(y, mean, np.exp(log_size)).sum()

    return float(np.exp(minimize_scalar(loss, bounds=LOG_SIZES, method="bounded").x))


def _boosted(split: Split):
    """A model, and the means and rounds of it; boosting starts from log exposure plus the log of the common rate."""
    exposure, exposure_test = exposures(split)
    base = np.log(split.y.sum() / exposure.sum())
    model = boosted(Rows(split.X, split.y, np.log(exposure) + base), {"objective": "poisson"})
    return model, exposure_test * np.exp(model.raw(split.X_test) + base), model.rounds


def _design(split: Split):
    """Inputs with an intercept and without columns that others determine, and log exposures."""
    X, X_test = standardised(split.X, split.X_test, drop="first")
    X, X_test = (np.column_stack([np.ones(len(part)), part]) for part in (X, X_test))
    _, upper, order = qr(X, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(upper))
    columns = np.sort(order[sizes > 1e-8 * sizes[0]])
    exposure, exposure_test = exposures(split)
    return X[:, columns], X_test[:, columns], np.log(exposure), np.log(exposure_test)


def _negative_binomial(split: Split, mean: np.ndarray, size: float, seconds: float, note: str = "") -> Outcome:
    rate = mean / exposures(split)[1]
    log_probability = negative_binomial_log_probability(split.y_test, mean, size)
    return Outcome(log_probability, seconds, f"size {size:.3g}{note}", rate)


PEERS = {peer.__name__: peer for peer in (constant_nb, glm_poisson, glm_nb, lightgbm_poisson, lightgbm_nb, truth)}
