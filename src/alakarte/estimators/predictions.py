"""What a fitted regressor answers: means, intervals, samples, evidence, text. All computing is done below this file.

In: `_posterior`, `_problem`, `_scaling` and the fitted attributes of `GPRegressor`. Out: numbers in the user's units.
"""

from dataclasses import replace

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from alakarte.data.arrays import Rows
from alakarte.data.read import merge_rows, read_inputs, read_training
from alakarte.display.summary import summary
from alakarte.errors import InvalidInput
from alakarte.execution.randomness import generator
from alakarte.execution.threads import count, one_blas_thread
from alakarte.process.objective import nlml, nlml_gradient

CHUNK_ROWS = 1 << 16


class Predictions:
    """Methods of a fitted `GPRegressor`."""

    def predict(self, X, return_std=False, return_cov=False, include_noise=True):
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
        mean (rows,), or (mean, std (rows,)), or (mean, cov (rows, rows))
        """
        if return_std and return_cov:
            raise InvalidInput("return_std and return_cov are both True: ask for one of them.")
        X = self._checked(X)
        scale, n_jobs = self._scaling.y_scale, count(self.n_jobs)
        noise = self.noise_std_ / scale if include_noise else 0.0
        with one_blas_thread():
            if return_cov:
                z = self._scaling.inputs(X)
                covariance = self._posterior.covariance(z)
                covariance.flat[:: len(z) + 1] += noise**2
                return self._mean(z, n_jobs), covariance * self._scaling.y_variance
            mean, std = np.empty(len(X)), np.empty(len(X) if return_std else 0)
            for start in range(0, len(X), CHUNK_ROWS):  # memory does not grow with the rows
                part = slice(start, start + CHUNK_ROWS)
                z = self._scaling.inputs(X[part])
                mean[part] = self._mean(z, n_jobs)
                if return_std:
                    std[part] = np.sqrt(self._posterior.variance(z, n_jobs) + noise**2) * scale
        return (mean, std) if return_std else mean

    def _mean(self, z, n_jobs):
        return self._posterior.mean(z, n_jobs) * self._scaling.y_scale + self._scaling.y_mean

    def predict_interval(self, X, coverage=0.95, include_noise=True):
        """Lower and upper end (rows,) of the central interval of probability `coverage`, by mean and std."""
        if not 0 < coverage < 1:
            raise InvalidInput(f"coverage={coverage!r} must lie between 0 and 1, such as 0.95.")
        mean, std = self.predict(X, return_std=True, include_noise=include_noise)
        half = ndtri(0.5 + coverage / 2) * std
        return mean - half, mean + half

    def sample_y(self, X, n_samples=1, random_state=0, include_noise=True):
        """Functions drawn from the posterior at the rows of X, (rows, n_samples), with noise of `noise_std_`."""
        X = self._checked(X)
        z = self._scaling.inputs(X)
        rng = generator(random_state)
        with one_blas_thread():
            samples = self._posterior.sample(z, n_samples, rng) * self._scaling.y_scale + self._scaling.y_mean
        if include_noise:
            samples += self.noise_std_ * rng.standard_normal(samples.shape)
        return samples

    def log_marginal_likelihood(self, X, y, *, theta=None, sample_weight=None, eval_gradient=False):
        """Log evidence of rows under `kernel_`, in nats of the user's y.

        Parameters
        ----------
        X, y : (n, d), (n,)
        theta : flat vector like `theta_`, optional
            The learned one if None.
        sample_weight : (n,), optional
        eval_gradient : bool
            Also return the gradient with respect to theta.
        """
        check_is_fitted(self)
        X, y, weight = read_training(self, X, y, sample_weight, reset=False)
        X, y, weight = merge_rows(X, y, weight)
        theta = self.theta_ if theta is None else np.asarray(theta, dtype=float)
        if theta.shape != self.theta_.shape:
            raise InvalidInput(f"theta has shape {theta.shape}; this model has {self.theta_.shape}, see theta_labels_.")
        rows = Rows(X, y[:, None], weight, scaling=self._scaling)
        problem = replace(self._problem, rows=rows)
        offset = rows.total * np.log(self._scaling.y_scale)
        with one_blas_thread():
            if not eval_gradient:
                return -nlml(problem, theta) - offset
            value, gradient = nlml_gradient(problem, theta)
        return -value - offset, -gradient

    def summary(self) -> str:
        """What was learned, in the user's units, as text."""
        check_is_fitted(self)
        return summary(self)

    def _checked(self, X):
        check_is_fitted(self)
        return read_inputs(self, X)
