"""The posterior of a kernel in closed form: training rows and the n×n factor of K.

In: a spectrum, its closed form, rows. Out: `RowPosterior`; rows join and leave those that it keeps.
"""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.compiled.layout import Table
from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Block, Rows
from alakarte.errors import IllConditioned
from alakarte.kernels.base import ClosedForm
from alakarte.linalg.blas import solve_rows_lower
from alakarte.linalg.factorise import inverse, square_root
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.left_out import left_weight, without_each_row
from alakarte.posteriors.tiles import LEAST_ROWS, by_tiles, padded, padded_rows
from alakarte.process.closed_form import closed_gram, closed_gram_full, components, rows_table
from alakarte.process.problem import Process
from alakarte.process.row_space import RowSpace, solve_rows
from alakarte.process.weight_space import noise_floor
from alakarte.records import Array, Integers, Spectrum

_ROUNDING = 1e-12  # of weights that cancel


@dataclass(frozen=True)
class RowPosterior(Posterior):
    """f = kᵀα; training rows are padded with rows of weight zero."""

    spectrum: Spectrum
    closed_form: ClosedForm
    x: Array  # (n, d)
    root_weight: Array  # (n,)
    alpha: Array  # (n, T)
    factor: Array  # L, padded
    rows: ArrayRows  # as they came, for rows that join them
    total: float
    learned_noise_variance: float  # s as it was learned: rounding of many rows may ask for more
    noise_variance: float
    nlml: float

    @property
    def n_targets(self) -> int:
        """T."""
        return int(self.alpha.shape[1])

    @property
    def n_basis(self) -> int:
        """n."""
        return self.rows.n_rows

    @property
    def size(self) -> int:
        """n."""
        return self.rows.n_rows

    @cached_property
    def _table(self) -> Table:
        """The training rows as compiled code reads them."""
        return rows_table(self.spectrum, self.x)

    @cached_property
    def _components(self) -> tuple[Array, Array]:
        """Variances and scales of the kernel's components."""
        return components(self.spectrum)

    @cached_property
    def _weights(self) -> Array:
        """(T, n) W^½ α."""
        return np.ascontiguousarray((self.root_weight[:, None] * self.alpha).T)

    def __getstate__(self) -> dict[str, Any]:
        """What cannot be made from the rest."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _rows_dot(self, x: Array, out: Array) -> Array:
        """kᵀα (rows, T), and k(x, X) W^½ (rows, n) into the first rows of `out`, where that has any."""
        tables = rows_table(self.spectrum, x), self._table
        dot = loops.closed.kernel_rows_dot(*tables, self.closed_form.dof, *self._components, self._weights, out)
        out[: len(x)] *= self.root_weight
        return dot

    def _whitened(self, x: Array) -> tuple[Array, Array]:
        """kᵀα (rows, T), and L⁻¹k (rows, n); BLAS is given a whole number of its own rows."""
        rows = np.zeros((-(-len(x) // LEAST_ROWS) * LEAST_ROWS, len(self.x)))
        dot = self._rows_dot(x, rows)
        return dot, solve_rows_lower(self.factor, rows)[: len(x)]

    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """kᵀα."""
        none = np.empty((0, len(self.x)))
        return by_tiles(lambda tile, scratch: self._rows_dot(tile, none), x, n_jobs=n_jobs, padded=False)

    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """k(x, x) − ‖L⁻¹k‖², cut at zero."""
        return self.mean_and_variance(x, n_jobs)[1]

    def mean_and_variance(self, x: Array, n_jobs: int = 1) -> tuple[Array, Array]:
        """From one matrix of kernel values."""
        prior = np.exp(2 * self.spectrum.log_amplitude).sum()

        def of_tile(tile: Array, scratch: object) -> Array:
            mean, whitened = self._whitened(tile)
            return np.column_stack([mean, np.maximum(prior - np.einsum("ij,ij->i", whitened, whitened), 0)])

        both = by_tiles(of_tile, x, n_jobs=n_jobs, padded=False)
        return both[:, :-1], self._for_each_target(both[:, -1])

    def covariance(self, x: Array) -> Array:
        """k(x, x') − kᵀK⁻¹k'."""
        return self._for_each_target(self._covariance(x))

    def _covariance(self, x: Array) -> Array:
        """(rows, rows), of each target."""
        whitened = self._whitened(x)[1]
        covariance = closed_gram_full(self.spectrum, self.closed_form, x) - whitened @ whitened.T
        covariance.flat[:: len(x) + 1] = np.maximum(covariance.diagonal(), 0)
        return covariance

    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """Mean + root of the covariance × normal."""
        T, root = self.alpha.shape[1], square_root(self._covariance(x))
        deviations = root @ rng.standard_normal((len(x), T * n_samples))
        return self.mean(x)[:, :, None] + deviations.reshape(len(x), T, n_samples)

    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """By the diagonal of K⁻¹ [Rasmussen and Williams, 5.4.2]: w v/s = 1 − s (K⁻¹)_ii, y − m = s W^-½ α."""
        places, s, n = held_places(self.rows, block), self.noise_variance, self.rows.n_rows
        apart = s * inverse(self.factor[:n, :n], n_jobs).diagonal()[places]  # 1 − w v/s
        residual = s * self.alpha[places] / self.root_weight[places, None]
        weight = self.root_weight[places] ** 2
        variance = np.maximum(s * (1 - apart) / weight, 0)
        part = left_weight(weight) / weight
        return without_each_row(block, residual, variance, 1 - part + part * apart)

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> "RowPosterior":
        """Factorised anew, with the same kernel and noise."""
        kept = changed_rows(self.rows, rows, sign)
        floor = noise_floor(kept.n_rows, kept.total, self.spectrum.log_amplitude)
        noise_variance, root = max(self.learned_noise_variance, floor), np.sqrt(kept.weight)
        signal = closed_gram(self.spectrum, self.closed_form, kept.x, kept.weight, n_jobs)
        solved = solve_rows(signal, kept.y * root[:, None], noise_variance, kept.total, n_jobs)
        return replace(self, **_from_solved(kept, solved))


def row_posterior(process: Process, solved: RowSpace) -> RowPosterior:
    """That of a closed form whose rows are solved."""
    block, noise_variance = process.problem.rows.whole(), process.noise_variance
    if process.floored:
        noise_variance = process.problem.noise.noise_variance(process.values)
    return RowPosterior(
        spectrum=process.spectrum,
        closed_form=process.closed_form,
        learned_noise_variance=noise_variance,
        **_from_solved(ArrayRows(block.x, block.y, block.weight), solved),
    )


def _from_solved(rows: ArrayRows, solved: RowSpace) -> dict[str, Any]:
    """The fields that follow the rows."""
    return {
        "x": padded_rows(rows.x),
        "root_weight": padded_rows(np.sqrt(rows.weight)),
        "alpha": padded_rows(solved.alpha),
        "factor": padded(solved.factor),
        "rows": rows,
        "total": rows.total,
        "noise_variance": solved.noise_variance,
        "nlml": solved.nlml,
    }


def changed_rows(kept: ArrayRows, rows: Rows, sign: int) -> ArrayRows:
    """Distinct rows with their weights added up."""
    block, d = rows.whole(), kept.n_inputs
    table = np.column_stack([np.vstack([kept.x, block.x]), np.vstack([kept.y, block.y])])
    weight = np.append(kept.weight, sign * block.weight)
    table, group = np.unique(table, axis=0, return_inverse=True)
    total = np.asarray(np.bincount(group.ravel(), weight), dtype=np.float64)
    left = np.abs(total) > _ROUNDING * np.bincount(group.ravel(), np.abs(weight))
    if (total[left] < 0).any() or not left.any():
        raise IllConditioned("more of a row is removed than was fitted")
    return ArrayRows(np.ascontiguousarray(table[left, :d]), np.ascontiguousarray(table[left, d:]), total[left])


def held_places(kept: ArrayRows, block: Block) -> Integers:
    """Where the rows of a block stand among those that are kept."""
    if np.array_equal(block.x, kept.x) and np.array_equal(block.y, kept.y):
        return np.arange(kept.n_rows)
    tables = [np.column_stack([rows.x, rows.y]) for rows in (kept, block)]
    group = np.unique(np.vstack(tables), axis=0, return_inverse=True)[1].ravel()
    place = np.full(group.max() + 1, -1)
    place[group[: kept.n_rows]] = np.arange(kept.n_rows)
    places: Integers = place[group[kept.n_rows :]]
    if (places < 0).any():
        raise IllConditioned("rows to leave out that were not fitted")
    return places
