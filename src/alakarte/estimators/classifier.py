"""`GPClassifier`: classes with calibrated probabilities, two or many, and a kernel learned from the data."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Rows
from alakarte.data.table import Table, TableRows, further_targets, plain_targets, training_table
from alakarte.errors import InvalidInput
from alakarte.estimators.callbacks import tells_callbacks
from alakarte.estimators.checks import LOCAL_TOO, check_settings
from alakarte.estimators.class_predictions import ClassPredictions
from alakarte.estimators.labels import check_classes, coded, warn_of_lone_rows, weights_with_classes
from alakarte.estimators.on_cluster import ScoredAnywhere
from alakarte.estimators.online import keeps_sums
from alakarte.execution.budget import Budget
from alakarte.kernels.base import Kernel
from alakarte.likelihoods.bernoulli import Bernoulli
from alakarte.likelihoods.categorical import indicators, log_base_rates
from alakarte.likelihoods.gaussian import Gaussian
from alakarte.process.latent_objective import LAPLACE, VARIATIONAL
from alakarte.records import Array, Integers
from alakarte.search.class_neighbours import ByFeatures, fit_by_both
from alakarte.search.context import Search
from alakarte.search.fit import Fit
from alakarte.search.fit_classes import fit_classes
from alakarte.search.latent import fit_latent
from alakarte.search.learn import WarmStart
from alakarte.search.settings import Settings


class GPClassifier(ScoredAnywhere, ClassifierMixin, ClassPredictions):  # type: ignore[misc]
    """Gaussian process classification that learns its kernel from the data.

    Two classes: one latent function through the logistic function, its posterior by the variational bound. More: one
    function per class that share a kernel, through softmax, at their most probable values. On larger tables also, or
    instead, the labels of the nearest rows, where rows left out prefer that.

    Parameters
    ----------
    kernel : str or kernel object, default="auto"
        ``auto`` learns several, fixed ones beside them, and keeps the one that predicts rows left out best, or
        averages probabilities with the weights that do, where rows are few. From 3,600 rows on it tries neighbours
        too. Or one by name, as in `GPRegressor`.
    inference : {"variational", "laplace"}, default="variational"
        Of two classes: the variational bound, or Laplace's approximation at the mode.
    class_weight : dict, "balanced" or None
        Weights of classes, multiplied with `sample_weight`.
    categorical_features : "from_dtype", list of indices, names or flags, or None, default="from_dtype"
        Columns that are categories, as in `GPRegressor`.
    n_components, n_frequencies, n_posterior_frequencies, n_learning_rows, expansion, n_restarts, max_iter, \
    max_iter_restart, tol, lengthscale_spread, precision
        As in `GPRegressor`; kernels are chosen by regression first. ``expansion="local"``: neighbours alone.
    n_neighbors : int, default=100
        Rows that each prediction by neighbours is made from.
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
    checkpoint, checkpoint_interval
        As in `GPRegressor`: what learning has evaluated, and the steps over all rows afterwards.

    Attributes
    ----------
    classes_ : (K,) array
        The labels, sorted.
    kernel_ : FittedKernel
        The learned kernel, of several the best.
    log_marginal_likelihood_ : float
        The bound of the log evidence; Laplace's approximation for ``inference="laplace"`` and several classes.
    ranking_ : list of dict
        Kernels that were compared, by ``left_out_log_loss``; ``fixed``: length-scales in medians of distances. Where
        neighbours were tried, ``n_neighbors`` and ``left_out_log_density``, which decides about these.
    left_out_log_density_ : float or None
        Log probability per row of rows left out, where neighbours were tried.
    rough_kernel_ : FittedKernel or None
        The kernel of neighbours, where these stand beside features.
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
        n_neighbors: int = 100,
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
        checkpoint: Any = None,
        checkpoint_interval: float = 60.0,
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
            checkpoint=checkpoint,
            checkpoint_interval=checkpoint_interval,
        )
        self.inference = inference
        self.n_neighbors = n_neighbors
        self.class_weight = class_weight

    @tells_callbacks
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
        settings, budget = check_settings(self, Gaussian(), LOCAL_TOO), Budget(self.max_time)
        self._check_inference()
        classes, codes = coded(y)
        return self._fit_codes(settings, budget, X, codes, classes, sample_weight)

    def _fit_codes(
        self, settings: Settings, budget: Budget, X: Any, codes: Integers, classes: Array, sample_weight: Any
    ) -> "GPClassifier":
        """Learn from labels 0 … K − 1 of these classes."""
        check_classes(classes)
        warn_of_lone_rows(classes, codes)
        weight = weights_with_classes(self.class_weight, classes, codes, sample_weight)
        if len(classes) == 2:
            surrogate, rows, by_features = self._two_classes((X, codes, weight))
        else:
            surrogate, rows, by_features = self._several_classes((X, codes, weight), len(classes))

        def learn(search: Search, warm: WarmStart | None) -> Fit:
            found = fit_by_both(search, rows, by_features, warm)
            self.classes_ = classes  # with the model: a fit that Ctrl-C ends keeps one, too
            return found

        self._fit_table(replace(settings, stands_in=True), surrogate, budget, learn)
        return self

    def _two_classes(self, data: tuple[Any, Integers, Any]) -> tuple[Table, TableRows, ByFeatures]:
        """Numbers for regression, rows with labels and offsets, and the recipe by features."""
        X, codes, weight = data
        inference = self.inference
        targets = np.column_stack([codes, np.zeros(len(codes))]).astype(float)
        surrogate, rows = self._latent_tables(Bernoulli(), (X, targets, weight))

        def by_features(search: Search, rows: Rows, warm: WarmStart | None) -> Fit:
            return fit_latent(search, rows, Bernoulli(), inference, warm)

        return surrogate, rows, by_features

    def _several_classes(self, data: tuple[Any, Integers, Any], n_classes: int) -> tuple[Table, TableRows, ByFeatures]:
        """Indicators for regression, rows with labels, and the recipe by features."""
        X, codes, weight = data
        table = training_table(self, X, codes.astype(float)[:, None], weight, plain_targets)
        labels, weight = table.rows.targets()
        codes = labels[:, 0].astype(np.int64)
        base = log_base_rates(codes, weight, n_classes)
        numbers = indicators(codes, n_classes)
        numbers -= np.average(numbers, axis=0, weights=weight)
        numbers /= np.sqrt(np.average((numbers**2).mean(axis=1), weights=weight))
        scaling = replace(table.scaling, y_mean=base, y_scale=np.ones(n_classes))
        surrogate = Table(table.rows.with_targets(numbers, weight), scaling, (n_classes,))

        def by_features(search: Search, rows: Rows, warm: WarmStart | None) -> Fit:
            return fit_classes(search, rows, base, warm)

        return surrogate, table.rows, by_features

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
            settings, budget = check_settings(self, Gaussian(), LOCAL_TOO), Budget(self.max_time)
            self._check_inference()
            known, codes = coded(y, given)
            return self._fit_codes(settings, budget, X, codes, known, sample_weight)
        if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise InvalidInput(f"classes={classes!r} are not those of the first call, {self.classes_.tolist()}.")
        return self._change(self._rows(X, y, sample_weight), 1)

    @available_if(keeps_sums)  # type: ignore[untyped-decorator]
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> "GPClassifier":
        """Remove rows that were fitted; where the kernel is in closed form (some 4,000 rows), or of neighbours alone.

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
        targets, scaling = codes.astype(float)[:, None], self.model_.scaling
        if len(self.classes_) == 2:
            targets = np.column_stack([targets, np.full(len(codes), scaling.y_mean[0])])
        return further_targets(self, X, targets, weight, scaling)

    def _check_inference(self) -> None:
        if self.inference not in (VARIATIONAL, LAPLACE):
            raise InvalidInput(f"inference={self.inference!r}: use '{VARIATIONAL}' or '{LAPLACE}'.")
