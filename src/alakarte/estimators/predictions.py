"""What a fitted regressor answers: means, standard deviations, intervals, samples, in the user's units.

In: `model_` of a `GPEstimator` and rows. Out: numbers; (rows,) for one target, (rows, T) for several.
"""

from typing import Any

import numpy as np

from alakarte.errors import InvalidInput
from alakarte.estimators.base import GPEstimator
from alakarte.execution.randomness import generator
from alakarte.execution.threads import one_blas_thread, thread_count
from alakarte.posteriors.tiles import TILE_ROWS
from alakarte.records import Array

CHUNK_ROWS = 1 << 16


class Predictions(GPEstimator):
    """Methods of a fitted regressor."""

    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False, include_noise: bool = True
    ) -> Array | tuple[Array, Array]:
        """Predictive mean, and on request standard deviation or covariance.

        Parameters
        ----------
        X : (rows, d)
        return_std, return_cov : bool
            One of them at most.
        include_noise : bool, default=True
            Uncertainty of a new observation; False: of the function.

        Returns
        -------
        mean (rows,), or (mean, std (rows,)), or (mean, cov (rows, rows)); of several targets mean and std (rows, T),
        cov (rows, rows, T)
        """
        if return_std and return_cov:
            raise InvalidInput("return_std and return_cov are both True: ask for one of them.")
        X = self._checked(X)
        with one_blas_thread():
            if return_cov:
                return self._mean_and_covariance(X, include_noise)
            mean, std = self._mean_and_std(X, return_std, include_noise)
        return (mean, std) if return_std else mean

    def _mean_and_std(self, X: Array, return_std: bool, include_noise: bool) -> tuple[Array, Array]:
        """Chunk by chunk: memory does not grow with the rows."""
        model, n_jobs, n = self.model_, self._threads(X), len(X)
        T = model.scaling.y_scale.size
        mean, std = np.empty((n, T)), np.empty((n if return_std else 0, T))
        noise_variance = model.posterior.noise_variance if include_noise else 0.0
        for start in range(0, n, CHUNK_ROWS):
            part = slice(start, start + CHUNK_ROWS)
            z = model.scaling.inputs(X[part])
            if return_std:
                mean[part], variance = model.posterior.mean_and_variance(z, n_jobs)
                std[part] = model.likelihood.std(variance, noise_variance) * model.scaling.y_scale
            else:
                mean[part] = model.posterior.mean(z, n_jobs)
        mean = mean * model.scaling.y_scale + model.scaling.y_mean
        return model.for_user(mean), model.for_user(std)

    def _threads(self, X: Array) -> int:
        """One for few rows: to ask how many there are takes longer than to predict them."""
        return 1 if len(X) <= TILE_ROWS else thread_count(self.n_jobs)

    def _mean_and_covariance(self, X: Array, include_noise: bool) -> tuple[Array, Array]:
        model = self.model_
        z = model.scaling.inputs(X)
        covariance = model.posterior.covariance(z)
        if include_noise:
            covariance = model.likelihood.add_noise(covariance, model.posterior.noise_variance)
        covariance = covariance * model.scaling.y_variance
        mean = model.posterior.mean(z, self._threads(X)) * model.scaling.y_scale + model.scaling.y_mean
        return model.for_user(mean), covariance if model.target_shape else covariance[:, :, 0]

    def predict_interval(self, X: Any, coverage: float = 0.95, include_noise: bool = True) -> tuple[Array, Array]:
        """Lower and upper end (rows,) or (rows, T) of the central interval of probability `coverage`."""
        if not 0 < coverage < 1:
            raise InvalidInput(f"coverage={coverage!r} must lie between 0 and 1, such as 0.95.")
        mean, std = self.predict(X, return_std=True, include_noise=include_noise)
        return self.model_.likelihood.interval(mean, std, coverage)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0, include_noise: bool = True) -> Array:
        """Functions drawn from the posterior at the rows of X, with noise of `noise_std_` on request.

        Returns
        -------
        (rows, n_samples), or (rows, T, n_samples) for several targets
        """
        X = self._checked(X)
        model, rng = self.model_, generator(random_state)
        scale, mean = model.scaling.y_scale[:, None], model.scaling.y_mean[:, None]
        with one_blas_thread():
            samples = model.posterior.sample(model.scaling.inputs(X), n_samples, rng) * scale + mean
        if include_noise:
            samples = model.likelihood.sample(samples, model.noise_std[:, None], rng)
        return model.for_user(samples)
