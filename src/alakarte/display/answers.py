"""What a model says of rows whose targets are known: of rows that it has not seen, or of its own, each left out.

In: a fitted estimator and rows. Out: `NumberAnswers` (counts too) or `ClassAnswers`: plain arrays in the user's units,
which doubts and pictures of a report read.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from alakarte.display.canvas import fitted_model
from alakarte.errors import InvalidInput
from alakarte.likelihoods.counts import CountLikelihood
from alakarte.metrics import standard_quantile
from alakarte.model.fitted import FittedModel
from alakarte.posteriors.average import Average
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.left_out_classes import left_out_log_probabilities
from alakarte.posteriors.local import LocalPosterior
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.smooth_and_rough import SmoothAndRough
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.votes import VotesPosterior
from alakarte.records import Array, Integers

LEVELS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])  # coverages of central intervals
# the ends of all of these intervals, and the tenths, which a histogram of ranks needs
QUANTILES = np.array([*(0.005, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85), 0.9, 0.95,
                      0.975, 0.995])  # fmt: skip
MOST_ROWS = 5000  # that are asked about, evenly spread over a longer table


@dataclass(frozen=True)
class NumberAnswers:
    """Predictions of n rows and T targets, with what was observed."""

    y: Array  # (n, T)
    mean: Array  # (n, T)
    quantiles: Array  # (n, T, 19) at QUANTILES
    left_out: bool = False  # whether these are rows of the fit, each without itself
    whole: bool = False  # whether these are counts

    @property
    def n_rows(self) -> int:
        """n."""
        return len(self.y)

    def interval(self, level: float) -> tuple[Array, Array]:
        """Both ends (n, T) of the central interval of probability `level`."""
        place = int(np.argmin(np.abs(QUANTILES - (0.5 - level / 2))))
        return self.quantiles[..., place], self.quantiles[..., -1 - place]

    def share_within(self, level: float) -> float:
        """Of all rows and targets, how many lie in that interval."""
        low, high = self.interval(level)
        return float(np.mean((low <= self.y) & (self.y <= high)))

    @property
    def ranks(self) -> Array:
        """(n · T, 2) where each observation lies in its prediction: the levels that it lies between."""
        levels = np.concatenate([[0.0], QUANTILES, [1.0]])
        n_below = (self.quantiles < self.y[..., None]).sum(axis=-1)
        n_reached = (self.quantiles <= self.y[..., None]).sum(axis=-1)
        return np.stack([np.ravel(levels[n_below]), np.ravel(levels[n_reached + 1])], axis=1)

    @property
    def rmse(self) -> Array:
        """(T,) root of the mean squared error."""
        return np.asarray(np.sqrt(np.mean((self.y - self.mean) ** 2, axis=0)))

    @property
    def explained(self) -> Array:
        """(T,) share of the variance of y that the mean explains; NaN where y does not vary."""
        spread = self.y.var(axis=0)
        return np.asarray(1 - self.rmse**2 / np.where(spread > 0, spread, np.nan))


@dataclass(frozen=True)
class ClassAnswers:
    """Probabilities of n rows, with the class that each was."""

    probability: Array  # (n, K)
    code: Integers  # (n,) the place of the class
    classes: tuple[str, ...]
    left_out: bool = False

    @property
    def n_rows(self) -> int:
        """n."""
        return len(self.code)

    @property
    def accuracy(self) -> float:
        """Share of rows whose most probable class is right."""
        return float(np.mean(self.probability.argmax(axis=1) == self.code))

    @property
    def log_loss(self) -> float:
        """Mean of −log probability of what was so, in nats."""
        told = self.probability[np.arange(self.n_rows), self.code]
        return float(-np.log(np.maximum(told, 1e-300)).mean())

    @property
    def base_loss(self) -> float:
        """The same for who says the shares of the classes to every row."""
        share = np.bincount(self.code, minlength=len(self.classes)) / self.n_rows
        return float(-(share[share > 0] * np.log(share[share > 0])).sum())


Answers = NumberAnswers | ClassAnswers


def answers_of_rows(estimator: Any, X: Any, y: Any, given: dict[str, Any]) -> Answers:
    """Of rows that the estimator has not learned from; `given` has the exposure of counts."""
    if is_classifier(estimator):
        probability, classes = estimator.predict_proba(X), estimator.classes_
        estimator.log_predictive_density(X[:1] if isinstance(X, np.ndarray) else _safe_indexing(X, [0]), y[:1])
        names = tuple(map(str, classes.tolist()))
        return ClassAnswers(probability, np.searchsorted(classes, np.ravel(np.asarray(y))), names)
    observed = np.asarray(y, dtype=float)
    if not np.isfinite(observed).all():
        row = int(np.argmin(np.isfinite(observed).reshape(len(observed), -1).all(axis=1)))
        raise InvalidInput(f"y[{row}] = {observed[row]} is no number: leave out rows whose target is not known.")
    quantiles = np.asarray(estimator.predict_quantiles(X, QUANTILES, **given), dtype=float)
    mean = np.asarray(estimator.predict(X, **given), dtype=float)
    n = len(mean)
    parts = observed.reshape(n, -1), mean.reshape(n, -1), quantiles.reshape(n, -1, QUANTILES.size)
    return NumberAnswers(*parts, whole=isinstance(fitted_model(estimator).likelihood, CountLikelihood))


def left_out_answers(estimator: Any, model: FittedModel) -> Answers | None:
    """Of rows of the fit, each as all others predict it; None where that is not free."""
    posterior = model.posterior
    if is_classifier(estimator):
        if not isinstance(posterior, LatentPosterior) or posterior.rows is None:
            return None
        every = np.arange(posterior.rows.n_rows)
        probability = np.exp(left_out_log_probabilities(posterior, posterior.rows, every))
        code = posterior.rows.y[:, 0].astype(np.int64)
        return ClassAnswers(probability, code, tuple(map(str, estimator.classes_.tolist())), left_out=True)
    if not isinstance(posterior, RowPosterior | Average | LocalPosterior) or model.noise_model is not None:
        return None
    return _left_out_numbers(model, posterior)


def _left_out_numbers(model: FittedModel, posterior: RowPosterior | Average | LocalPosterior) -> NumberAnswers:
    """By normal noise, or calibrated tails, in the user's units."""
    if isinstance(posterior, LocalPosterior):
        n = len(posterior.targets)
        picked = np.unique(np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(np.int64))
        y, weight = posterior.targets[picked], np.ones((len(picked), 1))
        mean, variance = posterior.without_each(picked)
    else:
        block = posterior.rows.whole()
        y, weight = block.y, np.minimum(block.weight, 1.0)[:, None]
        mean, variance = posterior.leave_one_out(block)
    std = np.sqrt(variance + posterior.noise_variance / weight) * model.std_scale
    mean = mean * model.scaling.y_scale + model.scaling.y_mean
    dof = np.broadcast_to(model.calibration.dof, model.scaling.y_scale.shape)
    quantiles = mean[..., None] + standard_quantile(QUANTILES, dof[:, None]) * std[..., None]
    observed = y * model.scaling.y_scale + model.scaling.y_mean
    return NumberAnswers(observed, mean, quantiles, left_out=True)


def rows_of_fit(model: FittedModel) -> Array | None:
    """(n, d) standardised inputs of the rows that a model learned from, where it keeps them."""
    kept = _keeper(model.posterior)
    if isinstance(kept, RowPosterior | Average):
        return np.asarray(kept.rows.whole().x)
    if isinstance(kept, LocalPosterior):
        return np.asarray(kept.neighbours.points / kept.neighbours.scale)
    return None


def _keeper(posterior: Posterior) -> Posterior:
    """The part of a posterior that may keep rows."""
    if isinstance(posterior, LatentPosterior | VotesPosterior):
        return posterior if _sees_directions(posterior) else posterior.core
    if isinstance(posterior, StackedPosterior):
        return _keeper(posterior.near)
    return posterior.rough if isinstance(posterior, SmoothAndRough) else posterior


def _sees_directions(posterior: Posterior) -> bool:
    """Whether the rows that it keeps have coordinates along directions, not inputs."""
    return isinstance(posterior, VotesPosterior) and posterior.directions is not None


def evenly(n: int) -> Integers:
    """Places of at most `MOST_ROWS` of n rows."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(np.int64))
