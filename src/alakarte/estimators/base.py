"""What every estimator of this library is: settings in, a `FittedModel` out, fitted attributes read from that.

In: the user's table. Out: `model_`, the one thing that a fit leaves on an estimator. All computing is done in the rooms
above this one.
"""

from abc import ABC, abstractmethod
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from alakarte.data.arrays import ArrayRows
from alakarte.data.read import read_inputs
from alakarte.data.table import further_rows, training_table
from alakarte.display.summary import summary
from alakarte.errors import InvalidInput
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress, warn
from alakarte.execution.randomness import streams
from alakarte.execution.threads import one_blas_thread
from alakarte.likelihoods.base import Likelihood
from alakarte.model.fitted import FittedModel, fitted_model
from alakarte.model.history import shortfall
from alakarte.model.kernel import FittedKernel
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.records import Array, Named
from alakarte.search.context import Search, in_random_order
from alakarte.search.fit import fit
from alakarte.search.settings import Settings


class GPEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """A Gaussian process that learns its kernel; a leaf has these settings, and others that `checks` reads."""

    max_time: float | None
    n_jobs: int | None
    random_state: Any
    verbose: int
    warm_start: bool
    n_features_in_: int
    model_: FittedModel

    @abstractmethod
    def _likelihood(self) -> Likelihood:
        """How observations come about, from the estimator's settings."""

    def _fit(self, settings: Settings, X: Any, y: Any, sample_weight: Any) -> None:
        """Learn kernel and noise from the user's table, and keep the model."""
        budget = Budget(self.max_time)
        table = training_table(self, X, y, sample_weight, settings.likelihood.scaling)
        rows, scaling, warm = table.rows, table.scaling, None
        if rows.n_rows == 1:  # one row says nothing of spread: what is expected beforehand stays
            settings = replace(settings, max_iter=0)
        if self.warm_start and self._is_fitted():
            settings, warm = replace(settings, kernel=self.model_.kernel.kernel), self.model_.warm_start
            if (tails := self.model_.scaling.tails) is not None:
                rows, scaling = rows.compressed(tails), replace(scaling, tails=tails)
        random = streams(self.random_state)
        progress = Progress(self.verbose, scaling.log_evidence)
        with one_blas_thread(), closing(progress):
            subsets = in_random_order(settings, rows, random)
            result = fit(Search(settings, subsets, scaling, random, progress, budget), warm)
        self.model_ = fitted_model(result, table.target_shape, self._input_names())
        if budget.interrupted:
            raise KeyboardInterrupt("The fit was interrupted. The best model so far is kept: predict and summary work.")
        if text := shortfall(result):
            warn(text, ConvergenceWarning, stacklevel=3)

    def _input_names(self) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", None)
        return tuple(f"x{j}" for j in range(self.n_features_in_)) if names is None else tuple(map(str, names))

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> ArrayRows:
        """Rows for a fitted model."""
        return further_rows(self, X, y, sample_weight, self.model_.scaling, self.model_.target_shape)

    def _checked(self, X: Any) -> Array:
        check_is_fitted(self)
        return read_inputs(self, X)

    # --- fitted attributes, in the user's units

    def _is_fitted(self) -> bool:
        """Whether there is a model."""
        return "model_" in vars(self)

    def _fitted(self, name: str) -> FittedModel:
        """The model, or the error of an attribute that is not there before a fit."""
        if not self._is_fitted():
            raise AttributeError(f"{type(self).__name__} has no {name!r} before fit is called.")
        return self.model_

    @property
    def kernel_(self) -> FittedKernel:
        """The learned kernel, of several the best of the fit."""
        return self._fitted("kernel_").kernel

    @property
    def noise_std_(self) -> float | Array:
        """Standard deviation of the noise, in units of y; (T,) for several targets."""
        model = self._fitted("noise_std_")
        return model.noise_std if model.target_shape else float(model.noise_std[0])

    @property
    def log_marginal_likelihood_(self) -> float:
        """In nats of the user's y, of `kernel_`, summed over targets."""
        return self._fitted("log_marginal_likelihood_").log_marginal_likelihood

    @property
    def theta_(self) -> Array:
        """The learned flat vector, in standardised units."""
        return self._fitted("theta_").theta

    @property
    def theta_labels_(self) -> list[str]:
        """What each entry of `theta_` is."""
        return self._fitted("theta_labels_").problem.layout.labels()

    @property
    def relevance_(self) -> Array:
        """How much the function varies along each input, sums to one."""
        return self._fitted("relevance_").kernel.relevance()

    @property
    def ranking_(self) -> list[Named]:
        """Kernels that were compared, best first."""
        return self._fitted("ranking_").ranking

    @property
    def input_tails_(self) -> Array | None:
        """Where the tails of inputs begin that are compressed, in units of each input."""
        return self._fitted("input_tails_").input_tails

    @property
    def n_components_(self) -> int:
        """Components that were used."""
        return self._fitted("n_components_").history.n_components

    @property
    def n_frequencies_(self) -> int:
        """Frequencies of each component, learned with; 0 for a closed form."""
        return self._fitted("n_frequencies_").history.n_frequencies

    @property
    def n_posterior_frequencies_(self) -> int:
        """Frequencies of each component in the posterior; 0 for a closed form."""
        return self._fitted("n_posterior_frequencies_").n_posterior_frequencies

    @property
    def n_learning_rows_(self) -> int:
        """Rows of the last stage."""
        return self._fitted("n_learning_rows_").history.n_learning_rows

    @property
    def growth_reason_(self) -> str:
        """Why the posterior has no more frequencies."""
        return self._fitted("growth_reason_").growth_reason

    @property
    def n_iter_(self) -> int:
        """Iterations of the last run."""
        return self._fitted("n_iter_").history.n_iter

    @property
    def n_evaluations_(self) -> int:
        """Evaluations in all."""
        return self._fitted("n_evaluations_").history.n_evaluations

    @property
    def n_basis_(self) -> int:
        """Columns of the expansion, training rows of a closed form."""
        return self._fitted("n_basis_").posterior.n_basis

    @property
    def trace_(self) -> dict[str, Array]:
        """Log evidence, gradient norm and seconds of every evaluation of the last run."""
        return self._fitted("trace_").history.trace

    @property
    def stop_reason_(self) -> str:
        """Why the last run stopped."""
        return self._fitted("stop_reason_").history.stop_reason

    @property
    def converged_(self) -> bool:
        """Whether the last run converged."""
        return self._fitted("converged_").history.converged

    @property
    def starts_(self) -> list[Named]:
        """Evidence, theta, iterations and reason of the short run from every start."""
        return self._fitted("starts_").history.starts

    # --- what every fitted model answers

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
        with one_blas_thread():
            if not eval_gradient:
                return model.scaling.log_evidence(nlml(problem, theta), rows.total)
            value, gradient = nlml_gradient(problem, theta)
        return model.scaling.log_evidence(value, rows.total), -gradient

    def summary(self) -> str:
        """What was learned, in the user's units, as text."""
        check_is_fitted(self)
        return summary(self.model_)
