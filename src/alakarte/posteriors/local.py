"""The posterior of a rough function: at each query a small process on its k nearest rows, nothing solved before.

In: a kernel in closed form, rows in the metric of that kernel, k. Out: `LocalPosterior`; rows join and leave by a new
search tree. Mean and variance are those of the k rows. The covariance of several queries is that of the errors of their
own predictions, under the prior:

    e_i = f_i − w_iᵀ y_N(i),   cov(e_i, e_j) = k_ij − w_iᵀ k_N(i)j − w_jᵀ k_N(j)i + w_iᵀ (K + S)_N(i)N(j) w_j

so its diagonal is the variance, it cannot be negative, and with all rows as neighbours it is that of the closed form.
Samples are drawn with it.

A kernel learned from rows whose neighbours are near may be too sure where these are far. So v counts as v (1 + v/s)^p,
at most k(x, x), with a power p that `posteriors/doubt.py` learns: at its default of zero nothing changes.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import alakarte.compiled.loops as loops
from alakarte.compiled.layout import LocalBlock, LocalKernel
from alakarte.data.rows import Block, Rows
from alakarte.errors import IllConditioned
from alakarte.execution.scratch import Scratch
from alakarte.kernels.base import ClosedForm
from alakarte.linalg.factorise import square_root
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.neighbours import Neighbours, neighbours_among
from alakarte.posteriors.tiles import by_tiles
from alakarte.process.closed_form import closed_gram_full, closed_kernel
from alakarte.process.conditionals import Conditionals, conditional_moments, local_kernel
from alakarte.records import Array, Integers, Spectrum

_TILE_ROWS = 64
_KERNEL_VALUES = 4_000_000  # that are made at once for a covariance


@dataclass(frozen=True)
class LocalPosterior(Posterior):
    """f at x given the k rows nearest to x."""

    spectrum: Spectrum
    closed_form: ClosedForm
    neighbours: Neighbours
    targets: Array  # (n, T)
    weight: Array | None  # (n,) None: ones
    n_neighbors: int  # k
    total: float
    noise_variance: float
    nlml: float  # −N × the mean log density of rows left out, where that is known
    doubt: float = 0.0  # p

    @property
    def n_targets(self) -> int:
        """T."""
        return int(self.targets.shape[1])

    @property
    def n_basis(self) -> int:
        """n."""
        return self.neighbours.n_rows

    @property
    def size(self) -> int:
        """k."""
        return min(self.n_neighbors, self.neighbours.n_rows)

    @property
    def kernel(self) -> LocalKernel:
        """As a function of points."""
        return local_kernel(self.spectrum, self.closed_form, self.neighbours.scale)

    def block(self, x: Array) -> tuple[Integers, LocalBlock]:
        """The nearest rows (rows, k) of queries x (rows, d), and what is known of them."""
        queries = x * self.neighbours.scale
        near = self.neighbours.nearest(queries, self.n_neighbors)
        noise = np.full(near.shape, self.noise_variance)
        if self.weight is not None:
            noise /= self.weight[near]
        return near, LocalBlock(queries, self.neighbours.points[near], self.targets[near], noise)

    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """kᵀC⁻¹y of the nearest rows."""
        return self.mean_and_variance(x, n_jobs)[0]

    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """k(x, x) − kᵀC⁻¹k, cut at zero."""
        return self.mean_and_variance(x, n_jobs)[1]

    def mean_and_variance(self, x: Array, n_jobs: int = 1) -> tuple[Array, Array]:
        """From one factor for each query."""
        kernel = self.kernel

        def of_tile(tile: Array, scratch: Scratch) -> Array:
            _, mean, variance = loops.local.moments(self.block(tile)[1], kernel, keep=False)
            return np.column_stack([mean, variance])

        both = by_tiles(of_tile, x, _TILE_ROWS, n_jobs, padded=False)
        return both[:, :-1], self._for_each_target(self.doubted(both[:, -1]))

    def doubted(self, variance: Array) -> Array:
        """What a variance (…) of the k nearest rows counts as."""
        if self.doubt == 0:
            return variance
        most = np.exp(2 * self.spectrum.log_amplitude).sum()
        return np.asarray(np.clip(variance * (1 + variance / self.noise_variance) ** self.doubt, None, most))

    def covariance(self, x: Array) -> Array:
        """Of the errors of each query's own prediction."""
        return self._for_each_target(self._covariance(x))

    def _covariance(self, x: Array) -> Array:
        """(rows, rows), of each target: K_xx − W K_Ux − (W K_Ux)ᵀ + W (K_UU + S) Wᵀ, U all neighbours of any query."""
        union, weights, variance = self._weights(x)
        u, columns = self.neighbours.points[union] / self.neighbours.scale, weights.tocsc()
        noise = self.noise_variance / (np.ones(len(u)) if self.weight is None else self.weight[union])
        covariance = closed_gram_full(self.spectrum, self.closed_form, x)
        step = max(1, _KERNEL_VALUES // (len(u) + len(x)))
        for start in range(0, len(u), step):
            part = slice(start, start + step)
            mine, near = columns[:, part], u[part]
            cross = mine @ closed_kernel(self.spectrum, self.closed_form, near, x)
            covariance -= cross + cross.T
            touched = weights @ closed_kernel(self.spectrum, self.closed_form, u, near)
            touched += (mine * noise[part]).toarray()
            covariance += mine @ touched.T
        covariance = 0.5 * (covariance + covariance.T)
        np.einsum("ii->i", covariance)[...] = variance
        if self.doubt == 0:
            return covariance
        stretch = np.sqrt(self.doubted(variance) / np.where(variance > 0, variance, 1.0))
        return np.asarray(stretch[:, None] * covariance * stretch)

    def _weights(self, x: Array) -> tuple[Integers, Any, Array]:
        """The union of all neighbours (u,), what each counts in each mean (rows, u), and the variance (rows,)."""
        near, block = self.block(x)
        parts = [
            self._weights_of_tile(LocalBlock(*(each[start : start + _TILE_ROWS] for each in block)))
            for start in range(0, len(x), _TILE_ROWS)
        ]
        weights, variance = (np.concatenate(each) for each in zip(*parts, strict=True))
        union, place = np.unique(near, return_inverse=True)
        ends = np.arange(len(x) + 1) * near.shape[1]
        return union, csr_array((weights.ravel(), place.ravel(), ends), shape=(len(x), len(union))), variance

    def _weights_of_tile(self, block: LocalBlock) -> tuple[Array, Array]:
        factors, _, variance = loops.local.moments(block, self.kernel)
        return loops.local.neighbour_weights(factors), variance

    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """Mean + root of the covariance × normal."""
        root = square_root(self._covariance(x))
        deviations = root @ rng.standard_normal((len(x), self.n_targets * n_samples))
        return self.mean(x)[:, :, None] + deviations.reshape(len(x), self.n_targets, n_samples)

    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """From the nearest of the other rows."""
        return self.without_each(held_places(self.neighbours, self.targets, block), n_jobs)

    def without_each(self, picked: Integers, n_jobs: int = 1, n_passed: int = 0) -> tuple[Array, Array]:
        """Mean and variance (rows, T) at rows `picked` (rows,) of its own, each from the nearest of the others.

        The `n_passed` nearest of these are left out, too.
        """
        near = self.neighbours
        others = near.nearest_others(picked, n_passed + self.n_neighbors, self.weight, n_jobs)[:, n_passed:]
        rows = Conditionals(near.points, near.scale, self.targets, self.weight, picked, others)
        mean, variance = conditional_moments(rows, self.kernel, self.noise_variance, n_jobs)
        return mean, self._for_each_target(self.doubted(variance))

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> "LocalPosterior":
        """With these rows beside the others, or without them."""
        if sign > 0:
            return self._joined(rows, n_jobs)
        weight = left_weights(self, rows)
        return self._with_rows(self.neighbours.points, self.targets, weight)

    def _joined(self, rows: Rows, n_jobs: int) -> "LocalPosterior":
        y, weight = rows.targets()
        points = neighbours_among(rows, self.neighbours.scale, n_jobs).points
        weights = np.concatenate([_weights_of(self), weight])
        return self._with_rows(np.vstack([self.neighbours.points, points]), np.vstack([self.targets, y]), weights)

    def _with_rows(self, points: Array, targets: Array, weight: Array) -> "LocalPosterior":
        """The same kernel on the rows of positive weight."""
        keep = weight > 0
        if not keep.all():
            points, targets, weight = points[keep], targets[keep], weight[keep]
        return replace(
            self,
            neighbours=replace(self.neighbours, points=points),
            targets=targets,
            weight=stored_weight(weight),
            total=float(weight.sum()),
            nlml=np.nan,
        )


def stored_weight(weight: Array) -> Array | None:
    """Weights (n,) as they are kept: None where all are one."""
    return None if (weight == 1).all() else weight


def _weights_of(posterior: LocalPosterior) -> Array:
    return np.ones(posterior.n_basis) if posterior.weight is None else posterior.weight


def held_places(near: Neighbours, targets: Array, block: Block) -> Integers:
    """(rows,) where the rows of a block stand among those with `targets` (n, T)."""
    places = np.full(len(block.x), -1)
    for i, x in enumerate(block.x * near.scale):
        same = near.same(x)
        same = same[(targets[same] == block.y[i]).all(axis=1)]
        if not same.size:
            raise IllConditioned("rows to leave out that were not fitted")
        places[i] = same[0]
    return places


def left_weights(posterior: LocalPosterior, rows: Rows) -> Array:
    """(n,) what is left of the weights of all rows when these leave; IllConditioned where they were not there."""
    near, block = posterior.neighbours, rows.whole()
    left = _weights_of(posterior).copy()
    for x, y, weight in zip(block.x * near.scale, block.y, block.weight, strict=True):
        for row in near.same(x):
            if weight > 0 and (posterior.targets[row] == y).all():
                taken = min(weight, left[row])
                left[row] -= taken
                weight -= taken
        if weight > 0:
            raise IllConditioned("more of a row is removed than was fitted")
    return left
