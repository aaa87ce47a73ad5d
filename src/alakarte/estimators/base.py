"""What every estimator of this library is: settings in, a `FittedModel` out, fitted attributes read from that.

In: the user's table. Out: `model_`, the one thing that a fit leaves on an estimator. All computing is done in the rooms
above this one.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from alakarte.data.table import Table, query_table
from alakarte.display.notebook import learned_html
from alakarte.display.report import report
from alakarte.display.summary import summary
from alakarte.estimators.callbacks import Listener, Told
from alakarte.estimators.going_on import Begun, begin_checkpoint, going_on
from alakarte.estimators.keep import Savable
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress, warn
from alakarte.execution.threads import one_blas_thread
from alakarte.kernels.base import Kernel
from alakarte.model.fitted import FittedModel, fitted_model
from alakarte.model.history import shortfall
from alakarte.model.kernel import FittedKernel
from alakarte.records import Array, Named
from alakarte.search.context import Search, in_random_order
from alakarte.search.fit import Fit
from alakarte.search.learn import WarmStart
from alakarte.search.settings import Settings

Learn: TypeAlias = Callable[[Search, WarmStart | None], Fit]  # a recipe: `search.fit.fit` or one of its kind


class GPEstimator(Told, Savable, ABC):  # type: ignore[misc]
    """A Gaussian process that learns its kernel: the settings that all of them have, and what a fit leaves."""

    n_features_in_: int
    model_: FittedModel

    def __init__(  # noqa: PLR0913
        self,
        kernel: str | Kernel = "auto",
        *,
        categorical_features: Any = "from_dtype",
        n_components: int | None = None,
        n_frequencies: int | None = None,
        n_posterior_frequencies: int | str | None = "auto",
        n_learning_rows: int | str | None = "auto",
        expansion: str = "auto",
        n_restarts: int = 4,
        max_iter: int = 150,
        max_iter_restart: int = 20,
        tol: float = 0.1,
        max_time: float | None = None,
        lengthscale_spread: float | str | None = "auto",
        precision: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        checkpoint: Any = None,
        checkpoint_interval: float = 60.0,
    ):
        self.kernel = kernel
        self.categorical_features = categorical_features
        self.n_components = n_components
        self.n_frequencies = n_frequencies
        self.n_posterior_frequencies = n_posterior_frequencies
        self.n_learning_rows = n_learning_rows
        self.expansion = expansion
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.max_iter_restart = max_iter_restart
        self.tol = tol
        self.max_time = max_time
        self.lengthscale_spread = lengthscale_spread
        self.precision = precision
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_interval = checkpoint_interval

    def _fit_table(
        self, settings: Settings, table: Table, budget: Budget, learn: Learn, begun: Begun | None = None
    ) -> None:
        """Learn from a table by a recipe, and keep the model; as a part of a fit that has `begun`, or as one."""
        rows, scaling, warm = table.rows, table.scaling, None
        if rows.n_rows == 1:  # one row says nothing of spread: what is expected beforehand stays
            settings = replace(settings, max_iter=0)
        if self.warm_start and self._is_fitted() and self.model_.scaling.x_mean.size == rows.n_inputs:
            settings, warm = replace(settings, kernel=self.model_.kernel.kernel), self.model_.warm_start
            if self.model_.is_local:
                settings = replace(settings, expansion="local")
            if (tails := self.model_.kernel.scaling.tails) is not None:
                rows, scaling = rows.compressed(tails), replace(scaling, tails=tails)
        checkpoint, random = begun or begin_checkpoint(self, table, warm)
        rows = replace(rows, checkpoint=checkpoint)
        progress = Progress(self.verbose, scaling.log_evidence, listener := Listener(self, budget))
        with one_blas_thread(), closing(progress), nullcontext() if begun else going_on(checkpoint, budget):
            subsets = in_random_order(settings, rows, random)
            result = learn(Search(settings, subsets, scaling, random, progress, budget, checkpoint), warm)
        self.model_ = fitted_model(result, table.target_shape, self._input_names())
        if budget.interrupted and not listener.stopped:
            raise KeyboardInterrupt("The fit was interrupted. The best model so far is kept: predict and summary work.")
        if text := shortfall(result):
            warn(text, ConvergenceWarning)

    def _input_names(self) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", None)
        return tuple(f"x{j}" for j in range(self.n_features_in_)) if names is None else tuple(map(str, names))

    def _checked(self, X: Any) -> Array:
        check_is_fitted(self)
        return query_table(self, X, self.model_.scaling)

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
    def log_marginal_likelihood_(self) -> float:
        """In nats of the user's y, of `kernel_`, summed over targets."""
        value = self._fitted("log_marginal_likelihood_").log_marginal_likelihood
        if math.isnan(value):
            raise AttributeError("Neighbours have no log_marginal_likelihood_: see left_out_log_density_.")
        return value

    @property
    def left_out_log_density_(self) -> float | None:
        """Per row, of rows left out, in nats of the user's y; None where neighbours were not tried."""
        return self._fitted("left_out_log_density_").history.left_out_log_density

    @property
    def rough_kernel_(self) -> FittedKernel | None:
        """The kernel of neighbours, where these see what features leave."""
        return self._fitted("rough_kernel_").rough_kernel

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
    def periods_(self) -> list[dict[str, Any]]:
        """Waves of the learned kernel: ``share`` of the variance of y, ``period`` by name of input."""
        return self._fitted("periods_").periods

    @property
    def growth_reason_(self) -> str:
        """Why the posterior has no more frequencies."""
        return self._fitted("growth_reason_").growth_reason

    @property
    def n_iter_(self) -> int:
        """Iterations of the last run; one where the kernel stands as it was given."""
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

    def summary(self) -> str:
        """What was learned, in the user's units, as text."""
        check_is_fitted(self)
        return summary(self.model_)

    def _repr_html_inner(self) -> str:
        """What scikit-learn shows in a notebook, and what was learned."""
        return self._with_learned(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """The same, for notebooks that ask for several forms at once."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {kind: self._with_learned(text) if kind == "text/html" else text for kind, text in bundle.items()}

    def _with_learned(self, text: str) -> str:
        return text + learned_html(self.model_) if self._is_fitted() else text

    def report(self, path: str | Path, X: Any = None, y: Any = None, **given: Any) -> None:
        """Write a page of HTML: what was learned, how sure it is, what to doubt. Needs matplotlib (extra ``plot``).

        Parameters
        ----------
        path : path
            Of the file to write. It needs nothing from elsewhere, and can be sent and printed.
        X, y : (rows, d), (rows,) or (rows, T), optional
            Rows that the model has not learned from; some thousand of more are used. Without them rows of the fit are
            left out one by one, where that needs no further fit (closed forms and neighbours).
        **given
            ``exposure`` of counts.
        """
        check_is_fitted(self)
        Path(path).write_text(report(self, X, y, given), encoding="utf-8")

    def _about(self) -> Named:
        """For who looks into a file: what was learned from which rows."""
        schema = vars(self).get("schema_")
        columns = {} if schema is None else {column.name: column.kind for column in schema.columns}
        return self.model_.description() | {
            "columns": columns,
            "target": None if schema is None else schema.target,
            "rows": self.model_.posterior.total,
            "log_marginal_likelihood": self.model_.log_marginal_likelihood,
            "n_basis": self.model_.posterior.n_basis,
            "seed": self.model_.streams.seed,
        }

    @abstractmethod
    def log_predictive_density(self, X: Any, y: Any) -> Array:
        """Log density, or probability, (rows,) of the targets y under their predictions, in nats."""
