"""`GPCountRegressor`: counts, with exposure, and a kernel learned from the data."""

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from alakarte.data.arrays import ArrayRows
from alakarte.data.columns import in_memory
from alakarte.errors import InvalidInput
from alakarte.estimators.callbacks import tells_callbacks
from alakarte.estimators.checks import LOCAL_TOO, check_settings
from alakarte.estimators.count_targets import check_counts, count_targets, log_exposure, read_counts
from alakarte.estimators.latent import LatentEstimator
from alakarte.estimators.on_cluster import lazy
from alakarte.estimators.online import keeps_sums
from alakarte.execution.budget import Budget
from alakarte.execution.randomness import generator
from alakarte.execution.threads import one_blas_thread
from alakarte.kernels.base import Kernel
from alakarte.likelihoods.base import Likelihood
from alakarte.likelihoods.counts import CountLikelihood
from alakarte.likelihoods.gaussian import Gaussian
from alakarte.likelihoods.registry import resolve_likelihood
from alakarte.process.latent_objective import VARIATIONAL
from alakarte.records import Array, Integers


class GPCountRegressor(LatentEstimator):
    """Gaussian process regression of counts: the logarithm of the rate is the latent function.

    Parameters
    ----------
    kernel : str or kernel object, default="auto"
        As in `GPRegressor`; ``auto`` learns several, and averages those that cannot be told apart, where rows are few.
    likelihood : "negative_binomial", "poisson" or an object of `alakarte.likelihoods`, default="negative_binomial"
        Counts of mean m have variance m + m²/r, r learned; or m.
    categorical_features : "from_dtype", list of indices, names or flags, or None, default="from_dtype"
        Columns that are categories, as in `GPRegressor`.
    n_components, n_frequencies, n_posterior_frequencies, n_learning_rows, expansion, n_restarts, max_iter, \
    max_iter_restart, tol, lengthscale_spread, precision
        As in `GPRegressor`; kernels are chosen by regression first. ``local`` is the closed form of the nearest rows.
    n_neighbors : int, default=100
        Rows that each prediction by neighbours is made from. With ``kernel="auto"`` these stand against features, where
        there are any (some 6,000 rows and more), by rows left out.
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
    kernel_ : FittedKernel
        The learned kernel of the logarithm of the rate, of several the best.
    dispersion_ : float
        r of the negative binomial; infinite for Poisson.
    log_marginal_likelihood_ : float
        The variational bound of the log evidence.
    ranking_, n_passes_, model_
        As in `GPClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from alakarte import GPCountRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, hours = rng.uniform(size=(80, 1)), rng.uniform(1, 9, 80)
    >>> y = rng.poisson(np.exp(2 * X[:, 0]) * hours)
    >>> model = GPCountRegressor("rbf", random_state=0).fit(X, y, exposure=hours)
    >>> model.predict_quantiles([[0.5]], [0.05, 0.95], exposure=[10.0]).dtype.name
    'int64'
    """

    def __init__(  # noqa: PLR0913
        self,
        kernel: str | Kernel = "auto",
        *,
        likelihood: str | Likelihood = "negative_binomial",
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
        self.likelihood = likelihood
        self.n_neighbors = n_neighbors

    @tells_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> "GPCountRegressor":
        """Learn the kernel, and build the posterior of the logarithm of the rate.

        Parameters
        ----------
        X : (n, d) table of numbers
        y : (n,) counts 0, 1, 2, …
        sample_weight : (n,), optional
            Weights ≥ 0; a weight of 2 equals the row given twice.
        exposure : (n,), optional
            How long, or how many, each row was observed, > 0; rates are per unit of it.

        Returns
        -------
        self
        """
        settings, likelihood = check_settings(self, Gaussian(), LOCAL_TOO), self._likelihood()
        budget = Budget(self.max_time)
        self._fit_targets(settings, likelihood, VARIATIONAL, (X, count_targets(y, exposure), sample_weight), budget)
        return self

    def _likelihood(self) -> CountLikelihood:
        likelihood = resolve_likelihood(self.likelihood, ("negative_binomial", "poisson"))
        assert isinstance(likelihood, CountLikelihood)
        return likelihood

    @available_if(keeps_sums)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> "GPCountRegressor":
        """Add rows to the posterior; the first call is a `fit`. What is exact: see `GPClassifier.partial_fit`."""
        if not self._is_fitted():
            return self.fit(X, y, sample_weight, exposure)
        return self._change(self._rows(X, y, sample_weight, exposure), 1)

    @available_if(keeps_sums)  # type: ignore[untyped-decorator]
    def forget(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> "GPCountRegressor":
        """Remove rows that were fitted; where the kernel is in closed form (some 4,000 rows)."""
        self._check_fitted_to_forget()
        return self._change(self._rows(X, y, sample_weight, exposure), -1)

    def _rows(self, X: Any, y: Any, sample_weight: Any, exposure: Any) -> ArrayRows:
        """Rows for a fitted model."""
        return self._further_targets(X, count_targets(y, exposure), sample_weight)

    @property
    def dispersion_(self) -> float:
        """The r of the negative binomial; infinite for Poisson."""
        return float(self._fitted("dispersion_").likelihood_parameters.get("dispersion", np.inf))

    def _log_counts(self, X: Any, exposure: Any) -> tuple[Array, Array]:
        """Mean and variance (rows,) of the logarithm of the expected count."""
        X = self._checked(X)
        offset = log_exposure(exposure, len(X))
        with one_blas_thread():
            mean, variance = self._latent(X)
        return mean[:, 0] + self.model_.scaling.y_mean[0] + offset, variance[:, 0]

    def _counts(self) -> CountLikelihood:
        likelihood = self.model_.likelihood
        assert isinstance(likelihood, CountLikelihood)
        return likelihood

    @lazy
    def predict(self, X: Any, return_std: bool = False, exposure: Any = None) -> Array | tuple[Array, Array]:
        """Expected count (rows,) for the given exposure (1 if None), and on request the std of a new count."""
        mean, variance = self._log_counts(X, exposure)
        counts = self._counts()
        expected = counts.mean_count(mean, variance)
        return (expected, counts.count_std(self.model_.values, mean, variance)) if return_std else expected

    @lazy
    def predict_latent(self, X: Any) -> tuple[Array, Array]:
        """Mean and standard deviation (rows,) of the logarithm of the rate."""
        mean, variance = self._log_counts(X, None)
        return mean, np.sqrt(variance)

    @lazy
    def predict_quantiles(self, X: Any, quantiles: Any, exposure: Any = None) -> Integers:
        """Whole numbers (rows, k): the smallest counts that are reached with probabilities `quantiles` (k,)."""
        levels = np.atleast_1d(np.asarray(quantiles, dtype=float))
        if not ((levels > 0) & (levels < 1)).all():
            raise InvalidInput(f"quantiles={quantiles!r} must lie between 0 and 1, such as [0.05, 0.5, 0.95].")
        mean, variance = self._log_counts(X, exposure)
        counts, values = self._counts(), self.model_.values
        return np.column_stack([counts.quantile(values, float(level), mean, variance) for level in levels])

    @lazy
    def predict_interval(self, X: Any, coverage: float = 0.95, exposure: Any = None) -> tuple[Integers, Integers]:
        """Lower and upper end (rows,), whole numbers, of the central interval of probability `coverage` or more."""
        if not 0 < coverage < 1:
            raise InvalidInput(f"coverage={coverage!r} must lie between 0 and 1, such as 0.95.")
        low, high = self.predict_quantiles(X, [0.5 - coverage / 2, 0.5 + coverage / 2], exposure).T
        return low, high

    @lazy
    def predict_pmf(self, X: Any, counts: Any, exposure: Any = None) -> Array:
        """Probabilities (rows, k) of counts (k,)."""
        wanted = np.atleast_1d(np.asarray(counts, dtype=float))
        check_counts(wanted, "counts")
        mean, variance = self._log_counts(X, exposure)
        return self._counts().probabilities(self.model_.values, wanted, mean, variance)

    def log_predictive_density(self, X: Any, y: Any, exposure: Any = None) -> Array:
        """Log probability (rows,) of the counts y, in nats."""
        check_is_fitted(self)
        observed = read_counts(y)
        mean, variance = self._log_counts(X, exposure)
        return self._counts().log_predictive(self.model_.values, observed, mean, variance)

    def score(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> float:
        """Mean log probability of the counts y, larger is better."""
        return float(np.average(self.log_predictive_density(X, y, exposure), weights=in_memory(sample_weight)))

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0, exposure: Any = None) -> Array:
        """Counts (rows, n_samples) drawn from the posterior, jointly over rows."""
        X = self._checked(X)
        model, rng = self.model_, generator(random_state)
        offset = log_exposure(exposure, len(X))[:, None] + model.scaling.y_mean[0]
        with one_blas_thread():
            latent = model.posterior.sample(model.scaling.inputs(X), n_samples, rng)[:, 0]
        return self._counts().draw(model.values, latent + offset, rng)

    def __sklearn_tags__(self) -> Any:
        """No "regressor": scikit-learn's tools for these may bring targets that are no whole numbers."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
