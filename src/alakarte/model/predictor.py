"""A model prepared to predict one row, or a few, again and again: nothing is checked or made twice.

In: a `FittedModel`. Out: `Predictor`, called with rows in the user's units. It never changes, so threads may share it.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg.blas import dtrsv

from alakarte.errors import InvalidInput
from alakarte.execution.scratch import Scratch, ScratchPool
from alakarte.execution.threads import one_blas_thread
from alakarte.model.fitted import FittedModel
from alakarte.model.transformed import moments
from alakarte.posteriors.projected import ProjectedVariance, projected_variance
from alakarte.posteriors.tiles import TILE_ROWS, by_tiles
from alakarte.posteriors.weights import FeaturePosterior, WeightPosterior
from alakarte.records import Array

AUTO, EXACT, LOW_RANK = "auto", "exact", "low_rank"
CHUNK_ROWS = 1 << 16


@dataclass(frozen=True)
class Predictor:
    """Mean, and on request the standard deviation of a new observation, of rows (rows, d), or of one row (d,).

    `about` says how standard deviations are computed, and how exact they are.
    """

    model: FittedModel
    noise_variance: float  # of a new observation, in standardised units
    std_scale: Array  # (T,) of standard deviations, to units of y
    with_std: bool
    projected: ProjectedVariance | None  # None: exact
    tolerance: float  # of a variance
    about: str
    n_jobs: int = 1
    scratch: ScratchPool = field(default_factory=ScratchPool, repr=False, compare=False)

    def __call__(self, X: Any) -> Any:
        """Means (rows,) or (rows, T), or (mean, std); of one row (d,) without the axis of rows."""
        rows = np.asarray(X, dtype=np.float64)
        one = rows.ndim == 1
        rows = rows[None] if one else rows
        if rows.ndim != 2 or rows.shape[1] != self.model.scaling.n_variables:
            d = self.model.scaling.n_variables
            raise InvalidInput(f"X has shape {np.shape(X)}: give (rows, {d}), or ({d},) for one row.")
        if not np.isfinite(rows).all() and self.model.scaling.encoding is None:
            raise InvalidInput("Input X contains NaN or infinity: fill or drop these rows.")
        found = self._few(rows) if len(rows) <= TILE_ROWS else self._many(rows)
        parts = [self.model.for_user(part)[0] if one else self.model.for_user(part) for part in found]
        return tuple(parts) if self.with_std else parts[0]

    def _many(self, rows: Array) -> list[Array]:
        """Chunk by chunk: memory does not grow with the rows."""
        with one_blas_thread():
            chunks = [self._few(rows[i : i + CHUNK_ROWS]) for i in range(0, len(rows), CHUNK_ROWS)]
        return [np.concatenate(parts) for parts in zip(*chunks, strict=True)]

    def _few(self, rows: Array) -> list[Array]:
        """Mean, and maybe standard deviation, (rows, T) in the user's units."""
        scaling = self.model.scaling
        z = scaling.inputs(rows)
        needs_variance = self.with_std or scaling.transform is not None
        mean, variance = self._standardised(z) if needs_variance else (self._mean(z), None)
        mean, variance = self._with_far(z, mean, variance)
        mean = mean * scaling.y_scale + scaling.y_mean
        if variance is None:
            return [mean]
        std = np.sqrt(variance + self.noise_variance) * self.std_scale
        if scaling.transform is not None:
            mean, std = moments(scaling.transform, mean, np.broadcast_to(std, mean.shape))
        return [mean, std] if self.with_std else [mean]

    def _with_far(self, z: Array, mean: Array, variance: Array | None) -> tuple[Array, Array | None]:
        """The same, anew for rows that those of the fit do not reach: ways for few rows do not know of reach."""
        posterior = self.model.posterior
        if not isinstance(posterior, FeaturePosterior) or not (far := posterior.out_of_reach(z)).size:
            return mean, variance
        mean[far] = posterior.mean(z[far], self.n_jobs)
        if variance is not None:
            variance = np.array(variance)
            variance[far] = posterior.variance(z[far], self.n_jobs)[:, : variance.shape[1]]
        return mean, variance

    def _mean(self, z: Array) -> Array:
        """(rows, T), in standardised units."""
        posterior = self.model.posterior
        if isinstance(posterior, FeaturePosterior) and len(z) == 1:
            return posterior.features.dot(posterior.weight_mean, z)
        return posterior.mean(z, self.n_jobs)

    def _standardised(self, z: Array) -> tuple[Array, Array]:
        """Mean (rows, T) and variance (rows, 1) or (rows, T), in standardised units."""
        posterior = self.model.posterior
        if not isinstance(posterior, WeightPosterior):
            return posterior.mean_and_variance(z, self.n_jobs)
        if self.projected is not None:
            both = self._by_directions(posterior, self.projected, z)
            return both[:, :-1], both[:, -1:]
        if len(z) > 1:
            return posterior.mean(z, self.n_jobs), posterior.variance(z, self.n_jobs)
        with self.scratch.borrow() as scratch:
            phi = posterior.features.phi(z, scratch)
            return phi @ posterior.weight_mean, _exact_variance(posterior, phi)

    def _by_directions(self, posterior: WeightPosterior, projected: ProjectedVariance, z: Array) -> Array:
        """(rows, T + 1) means, and variances: exact where their bound is beyond the tolerance, these rows together."""
        if len(z) > TILE_ROWS:
            found = by_tiles(partial(_tile_by_directions, posterior, projected), z, n_jobs=self.n_jobs, padded=False)
        else:
            with self.scratch.borrow() as scratch:
                found = _tile_by_directions(posterior, projected, z, scratch)
        beyond = np.flatnonzero(found[:, -1] > self.tolerance)
        if beyond.size:
            found[beyond, -2] = posterior.variance(z[beyond], self.n_jobs)[:, 0]
        return found[:, :-1]


def _tile_by_directions(posterior: WeightPosterior, projected: ProjectedVariance, z: Array, scratch: Scratch) -> Array:
    """(rows, T + 2) means, variances from few directions, and their bounds."""
    phi = posterior.features.phi(z, scratch)
    return np.column_stack([phi @ posterior.weight_mean, *projected.variance_and_bound(phi)])


def _exact_variance(posterior: WeightPosterior, phi: Array) -> Array:
    """‖L⁻¹ψ‖² (1, 1) of one row."""
    psi = np.zeros(len(posterior.factor))
    psi[: phi.shape[1]] = phi[0] * posterior.root_variance
    with one_blas_thread():
        whitened = dtrsv(posterior.factor, psi, lower=1, overwrite_x=1)
    return np.array([[whitened @ whitened]])


def prepare(model: FittedModel, std: str | None, std_error: float, noise_variance: float, n_jobs: int) -> Predictor:
    """A predictor whose standard deviations, by few directions, are at most `std_error` noise std from exact ones."""
    if std not in (None, AUTO, EXACT, LOW_RANK):
        raise InvalidInput(f"std={std!r}: use None for means alone, {AUTO!r}, {EXACT!r} or {LOW_RANK!r}.")
    if not std_error > 0:
        raise InvalidInput(f"std_error={std_error!r} must be positive: a fraction of the noise, such as 0.01.")
    # |√(f+s) − √(f'+s)| ≤ |f − f'| / (2√s)
    tolerance, projected = 2 * std_error * noise_variance, None
    about = "means alone" if std is None else "exact"
    if std in (AUTO, LOW_RANK):
        projected, about = _few_directions(model, tolerance, std_error)
    return Predictor(model, noise_variance, model.std_scale, std is not None, projected, tolerance, about, n_jobs)


def _few_directions(model: FittedModel, tolerance: float, std_error: float) -> tuple[ProjectedVariance | None, str]:
    """Directions that suffice, or None, and what there is to say of them."""
    posterior = model.posterior
    if not isinstance(posterior, WeightPosterior):
        return None, f"exact: {type(posterior).__name__} keeps no sums over rows to find directions from"
    with one_blas_thread():
        found = projected_variance(posterior, tolerance, model.streams("predictor"))
    if found is None:
        return None, (
            f"exact: an eighth of the {posterior.n_basis:,} columns do not suffice for {std_error:g} of the noise std"
        )
    text = f"low rank: {found.rank:,} of {posterior.n_basis:,} directions, at most {std_error:g} noise std from exact"
    return found, text
