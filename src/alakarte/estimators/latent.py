"""What estimators with a likelihood of one latent function per row share: how they fit, and how rows join.

In: the user's table, targets encoded as numbers with an offset (n, 2). Out: `model_`, whose posterior is that of the
latent function.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from alakarte.data.arrays import ArrayRows
from alakarte.data.read import read_target
from alakarte.data.standardise import Scaling
from alakarte.data.table import Table, TableRows, further_targets, plain_targets, training_table
from alakarte.errors import InvalidInput
from alakarte.estimators.online import Online
from alakarte.execution.budget import Budget
from alakarte.execution.threads import one_blas_thread, thread_count
from alakarte.likelihoods.counts import CountLikelihood
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.model.onnx_export import Export, Exported
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.tiles import TILE_ROWS
from alakarte.process.latent_objective import latent_evidence
from alakarte.process.problem import Problem
from alakarte.records import Array
from alakarte.search.context import Search
from alakarte.search.fit import Fit
from alakarte.search.latent_neighbours import fit_latent_by_both
from alakarte.search.learn import WarmStart
from alakarte.search.settings import Settings

CHUNK_ROWS = 1 << 16


class LatentEstimator(Online):
    """Estimators whose likelihood may be another than normal noise."""

    def _fit_targets(
        self,
        settings: Settings,
        likelihood: RowLikelihood,
        inference: str,
        data: tuple[Any, Any, Any],
        budget: Budget,
    ) -> None:
        """Learn from X, targets and offsets (n, 2), and weights; kernels are chosen by regression."""
        surrogate, rows = self._latent_tables(likelihood, data)

        def learn(search: Search, warm: WarmStart | None) -> Fit:
            return fit_latent_by_both(search, rows, likelihood, inference, warm)

        self._fit_table(replace(settings, stands_in=True), surrogate, budget, learn)

    def _latent_tables(self, likelihood: RowLikelihood, data: tuple[Any, Any, Any]) -> tuple[Table, TableRows]:
        """Numbers that stand for the targets, for regression, and the rows with their targets and offsets."""
        table = training_table(self, *data, plain_targets)
        targets, weight = table.rows.targets()
        y, offset = targets[:, 0], targets[:, 1]
        centre, scale = likelihood.base(y, weight, offset)
        scaling = replace(table.scaling, y_mean=np.array([centre]), y_scale=np.array([scale]), has_targets=True)
        rows = table.rows.with_targets(_observed(likelihood, y, offset, scaling), weight)
        numbers = _standardised(likelihood.surrogate(y, offset, centre, scale), weight)
        return Table(table.rows.with_targets(numbers[:, None], weight), scaling, ()), rows

    def _further_targets(self, X: Any, targets: Any, sample_weight: Any) -> ArrayRows:
        """Rows for a fitted model, from targets and offsets (n, 2) as they were given to `_fit_targets`."""
        model = self.model_
        rows = further_targets(self, X, targets, sample_weight, model.scaling)
        observed = _observed(model.problem.row_likelihood, rows.y[:, 0], rows.y[:, 1], model.scaling)
        return rows.with_targets(observed, rows.weight)

    def _latent_evidence(
        self, problem: Problem, theta: Array, inference: str, *, eval_gradient: bool
    ) -> float | tuple[float, Array]:
        """The approximate log evidence of a problem's rows in nats of the user's targets, and its gradient."""
        with one_blas_thread():
            found = latent_evidence(problem, theta, inference, gradient=eval_gradient)
        value = self.model_.scaling.log_evidence(found.nlml, problem.rows.total)
        return value if found.gradient is None else (value, -found.gradient)

    @property
    def n_passes_(self) -> int:
        """Passes over all rows in which what each of them says was found; 0 in closed form and for normal noise."""
        posterior = self._fitted("n_passes_").posterior
        posterior = posterior.features if isinstance(posterior, StackedPosterior) else posterior
        return posterior.n_passes if isinstance(posterior, LatentPosterior) else 0

    def to_onnx(self, path: str | Path, dtype: str = "float32", coverage: float = 0.95) -> Exported:
        """Write the fitted model as a graph of ONNX, for other languages and servers (extra ``onnx``).

        Its input is ``X`` (rows, d), numbers. A regressor gives ``mean``, ``std`` and, of normal noise, the ends
        ``low`` and ``high`` of an interval; counts ``mean`` and ``std`` for an exposure of one; a classifier ``label``
        and ``probabilities``.

        Parameters
        ----------
        path : str or Path
        dtype : "float32" or "float64", default="float32"
            Of input and outputs. Closed forms are computed in double precision inside, whatever it is.
        coverage : float, default=0.95
            Of the interval.

        Returns
        -------
        Exported
            ``outputs``, and ``bound``: what rounding may add to the mean, in units of y.
        """
        check_is_fitted(self)
        model, export = self.model_, Export(self.model_, dtype)
        if (classes := vars(self).get("classes_")) is not None:
            export.classes(classes)
        elif isinstance(model.likelihood, CountLikelihood):
            export.counts(model.likelihood)
        else:
            noise_variance = float((model.noise_std[0] / model.std_scale[0]) ** 2)
            export.numbers(noise_variance, coverage if model.likelihood.is_exact else None)
        return export.written(path)

    def _threads(self, X: Array) -> int:
        """One for few rows: to ask how many there are takes longer than to predict them."""
        return 1 if len(X) <= TILE_ROWS else thread_count(self.n_jobs)

    def _latent(self, X: Array) -> tuple[Array, Array]:
        """Mean and variance (rows, T) of the latent functions, in standardised units, chunk by chunk."""
        posterior, n_jobs = self.model_.posterior, self._threads(X)
        parts = [
            posterior.mean_and_variance(self.model_.scaling.inputs(X[start : start + CHUNK_ROWS]), n_jobs)
            for start in range(0, max(len(X), 1), CHUNK_ROWS)
        ]
        mean, variance = (np.concatenate(each) for each in zip(*parts, strict=True))
        return mean, variance


def _observed(likelihood: RowLikelihood, y: Array, offset: Array, scaling: Scaling) -> Array:
    """(n, 2) encoded targets, and offsets with the centre of the latent function, unless targets are shifted by it."""
    centre, scale = float(scaling.y_mean[0]), float(scaling.y_scale[0])
    if not likelihood.shifts_targets:
        return np.column_stack([likelihood.encoded(y, centre, scale), offset + centre])
    scaling.target(y[:, None])  # refuses what lies too far out
    return np.column_stack([likelihood.encoded(y, centre, scale), offset])


def _standardised(values: Array, weight: Array) -> Array:
    """Values (n,) with weighted mean zero and standard deviation one, where they vary."""
    centred = values - np.average(values, weights=weight)
    spread = np.sqrt(np.average(centred**2, weights=weight))
    return np.asarray(centred / spread if spread > 0 else centred)


def with_offset(y: Any) -> Array:
    """y (n,) and a column of zeros (n, 2), as likelihoods of one latent function take their targets."""
    if y is None:
        raise InvalidInput("This estimator requires y to be passed, but the target y is None: call fit(X, y).")
    target = read_target(y)
    if target.ndim == 2 and target.shape[1] == 1:
        target = column_or_1d(target, warn=True)
    if target.ndim != 1:
        raise InvalidInput(
            f"y has shape {target.shape}: likelihood='student_t' learns one target; fit one model for each, or use "
            "likelihood='gaussian'."
        )
    return np.column_stack([target, np.zeros(len(target))])
