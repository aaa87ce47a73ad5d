"""`GPClassifier`: classes with calibrated probabilities, two or many, and a kernel learned from the data."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from alakarte.data.arrays import ArrayRows
from alakarte.data.table import Table, further_targets, plain_targets, training_table
from alakarte.errors import InvalidInput
from alakarte.estimators.checks import check_settings
from alakarte.estimators.labels import check_classes, coded, weights_with_classes
from alakarte.estimators.latent import CHUNK_ROWS, LatentEstimator
from alakarte.estimators.online import keeps_sums
from alakarte.execution.budget import Budget
from alakarte.execution.threads import one_blas_thread
from alakarte.kernels.base import Kernel
from alakarte.likelihoods.bernoulli import Bernoulli
from alakarte.likelihoods.categorical import indicators, log_base_rates, softmax
from alakarte.likelihoods.gaussian import Gaussian
from alakarte.posteriors.latent import LatentPosterior
from alakarte.process.latent_objective import LAPLACE, VARIATIONAL
from alakarte.records import Array, Integers
from alakarte.search.context import Search
from alakarte.search.fit import Fit
from alakarte.search.fit_classes import fit_classes
from alakarte.search.learn import WarmStart
from alakarte.search.settings import Settings

LEAST_PROBABILITY = 1e-15


class GPClassifier(ClassifierMixin, LatentEstimator):  # type: ignore[misc]
    """Gaussian process classification that learns its kernel from the data.

    Two classes: one latent function through the logistic function, its posterior by the variational bound. More: one
    function per class that share a kernel, through softmax, at their most probable values.

    Parameters
    ----------
    kernel : str or kernel object, default="auto"
        ``auto`` learns several, fixed ones beside them, and keeps the one that predicts rows left out best, or
        averages probabilities with the weights that do, where rows are few. Or one by name, as in `GPRegressor`.
    inference : {"variational", "laplace"}, default="variational"
        Of two classes: the variational bound, or Laplace's approximation at the mode.
    class_weight : dict, "balanced" or None
        Weights of classes, multiplied with `sample_weight`.
    categorical_features : "from_dtype", list of indices, names or flags, or None, default="from_dtype"
        Columns that are categories, as in `GPRegressor`.
    n_components, n_frequencies, n_posterior_frequencies, n_learning_rows, expansion, n_restarts, max_iter, \
    max_iter_restart, tol, lengthscale_spread, precision
        As in `GPRegressor`; kernels are chosen by regression first.
    max_time : float, optional
        Seconds; when they are over, the best model so far is kept. Without it no clock is read.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.
    random_state : int, RandomState or Generator, optional
        Same seed, same result.
    warm_start : bool, default=False
        Start from the last fit's parameters instead of restarts, with `kernel_` alone.
    verbose : int, default=0
        1: progress about once a second; 2: every iteration.

    Attributes
    ----------
    classes_ : (K,) array
        The labels, sorted.
    kernel_ : FittedKernel
        The learned kernel, of several the best.
    log_marginal_likelihood_ : float
        The bound of the log evidence; Laplace's approximation for ``inference="laplace"`` and several classes.
    ranking_ : list of dict
        Kernels that were compared, by ``left_out_log_loss``; ``fixed``: length-scales by the inputs alone.
    n_passes_ : int
        Passes over all rows to what each of them says; 0 in closed form of two classes.
    model_ : FittedModel
        All that the fit has kept; `theta_`, `relevance_`, `n_basis_` and others are read from it, as in `GPRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from alakarte import GPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GPClassifier("rbf", random_state=0).fit(X, y)
    >>> model.predict_proba(X[:1]).round(1).tolist()
    [[1.0, 0.0, 0.0]]
    """

    def __init__(  # noqa: PLR0913
        self,
        kernel: str | Kernel = "auto",
        *,
        inference: str = "variational",
        class_weight: Any = None,
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
        precision: str = "double",
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        super().__init__(
            kernel,
            categorical_features=categorical_features,
            n_components=n_components,
            n_frequencies=n_frequencies,
            n_posterior_frequencies=n_posterior_frequencies,
            n_learning_rows=n_learning_rows,
            expansion=expansion,
            n_restarts=n_restarts,
            max_iter=max_iter,
            max_iter_restart=max_iter_restart,
            tol=tol,
            max_time=max_time,
            lengthscale_spread=lengthscale_spread,
            precision=precision,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            verbose=verbose,
        )
        self.inference = inference
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "GPClassifier":
        """Learn the kernel, and build the posterior of the latent functions.

        Parameters
        ----------
        X : (n, d) table of numbers
        y : (n,) labels of any type, at least two of them
        sample_weight : (n,), optional
            Weights ≥ 0; a weight of 2 equals the row given twice.

        Returns
        -------
        self
        """
        settings, budget = check_settings(self, Gaussian()), Budget(self.max_time)
        self._check_inference()
        classes, codes = coded(y)
        return self._fit_codes(settings, budget, X, codes, classes, sample_weight)

    def _fit_codes(
        self, settings: Settings, budget: Budget, X: Any, codes: Integers, classes: Array, sample_weight: Any
    ) -> "GPClassifier":
        """Learn from labels 0 … K − 1 of these classes."""
        check_classes(classes)
        weight = weights_with_classes(self.class_weight, classes, codes, sample_weight)
        if len(classes) == 2:
            data = (X, np.column_stack([codes, np.zeros(len(codes))]).astype(float), weight)
            self._fit_targets(settings, Bernoulli(), self.inference, data, budget)
        else:
            self._fit_classes(settings, budget, (X, codes.astype(float)[:, None], weight), len(classes))
        self.classes_ = classes
        return self

    def _fit_classes(self, settings: Settings, budget: Budget, data: tuple[Any, Any, Any], n_classes: int) -> None:
        """Learn from X, labels (n, 1) and weights: several classes."""
        table = training_table(self, *data, plain_targets)
        labels, weight = table.rows.targets()
        codes = labels[:, 0].astype(np.int64)
        base = log_base_rates(codes, weight, n_classes)
        numbers = indicators(codes, n_classes)
        numbers -= np.average(numbers, axis=0, weights=weight)
        numbers /= np.sqrt(np.average((numbers**2).mean(axis=1), weights=weight))
        scaling = replace(table.scaling, y_mean=base, y_scale=np.ones(n_classes))
        surrogate = Table(table.rows.with_targets(numbers, weight), scaling, (n_classes,))

        def learn(search: Search, warm: WarmStart | None) -> Fit:
            return fit_classes(search, table.rows, base, warm)

        self._fit_table(replace(settings, stands_in=True), surrogate, budget, learn)

    @available_if(keeps_sums)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "GPClassifier":
        """Add rows to the posterior; the first call is a `fit`.

        In closed form (some 4,000 rows) what each row says is found anew: the result is that of all rows together,
        with the kernel of the fit. By features, earlier rows keep what they said, and only that of further rows is
        found: nearly the same, at the cost of these rows alone.

        Parameters
        ----------
        X, y : (rows, d), (rows,)
        classes : (K,), optional
            All labels that will ever come; of the first call. Those of y if None.
        sample_weight : (rows,), optional

        Returns
        -------
        self
        """
        if not self._is_fitted():
            given = None if classes is None else np.unique(np.asarray(classes))
            settings, budget = check_settings(self, Gaussian()), Budget(self.max_time)
            self._check_inference()
            known, codes = coded(y, given)
            return self._fit_codes(settings, budget, X, codes, known, sample_weight)
        if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise InvalidInput(f"classes={classes!r} are not those of the first call, {self.classes_.tolist()}.")
        return self._change(self._rows(X, y, sample_weight), 1)

    @available_if(keeps_sums)  # type: ignore[untyped-decorator]
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> "GPClassifier":
        """Remove rows that were fitted; where the kernel is in closed form (some 4,000 rows).

        Parameters
        ----------
        X, y : (rows, d), (rows,)
        sample_weight : (rows,), optional

        Returns
        -------
        self
        """
        self._check_fitted_to_forget()
        return self._change(self._rows(X, y, sample_weight), -1)

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> ArrayRows:
        """Rows for a fitted model."""
        codes = coded(y, self.classes_)[1]
        weight = weights_with_classes(self.class_weight, self.classes_, codes, sample_weight)
        if len(self.classes_) == 2:
            return self._further_targets(X, np.column_stack([codes, np.zeros(len(codes))]).astype(float), weight)
        return further_targets(self, X, codes.astype(float)[:, None], weight, self.model_.scaling)

    def _check_inference(self) -> None:
        if self.inference not in (VARIATIONAL, LAPLACE):
            raise InvalidInput(f"inference={self.inference!r}: use '{VARIATIONAL}' or '{LAPLACE}'.")

    # --- predictions

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
        """(rows, K), averaged over kernels."""
        model, posterior = self.model_, self.model_.posterior
        assert isinstance(posterior, LatentPosterior)
        total = np.zeros((len(X), len(self.classes_)))
        for weight, mean, variance in posterior.by_member(model.scaling.inputs(X), self._threads(X)):
            latent = mean + model.scaling.y_mean
            if len(self.classes_) == 2:
                ones = Bernoulli().probability(latent[:, 0], variance[:, 0])
                total += weight * np.column_stack([1 - ones, ones])
            else:
                total += weight * softmax(latent)
        return total

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of `predict_proba`."""
        return np.log(np.maximum(self.predict_proba(X), LEAST_PROBABILITY))

    def predict(self, X: Any) -> Array:
        """The most probable label of each row."""
        places = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[places])

    def decision_function(self, X: Any) -> Array:
        """Log odds (rows,) of the second of two classes, else log probabilities (rows, K)."""
        logs = self.predict_log_proba(X)
        return logs[:, 1] - logs[:, 0] if len(self.classes_) == 2 else logs

    def predict_latent(self, X: Any) -> tuple[Array, Array]:
        """Mean and standard deviation of the latent functions, (rows,) of two classes, else (rows, K)."""
        X = self._checked(X)
        with one_blas_thread():
            mean, variance = self._latent(X)
        mean = mean + self.model_.scaling.y_mean
        std = np.sqrt(variance)
        return (mean[:, 0], std[:, 0]) if len(self.classes_) == 2 else (mean, std)

    def log_predictive_density(self, X: Any, y: Any) -> Array:
        """Log probability (rows,) of the labels y, in nats."""
        check_is_fitted(self)
        codes = coded(y, self.classes_)[1]
        return np.asarray(self.predict_log_proba(X)[np.arange(len(codes)), codes])
