"""`GPRegressor`: checks, the chain of stages, fitted attributes in the user's units. The only mutable object.

In: the user's table. Out: predictions with uncertainty. All computing is done below this file.
"""

import warnings
from dataclasses import replace

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from alakarte.checks import check_settings
from alakarte.data.blocks import Rows
from alakarte.data.read import MERGE_ROWS, merge_rows, read_inputs, read_training
from alakarte.data.standardise import standardise
from alakarte.errors import InvalidInput
from alakarte.features.draws import generator
from alakarte.fitted import FittedKernel
from alakarte.learn import learn, relevance
from alakarte.objective import model_at, nlml, nlml_gradient
from alakarte.posterior import posterior
from alakarte.progress import Progress
from alakarte.report import summary
from alakarte.sizes import choose_sizes
from alakarte.threads import count, one_blas_thread

CHUNK_ROWS = 1 << 16


class GPRegressor(RegressorMixin, BaseEstimator):
    """Gaussian process regression that learns its kernel from the data.

    Parameters
    ----------
    kernel : str or kernel object, default="gm"
        ``rbf``, ``ard``, ``matern12``, ``matern32``, ``matern52``, ``fsard``, ``fsgbard``, ``gm``, ``pwl``, ``ssgpr``,
        or an object of `alakarte.kernels` with settings of its own.
    n_components : int, optional
        Components of the spectrum (gm, pwl); if None one to four, as many as the rows can bear. Kernels without
        components use n_components × n_frequencies frequencies.
    n_frequencies : int, optional
        Frequencies of each component; if None 128 in all.
    expansion : {"fastfood", "dense", "exact"}, default="fastfood"
        Fastfood features, independent Gaussian rows (random kitchen sinks), or the closed form (rbf, ard, matern, gm).
    n_restarts : int, default=4
        Random starts; the best after `max_iter_restart` iterations continues for `max_iter`.
    max_iter, max_iter_restart : int, default=150, 20
        Iterations of L-BFGS.
    tol : float, default=0.1
        Converged when ten iterations together gain less than this many nats.
    noise_std : float, optional
        Standard deviation of the noise in units of y; learned if None.
    precision : {"double", "mixed"}, default="double"
        Mixed learns with float32 features and products and float64 sums, then goes on in double for as long as that
        gains. Posteriors are always double.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.
    random_state : int, RandomState or Generator, optional
        Same seed, same result.
    warm_start : bool, default=False
        Start from the last fit's parameters instead of restarts.
    verbose : int, default=0
        1: progress about once a second; 2: every iteration.

    Attributes
    ----------
    kernel_ : FittedKernel
        The learned kernel, named parameters in the user's units.
    noise_std_ : float
        Standard deviation of the noise, in units of y.
    log_marginal_likelihood_ : float
        In nats of the user's y.
    theta_ : (n_parameters,) array
        The learned flat vector, in standardised units; `theta_labels_` names its entries.
    relevance_ : (n_features_in_,) array
        How much the function varies along each input, sums to one.
    n_components_, n_frequencies_ : int
        What was used.
    n_iter_, n_evaluations_, n_basis_ : int
        Iterations of the last run, evaluations in all, columns of the expansion (training rows if exact).
    trace_ : dict of arrays
        ``value`` (log evidence), ``gradient_norm``, ``seconds`` of every evaluation of the last run.
    stop_reason_, converged_ : str, bool
        Why it stopped.
    starts_ : list of dict
        ``log_marginal_likelihood``, ``theta``, ``n_iter``, ``stop_reason`` of every start.

    Examples
    --------
    >>> import numpy as np
    >>> from alakarte import GPRegressor
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = GPRegressor("ard", random_state=0).fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.0)) < 0.01)
    True
    """

    def __init__(
        self,
        kernel="gm",
        *,
        n_components=None,
        n_frequencies=None,
        expansion="fastfood",
        n_restarts=4,
        max_iter=150,
        max_iter_restart=20,
        tol=0.1,
        noise_std=None,
        precision="double",
        n_jobs=None,
        random_state=None,
        warm_start=False,
        verbose=0,
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.n_frequencies = n_frequencies
        self.expansion = expansion
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.max_iter_restart = max_iter_restart
        self.tol = tol
        self.noise_std = noise_std
        self.precision = precision
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Learn kernel and noise, and build the posterior.

        Parameters
        ----------
        X : (n, d) table of numbers
        y : (n,) target
        sample_weight : (n,), optional
            Weights ≥ 0; a weight of 2 equals the row given twice.

        Returns
        -------
        self
        """
        settings = check_settings(self)
        X, y, weight = read_training(self, X, y, sample_weight)
        X, y, weight = merge_rows(X, y, weight)
        sizes = choose_sizes(settings.kernel, settings.n_components, settings.n_frequencies, *X.shape)
        settings = replace(settings, n_components=sizes[0], n_frequencies=sizes[1])
        self.n_components_, self.n_frequencies_ = sizes
        warm = (self._problem.draws, self.theta_) if self.warm_start and hasattr(self, "_problem") else None
        scaling = standardise(X, y, weight)
        rows = Rows(X, y[:, None], weight, scaling=scaling)
        if len(X) <= MERGE_ROWS:
            rows = rows.whole()
        offset = rows.total * np.log(scaling.y_scale)
        rng = generator(self.random_state)
        with one_blas_thread():
            learned = learn(settings, rows, scaling, rng, Progress(self.verbose, lambda v: -v - offset), warm)
            problem, run = learned.problem, learned.run
            model = model_at(problem, run.theta)
            self._posterior = posterior(model)
            self.relevance_ = relevance(problem, model.spectrum, scaling.x_live)
        self._problem = replace(problem, rows=None)
        self._scaling = scaling
        self.theta_ = run.theta
        self.theta_labels_ = problem.layout.labels()
        named = problem.layout.to_user(run.theta, scaling.x_scale, scaling.y_scale)
        self.noise_std_ = float(np.sqrt(model.noise_variance) * scaling.y_scale)
        named.pop("noise_std")
        self.kernel_ = FittedKernel(settings.kernel, named, model.values, problem.draws, scaling)
        self.log_marginal_likelihood_ = -run.value - offset
        self.n_basis_ = rows.n_rows if model.features is None else model.features.n_basis
        self._describe(learned, offset)
        return self

    def _describe(self, learned, offset):
        """Attributes about the search, and one warning where it fell short."""
        run, screened = learned.run, learned.screened
        self.n_iter_ = run.n_iter
        self.n_evaluations_ = run.n_evaluations + sum(r.n_evaluations for r in screened if r is not run)
        value, norm, seconds = (np.array(column) for column in zip(*run.trace, strict=True))
        self.trace_ = {"value": -value - offset, "gradient_norm": norm, "seconds": seconds}
        self.stop_reason_, self.converged_ = run.reason, run.converged and not run.n_failed
        self.starts_ = [
            {
                "log_marginal_likelihood": -r.value - offset,
                "theta": r.theta,
                "n_iter": r.n_iter,
                "stop_reason": r.reason,
            }
            for r in screened
        ]
        if not self.converged_:
            warnings.warn(
                f"The fit stopped early: {run.reason}. The best point so far is kept; raise max_iter (now "
                f"{self.max_iter}) or tol (now {self.tol:g} nats) if you need more.",
                ConvergenceWarning,
                stacklevel=3,
            )

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
        """Lower and upper end (rows,) of the central interval of probability `coverage`."""
        if not 0 < coverage < 1:
            raise InvalidInput(f"coverage={coverage!r} must lie between 0 and 1, such as 0.95.")
        mean, std = self.predict(X, return_std=True, include_noise=include_noise)
        half = ndtri(0.5 + coverage / 2) * std
        return mean - half, mean + half

    def sample_y(self, X, n_samples=1, random_state=0, include_noise=True):
        """Functions drawn from the posterior at the rows of X, (rows, n_samples)."""
        X = self._checked(X)
        z = self._scaling.inputs(X)
        rng = generator(random_state)
        with one_blas_thread():
            samples = self._posterior.sample(z, n_samples, rng) * self._scaling.y_scale + self._scaling.y_mean
        if include_noise:
            samples += self.noise_std_ * rng.standard_normal(samples.shape)
        return samples

    def log_marginal_likelihood(self, X, y, *, theta=None, sample_weight=None, eval_gradient=False):
        """Log evidence of rows under the fitted model, in nats of the user's y.

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
