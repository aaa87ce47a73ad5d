"""What a classifier answers: probabilities, labels, and the latent functions where there are any.

In: the user's table and a fitted model. Out: arrays, chunk by chunk.
"""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from alakarte.data.columns import in_memory
from alakarte.errors import Unavailable
from alakarte.estimators.labels import coded
from alakarte.estimators.latent import CHUNK_ROWS, LatentEstimator
from alakarte.estimators.on_cluster import lazy
from alakarte.execution.threads import one_blas_thread
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.stacked import LEAST_PROBABILITY, StackedPosterior, probability
from alakarte.posteriors.votes import NO_FUNCTION, VotesPosterior
from alakarte.records import Array


class ClassPredictions(LatentEstimator):
    """Predictions of classes."""

    classes_: Array  # (K,)

    @lazy
    def predict_proba(self, X: Any) -> Array:
        """Probabilities (rows, K) of `classes_`; of two averaged over the latent function, of more at its mode."""
        X = self._checked(X)
        probability = np.empty((len(X), len(self.classes_)))
        with one_blas_thread():
            for start in range(0, len(X), CHUNK_ROWS):
                part = slice(start, start + CHUNK_ROWS)
                probability[part] = self._probability(X[part])
        return probability

    def _probability(self, X: Array) -> Array:
        """(rows, K)."""
        model, posterior, n_jobs = self.model_, self.model_.posterior, self._threads(X)
        x = model.scaling.inputs(X)
        if isinstance(posterior, VotesPosterior | StackedPosterior):
            return np.asarray(np.exp(posterior.log_probability(x, n_jobs)))
        assert isinstance(posterior, LatentPosterior)
        return probability(posterior, model.scaling.y_mean, x, n_jobs)

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of `predict_proba`."""
        return np.log(np.maximum(self.predict_proba(X), LEAST_PROBABILITY))

    @lazy
    def predict(self, X: Any) -> Array:
        """The most probable label of each row."""
        places = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[places])

    def decision_function(self, X: Any) -> Array:
        """Log odds (rows,) of the second of two classes, else log probabilities (rows, K)."""
        logs = self.predict_log_proba(X)
        return logs[:, 1] - logs[:, 0] if len(self.classes_) == 2 else logs

    @lazy
    def predict_latent(self, X: Any) -> tuple[Array, Array]:
        """Mean and standard deviation of the latent functions, (rows,) of two classes, else (rows, K)."""
        X = self._checked(X)
        if isinstance(self.model_.posterior, VotesPosterior):
            raise Unavailable(NO_FUNCTION)
        with one_blas_thread():
            mean, variance = self._latent(X)
        mean = mean + self.model_.scaling.y_mean
        std = np.sqrt(variance)
        return (mean[:, 0], std[:, 0]) if len(self.classes_) == 2 else (mean, std)

    def log_predictive_density(self, X: Any, y: Any) -> Array:
        """Log probability (rows,) of the labels y, in nats."""
        check_is_fitted(self)
        codes = coded(y, self.classes_)[1]
        return np.asarray(self.predict_log_proba(in_memory(X))[np.arange(len(codes)), codes])
