"""The evidence of rows under the kernel of a fitted regressor."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from alakarte.data.arrays import ArrayRows
from alakarte.data.table import further_rows
from alakarte.errors import InvalidInput
from alakarte.estimators.input_noise import weight_ratio
from alakarte.estimators.latent import LatentEstimator, with_offset
from alakarte.execution.threads import one_blas_thread
from alakarte.process.latent_objective import VARIATIONAL
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.records import Array


class Evidence(LatentEstimator):
    """Rows for a fitted regressor, and their evidence."""

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> ArrayRows:
        """Rows for a fitted model."""
        if not self.model_.likelihood.is_exact:
            return self._further_targets(X, with_offset(y), sample_weight)
        if (noise := self.model_.noise_model) is not None:
            sample_weight = weight_ratio(noise, self._checked(X)) * (1.0 if sample_weight is None else sample_weight)
        return further_rows(self, X, y, sample_weight, self.model_.scaling, self.model_.target_shape)

    def log_marginal_likelihood(
        self, X: Any, y: Any, *, theta: Any = None, sample_weight: Any = None, eval_gradient: bool = False
    ) -> float | tuple[float, Array]:
        """Log evidence of rows under `kernel_`, in nats of the user's y, summed over targets.

        Parameters
        ----------
        X, y : (n, d), (n,) or (n, T)
        theta : flat vector like `theta_`, optional
            The learned one if None.
        sample_weight : (n,), optional
        eval_gradient : bool
            Also return the gradient with respect to theta.
        """
        check_is_fitted(self)
        model, rows = self.model_, self._rows(X, y, sample_weight)
        theta = model.theta if theta is None else np.asarray(theta, dtype=float)
        if theta.shape != model.theta.shape:
            raise InvalidInput(f"theta has shape {theta.shape}; this model has {model.theta.shape}, see theta_labels_.")
        problem = model.problem.on(rows)
        if not model.likelihood.is_exact:
            return self._latent_evidence(problem, theta, VARIATIONAL, eval_gradient=eval_gradient)
        with one_blas_thread():
            if not eval_gradient:
                return model.scaling.log_evidence(nlml(problem, theta), rows.total) + rows.excess_log_slope()
            value, gradient = nlml_gradient(problem, theta)
        return model.scaling.log_evidence(value, rows.total) + rows.excess_log_slope(), -gradient
