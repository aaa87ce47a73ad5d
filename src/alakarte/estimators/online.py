"""Rows that come and go: the statistics are sums, so a posterior takes rows in and lets them out exactly.

Kernels, their noise and standardisation stay those of the last `fit`. A closed form (`expansion="auto"`, few rows)
keeps its rows instead of sums; where they become many it turns into an expansion of the same kernel, noise and common
amplitude tuned to that. The weights of an average follow the rows; beyond 2,000 its best kernel goes on alone.
"""

import warnings
from dataclasses import replace

import numpy as np
from scipy.linalg import eigh, qr
from sklearn.utils.metaestimators import available_if

from alakarte.data.arrays import Rows
from alakarte.data.read import merge_rows, read_training
from alakarte.errors import ConditioningWarning, IllConditioned, InvalidInput
from alakarte.execution.budget import Budget
from alakarte.execution.randomness import generator
from alakarte.execution.threads import count, one_blas_thread
from alakarte.posteriors.average import MOST_ROWS, Average, average
from alakarte.posteriors.posterior import (
    LowRankPosterior,
    RowPosterior,
    WeightPosterior,
    row_posterior,
    weight_posterior,
)
from alakarte.process.objective import model_at
from alakarte.process.sums import statistics
from alakarte.process.weight_space import EPS, noise_floor, solve_weights
from alakarte.search.grow import enlarge, refit
from alakarte.search.sizes import KEPT_FLOPS, closed_flops, taste_columns

# M = I + … ≥ I, so the squares of its factor's diagonal are ≥ 1, less half by rounding at the least noise allowed.
_LEAST_PIVOT = 0.5
_ROUNDING = 1e-12  # of weights that cancel
MOST_FLOPS = 2 * KEPT_FLOPS  # of a closed form that rows join: some more than the most that `fit` gives it


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
        before, rows = dict(vars(self)), Rows(X, y[:, None], weight, scaling=self._scaling)
        fitted = self._posterior.total
        total = fitted + sign * rows.total
        if not total > 0:
            raise InvalidInput(
                f"forget would remove rows of weight {rows.total:g} of {fitted:g}: at least one must remain."
            )
        if isinstance(self._posterior, Average) and self._n_with(rows, sign) > MOST_ROWS:
            self._go_on_alone()
        if isinstance(self._posterior, RowPosterior) and not self._few_with(rows, sign):
            self._expand()
        old = self._posterior
        s, n_jobs = self._noise_variance(), count(self.n_jobs)
        try:
            with one_blas_thread():
                if isinstance(old, Average):
                    changed, value = average(old.members, _change_rows(old.rows, rows, sign), n_jobs)
                    self._weigh(changed)
                    size = self.n_basis_ = changed.rows.n_rows
                elif isinstance(old, RowPosterior):
                    problem = replace(self._problem, rows=_change_rows(old.rows, rows, sign)).with_jobs(n_jobs)
                    changed, value = row_posterior(model_at(problem, self.theta_))
                    size = self.n_basis_ = problem.rows.n_rows
                elif isinstance(old, LowRankPosterior) and 2 * (old.basis.shape[1] + len(X)) <= old.features.n_basis:
                    changed, value = _change_rank(old, rows, sign, s, n_jobs)
                    size = changed.basis.shape[1]
                else:
                    changed, value = _change_sums(old, rows, sign, s, n_jobs)
                    size = changed.features.n_basis
        except IllConditioned:
            vars(self).update(before)
            raise InvalidInput(
                f"{'forget' if sign < 0 else 'partial_fit'} left sums that no set of rows can have: were all of "
                "these rows fitted, with the same weights? The model is as it was before the call."
            ) from None
        self._posterior = changed
        self._most_rows = max(self._most_rows, total)
        self.log_marginal_likelihood_ = -value - total * np.log(self._scaling.y_scale)
        amplitude = self._problem.layout.unpack(self.theta_)["log_amplitude"]
        if not isinstance(changed, Average) and noise_floor(size, self._most_rows, amplitude) > s:
            warnings.warn(
                f"This posterior has held rows of weight {self._most_rows:g}: what rounding left of them reaches the "
                f"noise ({self.noise_std_:.3g}). Call fit again on the rows that remain.",
                ConditioningWarning,
                stacklevel=3,
            )
        return self

    def _n_with(self, rows: Rows, sign: int) -> int:
        """Rows that there would be."""
        return self._posterior.rows.n_rows + (sign > 0) * rows.n_rows

    def _few_with(self, rows: Rows, sign: int) -> bool:
        """Whether the closed form is cheap enough for them."""
        shape = self._problem.draws.shape
        return closed_flops(self._n_with(rows, sign), shape.n_inputs, shape.n_components) <= MOST_FLOPS

    def _go_on_alone(self):
        """The best kernel of the fit instead of an average."""
        old = self._posterior
        alone, _ = average(old.members[:1], old.rows, count(self.n_jobs))
        self._posterior = alone.posteriors[0]
        self._weigh(alone)

    def _expand(self):
        """The closed form's rows as sums of features."""
        rows = self._posterior.rows
        problem = replace(self._problem, rows=rows).with_jobs(count(self.n_jobs))
        with one_blas_thread():
            expanded = enlarge(problem, taste_columns(rows.n_rows), generator(self.random_state))
            self._keep(replace(refit(expanded, self.theta_, Budget()), reason="rows came and went"))

    def _noise_variance(self):
        return (self.noise_std_ / self._scaling.y_scale) ** 2


def _change_rows(kept: Rows, rows: Rows, sign: int) -> Rows:
    """Distinct rows with their weights added up."""
    rows = rows.whole()
    table = np.column_stack([np.vstack([kept.x, rows.x]), np.vstack([kept.y, rows.y])])
    weight = np.append(kept.weight, sign * rows.weight)
    table, group = np.unique(table, axis=0, return_inverse=True)
    total = np.bincount(group.ravel(), weight)
    left = np.abs(total) > _ROUNDING * np.bincount(group.ravel(), np.abs(weight))
    if (total[left] < 0).any():
        raise IllConditioned
    return Rows(np.ascontiguousarray(table[left, :-1]), table[left, -1:], total[left])


def _change_sums(old, rows: Rows, sign: int, s: float, n_jobs: int) -> tuple[WeightPosterior, float]:
    """The D×D form of the sums with rows added or removed, and its nlml."""
    before, new = old.statistics(), statistics(rows, old.features, n_jobs)
    sums = before + new if sign > 0 else before - new
    evidence = solve_weights(sums, old.root_variance**2, s, n_jobs)
    if (evidence.factor.diagonal() ** 2).min() < _LEAST_PIVOT or sums.energy.min() < 0:
        raise IllConditioned
    return weight_posterior(old.features, sums, evidence), evidence.value_from(sums)


def _change_rank(old: LowRankPosterior, rows: Rows, sign: int, s: float, n_jobs: int) -> tuple[LowRankPosterior, float]:
    """The same for n ≪ D, no D×D matrix: U λ Uᵀ ± ΨᵀΨ = Q (R S Rᵀ) Qᵀ with [U √λ, Ψᵀ] = Q R and S = diag(1, …, ±1)."""
    rows, root = rows.whole(), old.root_variance
    half = np.sqrt(rows.weight)[:, None]
    psi = old.features.phi(rows.x) * root * half
    known = np.maximum(s / old.shrinkage**2 - s, 0)
    moment = (
        old.basis @ ((known + s) * (old.basis.T @ (old.weight_mean / root))) + sign * (psi.T @ (half * rows.y))[:, 0]
    )
    energy = old.energy + sign * (rows.weight[:, None] * rows.y**2).sum(axis=0)
    q, r = qr(np.hstack([old.basis * np.sqrt(known), psi.T]), mode="economic", check_finite=False)
    signs = np.append(np.ones(known.size), np.full(len(psi), sign))
    eigenvalues, turn = eigh((r * signs) @ r.T, check_finite=False)
    if 1 + eigenvalues[0] / s < _LEAST_PIVOT or energy.min() < 0:
        raise IllConditioned
    keep = eigenvalues > EPS * eigenvalues[-1]
    eigenvalues, basis = eigenvalues[keep], np.ascontiguousarray(q @ turn[:, keep])
    weight_mean = root * (basis @ (basis.T @ moment / (eigenvalues + s)))
    total = old.total + sign * rows.total
    left = max(float(energy.sum() - moment @ (weight_mean / root)), 0.0)  # ‖r‖² + s‖γ‖² = c − bᵀβ
    value = 0.5 * (total * np.log(2 * np.pi * s) + np.log1p(eigenvalues / s).sum() + left / s)
    shrinkage = np.sqrt(s / (s + eigenvalues))
    changed = replace(
        old, weight_mean=weight_mean, basis=basis, shrinkage=shrinkage, energy=energy, total=total, noise_variance=s
    )
    return changed, value
