"""Rows that come and go: the statistics are sums, so a posterior takes rows in and lets them out exactly.

Kernel, noise and standardisation stay those of the last `fit`.
"""

import warnings

import numpy as np
from sklearn.utils.metaestimators import available_if

from alakarte.data.blocks import Rows
from alakarte.data.read import merge_rows, read_training
from alakarte.errors import ConditioningWarning, IllConditioned, InvalidInput
from alakarte.evidence import noise_floor, solve_weights
from alakarte.posterior import weight_posterior
from alakarte.statistics import statistics
from alakarte.threads import count, one_blas_thread

# M = I + … ≥ I, so the squares of its factor's diagonal are ≥ 1, less half by rounding at the least noise allowed.
_LEAST_PIVOT = 0.5


def _keeps_sums(estimator) -> bool:
    if estimator.expansion == "exact":
        raise AttributeError(
            "expansion='exact' keeps rows, not sums, and cannot add or remove any: call fit again, or use "
            "expansion='fastfood'."
        )
    return True


class Online:
    """`partial_fit` and `forget` of a `GPRegressor`."""

    @available_if(_keeps_sums)
    def partial_fit(self, X, y, sample_weight=None):
        """Add rows to the posterior; the first call is a `fit`.

        Parameters
        ----------
        X, y : (rows, d), (rows,)
        sample_weight : (rows,), optional

        Returns
        -------
        self
        """
        if not hasattr(self, "_posterior"):
            return self.fit(X, y, sample_weight)
        return self._change(X, y, sample_weight, 1)

    @available_if(_keeps_sums)
    def forget(self, X, y, sample_weight=None):
        """Remove rows that were fitted; what remains is what the other rows alone would give.

        Parameters
        ----------
        X, y : (rows, d), (rows,)
        sample_weight : (rows,), optional

        Returns
        -------
        self
        """
        if not hasattr(self, "_posterior"):
            raise InvalidInput("This model has seen no rows yet, so it cannot forget any: call fit first.")
        return self._change(X, y, sample_weight, -1)

    def _change(self, X, y, sample_weight, sign):
        X, y, weight = merge_rows(*read_training(self, X, y, sample_weight, reset=False))
        rows = Rows(X, y[:, None], weight, scaling=self._scaling)
        features, n_jobs, s = self._posterior.features, count(self.n_jobs), self._noise_variance()
        with one_blas_thread():
            old, new = self._posterior.statistics(), statistics(rows, features, n_jobs)
            sums = old + new if sign > 0 else old - new
            if not sums.total > 0:
                raise InvalidInput(
                    f"forget would remove rows of weight {new.total:g} of {old.total:g}: at least one must remain."
                )
            try:
                evidence = solve_weights(sums, self._posterior.root_variance**2, s, n_jobs)
                lost = (evidence.factor.diagonal() ** 2).min() < _LEAST_PIVOT or sums.energy.min() < 0
            except IllConditioned:
                lost = True
            if lost:
                raise InvalidInput(
                    f"{'forget' if sign < 0 else 'partial_fit'} left sums that no set of rows can have: were all of "
                    "these rows fitted, with the same weights? The model is as it was before the call."
                )
        self._posterior = weight_posterior(features, sums, evidence)
        self._most_rows = max(getattr(self, "_most_rows", 0.0), old.total, sums.total)
        self.log_marginal_likelihood_ = -evidence.value_from(sums) - sums.total * np.log(self._scaling.y_scale)
        amplitude = self._problem.layout.unpack(self.theta_)["log_amplitude"]
        if noise_floor(features.n_basis, self._most_rows, amplitude) > s:
            warnings.warn(
                f"This posterior has held rows of weight {self._most_rows:g}: what rounding left of them reaches the "
                f"noise ({self.noise_std_:.3g}). Call fit again on the rows that remain.",
                ConditioningWarning,
                stacklevel=3,
            )
        return self

    def _noise_variance(self):
        return (self.noise_std_ / self._scaling.y_scale) ** 2
