"""`GPRegressor`: settings, their documentation, and `fit`."""

from typing import Any

from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if

from alakarte.data.table import Checked, OnCluster, Table, read_table
from alakarte.errors import Unavailable
from alakarte.estimators.callbacks import tells_callbacks
from alakarte.estimators.checks import AUTO, LOCAL_TOO, check_noise_std, check_settings, check_target_transform
from alakarte.estimators.evidence import Evidence
from alakarte.estimators.input_noise import HETEROSCEDASTIC, fit_with_input_noise
from alakarte.estimators.latent import with_offset
from alakarte.estimators.on_cluster import ScoredAnywhere
from alakarte.estimators.online import keeps_sums
from alakarte.estimators.predictions import Predictions
from alakarte.execution.budget import Budget
from alakarte.execution.threads import one_blas_thread
from alakarte.kernels.base import Kernel
from alakarte.likelihoods.base import Likelihood, Noise
from alakarte.likelihoods.gaussian import Gaussian
from alakarte.likelihoods.registry import resolve_likelihood
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.process.latent_objective import VARIATIONAL
from alakarte.search.choose_transform import choose_transform
from alakarte.search.fit import fit
from alakarte.search.settings import Settings


class GPRegressor(ScoredAnywhere, RegressorMixin, Predictions, Evidence):  # type: ignore[misc]
    """Gaussian process regression that learns its kernel from the data.

    Targets y of shape (n, T) share one kernel and, in standardised units, one noise.

    Parameters
    ----------
    kernel : str or kernel object, default="auto"
        ``auto`` learns ``ard``, ``pwl`` and ``gm``, or where closed forms are cheap ``rbf``, ``ard``, ``matern32``,
        ``gm`` and ``mm``, and keeps the one the evidence prefers; up to 2,000 rows predictions are the average of
        those it cannot tell apart, where they are in closed form. Or one of ``rbf``, ``ard``, ``matern12``,
        ``matern32``, ``matern52``, ``fsard``, ``fsgbard``, ``gm``, ``mm``, ``pwl``, ``ssgpr``, or an object of
        `alakarte.kernels` with settings of its own, or a sum of these: ``ARD() + GaussianMixture()``.
    likelihood : "gaussian", "student_t", "heteroscedastic" or an object of `alakarte.likelihoods`, default="gaussian"
        How observations scatter. ``student_t``: heavy tails, outliers do not drag the function along. One target, as
        for ``heteroscedastic``: a variance that depends on the input; noise and evidence are those of weighted rows.
    target_transform : "log", "yeo-johnson", "auto" or None, default=None
        What is normal around the function: y, its logarithm, or a power of it that is learned. ``auto``: whichever has
        the best evidence of y on 500 rows. Predictions are in units of y: means and standard deviations by quadrature,
        intervals and quantiles mapped back; the evidence has the Jacobian. `noise_std`, `kernel_`: of what y became.
    categorical_features : "from_dtype", list of indices, names or flags, or None, default="from_dtype"
        Columns that are categories. ``from_dtype``: those of a DataFrame that hold words, truth values or the
        DataFrame's own categories; of an array none. Each level becomes a column of zeros and ones, and all of one
        category share one length-scale; a missing value is a level, one that the fit has not seen gets zeros and a
        warning. At most 255 levels, and half as many as rows.
    n_components : int, optional
        Components of the spectrum (gm, mm, pwl); if None as many as the rows can bear. Kernels without components use
        n_components × n_frequencies frequencies.
    n_frequencies : int, optional
        Frequencies of each component to learn with; if None the closed form of rbf, ard, matern, gm and mm where that
        is cheap (some 4,000 rows), else 128 in all, and for mixtures more where rows are few.
    n_posterior_frequencies : int, "auto" or None, default="auto"
        Frequencies of each component in the posterior, drawn afresh from the learned spectrum. ``auto``: those learned
        with where `n_frequencies` is given, else as many as the evidence pays for. None: those learned with; so it is
        always for fsard, fsgbard and ssgpr, whose parameters are their frequencies.
    n_learning_rows : int, "auto" or None, default="auto"
        Random rows to learn from. ``auto``: 1,000 for the restarts, then all of a table of up to 8,000; in closed form
        200, then half, then all of them; of more, 4,000 for the long run, or 4 per parameter if these are more, and
        for its last steps all, or as many as 4e11 flops allow: 21,000 with 1,024 columns, with `max_time` more. None:
        all. The posterior always sees all rows.
    expansion : {"auto", "fastfood", "dense", "exact", "local"}, default="auto"
        Fastfood features, independent Gaussian rows (random kitchen sinks), or the closed form (rbf, ard, matern, gm,
        mm), of all rows or (``local``, up to 5 million rows) of the nearest of each prediction. ``auto``: the closed
        form where it is cheap (some 4,000 rows) and no number of frequencies is given, else Fastfood; `partial_fit`
        turns that closed form into features when rows become many (some 5,000). With ``kernel="auto"`` features and
        neighbours, alone and together, are compared where there are features, by rows left out.
    n_neighbors : int, default=100
        Rows that each prediction by neighbours is made from.
    n_restarts : int, default=4
        Starts, random or from a simpler kernel; the best after `max_iter_restart` iterations continues for `max_iter`.
    max_iter, max_iter_restart : int, default=150, 20
        Iterations of L-BFGS.
    tol : float, default=0.1
        Converged when five iterations together gain less than this many nats.
    max_time : float, optional
        Seconds; when they are over, the best model so far is kept, and where they are not, more is tried. Without it
        no clock is read.
    noise_std : float, optional
        Standard deviation of the noise in units of y; learned if None.
    lengthscale_spread : float, "auto" or None, default="auto"
        How far apart the length-scales of a component are expected to be: the standard deviation of their logarithms,
        in standardised inputs, about their mean. None: the evidence alone decides, as in the paper. ``auto``: 1 up to
        8,000 rows, None beyond.
    precision : {"auto", "double", "mixed"}, default="auto"
        Mixed learns with float32 features and products and float64 sums, then goes on in double for as long as that
        gains. ``auto``: mixed where kernels learn from some of more than 8,000 rows, in double only where float32 is
        not accurate enough. Posteriors are always double.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.
    random_state : int, RandomState or Generator, optional
        Same seed, same result.
    warm_start : bool, default=False
        Start from the last fit's parameters instead of restarts, with `kernel_` alone.
    verbose : int, default=0
        1: progress about once a second; 2: every iteration.
    checkpoint : path, optional
        A file for finished work; the same call after a crash goes on from there and ends with the same bits. Other rows
        or settings are refused. Deleted when the fit has ended.
    checkpoint_interval : float, default=60
        Seconds between two writes of it: what a crash may cost, beside the evaluation at work.

    Attributes
    ----------
    kernel_ : FittedKernel
        The learned kernel, of several the best of the fit, named parameters in the user's units.
    model_ : FittedModel
        All that the fit has kept; every attribute below is read from it.
    noise_std_ : float, or (T,) array for several targets
        Standard deviation of the noise, in units of y; of several kernels, the root of their mean variance. Calibrated
        by rows left out, as all standard deviations are: `theta_` has it as it was learned.
    log_marginal_likelihood_ : float
        In nats of the user's y, of `kernel_`, summed over targets; neighbours alone have none.
    left_out_log_density_ : float or None
        Mean log density of rows that were left out, in nats of the user's y, where neighbours were tried.
    rough_kernel_ : FittedKernel or None
        That of neighbours, where these see what features leave.
    theta_ : (n_parameters,) array
        The learned flat vector, in standardised units; `theta_labels_` names its entries.
    relevance_ : (n_features,) array
        How much the function varies along each input, sums to one, by `kernel_`; the levels of a category together.
    ranking_ : list of dict
        Kernels that were compared, best ``log_marginal_likelihood`` − ½ ``n_parameters`` first: ``kernel``,
        ``n_components``, ``n_basis``, ``compressed`` and ``weight`` in predictions beside these. Where neighbours were
        tried, ``n_neighbors`` and ``left_out_log_density``, which decides about these.
    periods_ : list of dict
        Waves of `kernel_`, the largest ``share`` first, their variance over that of the targets: ``period`` is a dict
        by name of input, in its unit. Of gm and mm, and of ssgpr; else none.
    input_tails_ : (n_features,) array or None
        Where ``kernel="auto"`` met inputs far from all others and the evidence was better for it: the distance t from
        the median, in units of each input, beyond which u = x − median is compressed to t (1 + log(u/t)). Else None.
    n_components_, n_frequencies_, n_posterior_frequencies_, n_learning_rows_ : int
        What was used; 0 frequencies: the closed form. `growth_reason_`: why the posterior has no more.
    n_iter_, n_evaluations_, n_basis_, n_passes_ : int
        Iterations of the last run, evaluations in all, columns (training rows if exact), passes of other likelihoods.
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

    def __init__(  # noqa: PLR0913
        self,
        kernel: str | Kernel = "auto",
        *,
        likelihood: str | Likelihood = "gaussian",
        target_transform: str | None = None,
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
        noise_std: float | None = None,
        lengthscale_spread: float | str | None = "auto",
        precision: str = "auto",
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
        self.target_transform = target_transform
        self.n_neighbors = n_neighbors
        self.noise_std = noise_std

    @tells_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "GPRegressor":
        """Learn kernel and noise, and build the posterior.

        Parameters
        ----------
        X : (n, d) table of numbers and categories
            Large float32 and float64 arrays, also `numpy.memmap`, are read block by block and never copied. Missing
            numbers are refused.
        y : (n,) target, or (n, T) targets
        sample_weight : (n,), optional
            Weights ≥ 0; a weight of 2 equals the row given twice.

        Returns
        -------
        self
        """
        if self.likelihood == HETEROSCEDASTIC:
            fit_with_input_noise(self, X, y, sample_weight)
            return self
        likelihood, budget = self._likelihood(), Budget(self.max_time)
        if isinstance(likelihood, Noise):
            settings = check_settings(self, likelihood, LOCAL_TOO)
            table = self._table(read_table(self, X, y, sample_weight), settings, budget)
            self._fit_table(settings, table, budget, fit)
            return self
        assert isinstance(likelihood, RowLikelihood)
        settings = check_settings(self, Gaussian())
        self._fit_targets(settings, likelihood, VARIATIONAL, (X, with_offset(y), sample_weight), budget)
        return self

    def _table(self, checked: Checked | OnCluster, settings: Settings, budget: Budget) -> Table:
        """Rows and targets as a normal likelihood learns from them."""
        return checked.table(settings.likelihood.scaling, self._transform(checked, settings, budget))

    def _transform(self, checked: Checked | OnCluster, settings: Settings, budget: Budget) -> str | None:
        """The name of the target's transform; where that is open, what the evidence prefers."""
        if self.target_transform != AUTO:
            return self.target_transform
        with one_blas_thread():
            return choose_transform(checked, settings, budget)

    def _likelihood(self) -> Likelihood:
        """From the settings: the noise that was given is part of a normal likelihood."""
        likelihood = resolve_likelihood(self.likelihood, ("gaussian", "student_t"))
        check_target_transform(self, is_normal=isinstance(likelihood, Noise))
        check_noise_std(self.noise_std)
        if self.noise_std is None:
            return likelihood
        if likelihood.name != "gaussian":
            raise Unavailable(
                f"noise_std={self.noise_std!r} is for likelihood='gaussian': give StudentT(noise_scale=…) instead."
            )
        return Gaussian(self.noise_std)

    @available_if(keeps_sums)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "GPRegressor":
        """Add rows to the posterior; the first call is a `fit`.

        Parameters
        ----------
        X, y : (rows, d), (rows,) or (rows, T)
        sample_weight : (rows,), optional

        Returns
        -------
        self
        """
        if not self._is_fitted():
            return self.fit(X, y, sample_weight)
        return self._change(self._rows(X, y, sample_weight), 1)

    @available_if(keeps_sums)  # type: ignore[untyped-decorator]
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> "GPRegressor":
        """Remove rows that were fitted; what remains is what the other rows alone would give. See `partial_fit`."""
        self._check_fitted_to_forget()
        return self._change(self._rows(X, y, sample_weight), -1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.likelihood == "gaussian" or isinstance(self.likelihood, Noise)
        return tags
