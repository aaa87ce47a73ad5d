"""What a fitted regressor answers: means, standard deviations, intervals, samples, in the user's units.

In: `model_` of an estimator and rows. Out: numbers; (rows,) for one target, (rows, T) for several.
"""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from alakarte.data.columns import in_memory
from alakarte.data.target_transform import TargetTransform
from alakarte.errors import InvalidInput, Unavailable
from alakarte.estimators.input_noise import noise_ratio
from alakarte.estimators.latent import CHUNK_ROWS, LatentEstimator
from alakarte.estimators.on_cluster import lazy
from alakarte.execution.randomness import generator
from alakarte.execution.threads import one_blas_thread, thread_count
from alakarte.likelihoods.student_t import StudentT
from alakarte.metrics import half_width, log_density, standard_quantile
from alakarte.model.fitted import FittedModel
from alakarte.model.predictor import AUTO, Predictor, prepare
from alakarte.model.transformed import log_density as log_density_of
from alakarte.model.transformed import moments, without_noise
from alakarte.records import Array


class Predictions(LatentEstimator):
    """Methods of a fitted regressor."""

    @lazy
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
        transform = self.model_.scaling.transform
        with one_blas_thread():
            if return_cov:
                return self._mean_and_covariance(X, include_noise)
            mean, std = self._mean_and_std(X, return_std or transform is not None, include_noise)
        if transform is not None:
            mean, std = moments(transform, mean, std, 0.0 if include_noise else _noise_std(self.model_, X))
        mean, std = self.model_.for_user(mean), self.model_.for_user(std)
        return (mean, std) if return_std else mean

    def _mean_and_std(self, X: Array, return_std: bool, include_noise: bool) -> tuple[Array, Array]:
        """(rows, T) in units of y, or of its transform, chunk by chunk: memory does not grow with the rows."""
        model, n_jobs, n = self.model_, self._threads(X), len(X)
        T = model.scaling.y_scale.size
        mean, std = np.empty((n, T)), np.empty((n if return_std else 0, T))
        for start in range(0, n, CHUNK_ROWS):
            part = slice(start, start + CHUNK_ROWS)
            z = model.scaling.inputs(X[part])
            if return_std:
                mean[part], variance = model.posterior.mean_and_variance(z, n_jobs)
                noise_variance = _noise_variance(model, X[part]) if include_noise else 0.0
                std[part] = np.sqrt(variance + noise_variance) * model.std_scale
            else:
                mean[part] = model.posterior.mean(z, n_jobs)
        return mean * model.scaling.y_scale + model.scaling.y_mean, std

    def _mean_and_covariance(self, X: Array, include_noise: bool) -> tuple[Array, Array]:
        model = self.model_
        if model.scaling.transform is not None:
            raise Unavailable("return_cov: a transformed target has none in closed form: use return_std or sample_y.")
        z = model.scaling.inputs(X)
        covariance = model.posterior.covariance(z)
        if include_noise:
            covariance = covariance + (_noise_variance(model, X) * np.eye(len(covariance)))[:, :, None]
        covariance = covariance * (model.calibration.scale**2 * model.scaling.y_variance)
        mean = model.posterior.mean(z, self._threads(X)) * model.scaling.y_scale + model.scaling.y_mean
        return model.for_user(mean), covariance if model.target_shape else covariance[:, :, 0]

    @lazy
    def predict_interval(self, X: Any, coverage: float = 0.95, include_noise: bool = True) -> tuple[Array, Array]:
        """Lower and upper end (rows,) or (rows, T) of the central interval of probability `coverage`."""
        if not 0 < coverage < 1:
            raise InvalidInput(f"coverage={coverage!r} must lie between 0 and 1, such as 0.95.")
        likelihood = self.model_.likelihood if self._is_fitted() else None
        if isinstance(likelihood, StudentT) and include_noise:
            return self._student_interval(X, likelihood, coverage)
        if self._is_fitted() and self.model_.scaling.transform is not None:
            low, high = np.moveaxis(self._mapped_quantiles(X, _ends(coverage), include_noise), -1, 0)
            return low, high
        mean, std = self.predict(X, return_std=True, include_noise=include_noise)
        half = half_width(coverage, self._dof() if include_noise else np.inf) * std
        return mean - half, mean + half

    def _dof(self) -> Array:
        """Degrees of freedom of observations, () or (T,); infinite where they are normal."""
        model = self.model_
        dof = np.broadcast_to(model.calibration.dof, model.scaling.y_scale.shape)
        return dof if model.target_shape else dof[0]

    @lazy
    def predict_quantiles(self, X: Any, quantiles: Any) -> Array:
        """Values (rows, k), or (rows, T, k), that a new observation stays below with probabilities `quantiles` (k,)."""
        levels = np.atleast_1d(np.asarray(quantiles, dtype=float))
        if not ((levels > 0) & (levels < 1)).all():
            raise InvalidInput(f"quantiles={quantiles!r} must lie between 0 and 1, such as [0.05, 0.5, 0.95].")
        likelihood = self.model_.likelihood if self._is_fitted() else None
        if isinstance(likelihood, StudentT):
            return self._student_quantiles(X, likelihood, levels)
        if self._is_fitted() and self.model_.scaling.transform is not None:
            return self._mapped_quantiles(X, levels, include_noise=True)
        mean, std = self.predict(X, return_std=True)
        return np.asarray(mean[..., None] + standard_quantile(levels, self._dof()[..., None]) * std[..., None])

    def _mapped_quantiles(self, X: Any, levels: Array, include_noise: bool) -> Array:
        """Quantiles (rows, k) or (rows, T, k) of a transformed target, in units of y: normal ones, mapped back."""
        X, model = self._checked(X), self.model_
        assert model.scaling.transform is not None
        with one_blas_thread():
            mean, std = self._mean_and_std(X, True, include_noise)
        noise_std = 0.0 if include_noise else _noise_std(model, X)
        ends = [mean + standard_quantile(level) * std for level in levels]
        mapped = [without_noise(model.scaling.transform, end, noise_std) for end in ends]
        return model.for_user(np.stack(mapped, axis=-1))

    def _student_interval(self, X: Any, likelihood: StudentT, coverage: float) -> tuple[Array, Array]:
        low, high = self._student_quantiles(X, likelihood, _ends(coverage)).T
        return low, high

    def _student_quantiles(self, X: Any, likelihood: StudentT, levels: Array) -> Array:
        """Quantiles (rows, k) of heavy-tailed observations, averaged over the function."""
        model, X = self.model_, self._checked(X)
        with one_blas_thread():
            mean, variance = self._latent(X)
        ends = [likelihood.quantile(model.values, float(level), mean[:, 0], variance[:, 0]) for level in levels]
        return np.asarray(np.column_stack(ends) * model.scaling.y_scale[0] + model.scaling.y_mean[0])

    def predictor(self, std: str | None = AUTO, std_error: float = 0.01) -> Predictor:
        """A function that predicts one row, or a few, again and again, prepared once: for serving.

        Parameters
        ----------
        std : "auto", "exact", "low_rank" or None, default="auto"
            None: means alone. Standard deviations of a new observation, ``exact``, or from few directions where these
            suffice, and exact where not; ``about`` of the result says which. Rows unlike those of the fit are always
            exact.
        std_error : float, default=0.01
            The most that a standard deviation from few directions may be wrong by, as a fraction of `noise_std_`.

        Returns
        -------
        A function of rows (rows, d), or of one row (d,), of numbers: mean, or (mean, std). Threads may share it.

        Examples
        --------
        >>> from alakarte import GPRegressor
        >>> model = GPRegressor("ard", max_iter=0, random_state=0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
        >>> predict = model.predictor(std=None)
        >>> bool(abs(predict([0.5]) - model.predict([[0.5]])[0]) < 1e-10)
        True
        """
        check_is_fitted(self)
        if self.model_.noise_model is not None:
            raise Unavailable("predictor: the noise of this model depends on the input: use predict.")
        noise_variance = float(_noise_variance(self.model_, np.empty((0, self.model_.scaling.n_variables))))
        return prepare(self.model_, std, std_error, noise_variance, thread_count(self.n_jobs))

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
        X, y = in_memory(X), in_memory(y)
        if isinstance(likelihood, StudentT):
            X, model = self._checked(X), self.model_
            with one_blas_thread():
                mean, variance = self._latent(X)
            scaled = likelihood.encoded(
                np.ravel(y).astype(float), float(model.scaling.y_mean[0]), float(model.scaling.y_scale[0])
            )
            density = likelihood.log_predictive(model.values, scaled, mean[:, 0], variance[:, 0])
            return np.asarray(density - np.log(model.scaling.y_scale[0]))
        if self._is_fitted() and (transform := self.model_.scaling.transform) is not None:
            return self._mapped_log_density(transform, self._checked(X), y)
        mean, std = self.predict(X, return_std=True)
        return np.asarray(log_density(y, mean, std, self._dof()).reshape(len(mean), -1).sum(axis=1))

    def _mapped_log_density(self, transform: TargetTransform, X: Array, y: Any) -> Array:
        """(rows,) nats of y under a normal prediction of its transform; minus infinity where that is not defined."""
        y = np.asarray(y, dtype=float).reshape(len(X), -1)
        with one_blas_thread():
            mean, std = self._mean_and_std(X, True, include_noise=True)
        known = np.where(transform.covers(y), y, 1.0)
        density = log_density_of(transform, y, log_density(transform.forward(known), mean, std))
        return np.asarray(density.sum(axis=1))

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0, include_noise: bool = True) -> Array:
        """Functions drawn from the posterior at the rows of X, with noise of `noise_std_` on request.

        Returns
        -------
        (rows, n_samples), or (rows, T, n_samples) for several targets
        """
        X = self._checked(X)
        model, rng = self.model_, generator(random_state)
        z = model.scaling.inputs(X)
        with one_blas_thread():
            mean = model.posterior.mean(z)[:, :, None]
            deviations = model.posterior.sample(z, n_samples, rng) - mean
        if include_noise:
            deviations = deviations + _noise(model, X, deviations.shape, rng)
            deviations = deviations * model.calibration.tail_factors(deviations.shape, rng)
        centre, scale = model.scaling.y_mean[:, None], model.scaling.y_scale[:, None]
        samples = mean * scale + centre + deviations * model.std_scale[:, None]
        if (transform := model.scaling.transform) is not None:  # which acts on the last axis
            noise_std = 0.0 if include_noise else _noise_std(model, X)[..., None, :]
            samples = np.moveaxis(without_noise(transform, np.moveaxis(samples, 1, 2), noise_std), 2, 1)
        return model.for_user(samples)

    @property
    def noise_std_(self) -> float | Array:
        """Standard deviation of the noise, in units of y; (T,) for several targets."""
        model = self._fitted("noise_std_")
        return model.noise_std if model.target_shape else float(model.noise_std[0])


def _noise_variance(model: FittedModel, X: Array) -> Array | float:
    """Of new observations at the rows of X around the function, in standardised units: one, or (rows, 1)."""
    if isinstance(model.likelihood, StudentT):
        return model.likelihood.noise_std(model.values) ** 2
    if model.noise_model is not None:
        return model.posterior.noise_variance * noise_ratio(model.noise_model, X)[:, None]
    return model.posterior.noise_variance


def _noise_std(model: FittedModel, X: Array) -> Array:
    """(1, T) or (rows, T) of new observations, in units of y, or of its transform."""
    return np.asarray(np.sqrt(np.reshape(_noise_variance(model, X), (-1, 1))) * model.std_scale)


def _ends(coverage: float) -> Array:
    """Probabilities below the two ends of a central interval."""
    return np.array([0.5 - coverage / 2, 0.5 + coverage / 2])


def _noise(model: FittedModel, X: Array, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draws of the noise (rows, T, n_samples), in standardised units."""
    if isinstance(model.likelihood, StudentT):
        return np.asarray(model.likelihood.noise(model.values, shape, rng))
    noise_std = np.sqrt(_noise_variance(model, X))  # (), or (rows, 1)
    return np.asarray(noise_std[..., None] * rng.standard_normal(shape))
