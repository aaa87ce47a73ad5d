"""What a fitted regressor answers: means, standard deviations, intervals, samples, in the user's units.

In: `model_` of an estimator and rows. Out: numbers; (rows,) for one target, (rows, T) for several.
"""

from typing import Any

import numpy as np
from scipy.special import ndtri

from alakarte.data.dask_table import is_dask
from alakarte.errors import InvalidInput
from alakarte.estimators.latent import CHUNK_ROWS, LatentEstimator
from alakarte.estimators.on_cluster import lazily
from alakarte.execution.randomness import generator
from alakarte.execution.threads import one_blas_thread
from alakarte.likelihoods.student_t import StudentT
from alakarte.metrics import log_density
from alakarte.model.fitted import FittedModel
from alakarte.records import Array


class Predictions(LatentEstimator):
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
        if is_dask(X) and self._is_fitted() and not return_cov:
            given = {"return_std": return_std, "include_noise": include_noise}
            lazy: Array | tuple[Array, Array] = lazily(self, "predict", X, 1 + return_std, **given)
            return lazy
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
        noise_variance = _noise_variance(model) if include_noise else 0.0
        for start in range(0, n, CHUNK_ROWS):
            part = slice(start, start + CHUNK_ROWS)
            z = model.scaling.inputs(X[part])
            if return_std:
                mean[part], variance = model.posterior.mean_and_variance(z, n_jobs)
                std[part] = np.sqrt(variance + noise_variance) * model.scaling.y_scale
            else:
                mean[part] = model.posterior.mean(z, n_jobs)
        mean = mean * model.scaling.y_scale + model.scaling.y_mean
        return model.for_user(mean), model.for_user(std)

    def _mean_and_covariance(self, X: Array, include_noise: bool) -> tuple[Array, Array]:
        model = self.model_
        z = model.scaling.inputs(X)
        covariance = model.posterior.covariance(z)
        if include_noise:
            covariance = covariance + _noise_variance(model) * np.eye(len(covariance))[:, :, None]
        covariance = covariance * model.scaling.y_variance
        mean = model.posterior.mean(z, self._threads(X)) * model.scaling.y_scale + model.scaling.y_mean
        return model.for_user(mean), covariance if model.target_shape else covariance[:, :, 0]

    def predict_interval(self, X: Any, coverage: float = 0.95, include_noise: bool = True) -> tuple[Array, Array]:
        """Lower and upper end (rows,) or (rows, T) of the central interval of probability `coverage`."""
        if not 0 < coverage < 1:
            raise InvalidInput(f"coverage={coverage!r} must lie between 0 and 1, such as 0.95.")
        if is_dask(X) and self._is_fitted():
            given = {"coverage": coverage, "include_noise": include_noise}
            ends: tuple[Array, Array] = lazily(self, "predict_interval", X, 2, **given)
            return ends
        likelihood = self.model_.likelihood if self._is_fitted() else None
        if isinstance(likelihood, StudentT) and include_noise:
            return self._student_interval(X, likelihood, coverage)
        mean, std = self.predict(X, return_std=True, include_noise=include_noise)
        half = ndtri(0.5 + coverage / 2) * std
        return mean - half, mean + half

    def _student_interval(self, X: Any, likelihood: StudentT, coverage: float) -> tuple[Array, Array]:
        """Quantiles of heavy-tailed observations, averaged over the function."""
        model, X = self.model_, self._checked(X)
        with one_blas_thread():
            mean, variance = self._latent(X)
        ends = [
            likelihood.quantile(model.values, level, mean[:, 0], variance[:, 0])
            for level in (0.5 - coverage / 2, 0.5 + coverage / 2)
        ]
        low, high = (end * model.scaling.y_scale[0] + model.scaling.y_mean[0] for end in ends)
        return low, high

    def log_predictive_density(self, X: Any, y: Any) -> Array:
        """Log density of each observation under its own prediction.

        Parameters
        ----------
        X, y : (rows, d), (rows,) or (rows, T)

        Returns
        -------
        (rows,) nats of y, larger is better; of several targets their sum
        """
        likelihood = self.model_.likelihood if self._is_fitted() else None
        if isinstance(likelihood, StudentT):
            X, model = self._checked(X), self.model_
            with one_blas_thread():
                mean, variance = self._latent(X)
            scaled = likelihood.encoded(
                np.ravel(y).astype(float), float(model.scaling.y_mean[0]), float(model.scaling.y_scale[0])
            )
            density = likelihood.log_predictive(model.values, scaled, mean[:, 0], variance[:, 0])
            return np.asarray(density - np.log(model.scaling.y_scale[0]))
        mean, std = self.predict(X, return_std=True)
        return np.asarray(log_density(y, mean, std).reshape(len(mean), -1).sum(axis=1))

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
            samples = samples + _noise(model, samples.shape, rng)
        return model.for_user(samples)

    @property
    def noise_std_(self) -> float | Array:
        """Standard deviation of the noise, in units of y; (T,) for several targets."""
        model = self._fitted("noise_std_")
        return model.noise_std if model.target_shape else float(model.noise_std[0])


def _noise_variance(model: FittedModel) -> float:
    """Of a new observation around the function, in standardised units."""
    if isinstance(model.likelihood, StudentT):
        return model.likelihood.noise_std(model.values) ** 2
    return model.posterior.noise_variance


def _noise(model: FittedModel, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draws of the noise (rows, T, n_samples), in units of y."""
    if isinstance(model.likelihood, StudentT):
        return np.asarray(model.likelihood.noise(model.values, shape, rng) * model.scaling.y_scale[0])
    return np.asarray(model.noise_std[:, None] * rng.standard_normal(shape))
