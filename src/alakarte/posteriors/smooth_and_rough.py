"""Features and neighbours together: the smooth part from all rows, what it leaves from the nearest.

In: a posterior by features with mean m, variance v and noise s; rows. Out: `SmoothAndRough`. Neighbours see residuals
as they are without the row itself, in units of what features expect of them: z = (y − m)/√(1 − h), h = v/s, since
without row i its residual is (y − m)/(1 − h) and its variance s/(1 − h). Of a row of weight ω > 1 one copy goes. So

    y = m(x) + c(x) (g(x) + e),   c² = 1 + v/s,   g and the variance of e from neighbours,

one posterior with one variance, that of features where no row is near.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Block, Rows, Work
from alakarte.execution.scratch import Scratch
from alakarte.linalg.factorise import square_root
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.left_out import retained_part
from alakarte.posteriors.local import LocalPosterior, held_places
from alakarte.posteriors.weights import FeaturePosterior
from alakarte.records import Array

DRAWS = 256  # h of a row is a mean of so many squares: 9 % off, which moves its residual by less than a hundredth,
MOST_DRAWN = 0.1  # up to this h; beyond, a row has its own


def left_out(posterior: Posterior, x: Array, y: Array, weight: Array) -> Array:
    """(rows, T + 1): z of each fitted row, and ½ log(1 − h), from rows x (rows, d), y (rows, T) and weights (rows,).

    The log density of y_i without row i is that of z_i plus the last column.
    """
    mean, variance = posterior.mean_and_variance(x)
    retained = retained_part(variance[:, 0], posterior.noise_variance, weight)
    return np.column_stack([(y - mean) / np.sqrt(retained)[:, None], 0.5 * np.log(retained)])


def left_out_residuals(posterior: Posterior, rows: Rows, n_jobs: int = 1) -> Array:
    """(n, T) z of all fitted rows, with h from draws of the posterior where it is small: an eighth of the work.

    The draws are the same for any rows: what joins and leaves again leaves no trace.
    """
    assert isinstance(posterior, FeaturePosterior)
    weights = np.hstack([posterior.weight_mean, posterior.deviations(DRAWS, np.random.default_rng(0))])
    work = Work(posterior.n_basis, n_jobs=n_jobs)
    return rows.map_rows(_of_block, rows.n_targets, posterior, weights, work=work)


def _of_block(scratch: Scratch, block: Block, posterior: FeaturePosterior, weights: Array) -> Array:
    """(rows, T) z, from mean and draws of the weights (D, T + draws)."""
    functions, T = posterior.features.dot(weights, block.x, scratch), posterior.n_targets
    variance = (functions[:, T:] ** 2).mean(axis=1)
    retained = retained_part(variance, posterior.noise_variance, block.weight)
    z = (block.y - functions[:, :T]) / np.sqrt(retained)[:, None]
    large = np.flatnonzero(retained < 1 - MOST_DRAWN)
    if large.size:
        z[large] = left_out(posterior, block.x[large], block.y[large], block.weight[large])[:, :-1]
    return z


@dataclass(frozen=True)
class SmoothAndRough(Posterior):
    """f = m + c g."""

    smooth: Posterior  # by features
    rough: LocalPosterior  # on z
    y: Array  # (n, T) the targets of the rows, for rows that join them
    total: float
    noise_variance: float  # that of e
    nlml: float

    @property
    def n_targets(self) -> int:
        """T."""
        return self.smooth.n_targets

    @property
    def n_basis(self) -> int:
        """Columns of the features."""
        return self.smooth.n_basis

    @property
    def size(self) -> int:
        """Of the features' system."""
        return self.smooth.size

    def _stretch(self, variance: Array) -> Array:
        """c² (…), from the variance of features."""
        return np.asarray(1 + variance / self.smooth.noise_variance)

    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """m + c E g."""
        return self.mean_and_variance(x, n_jobs)[0]

    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """c² (var g + var e) − var e."""
        return self.mean_and_variance(x, n_jobs)[1]

    def mean_and_variance(self, x: Array, n_jobs: int = 1) -> tuple[Array, Array]:
        """Both from what the parts say once."""
        return self._together(self.smooth.mean_and_variance(x, n_jobs), self.rough.mean_and_variance(x, n_jobs))

    def _together(self, smooth: tuple[Array, Array], rough: tuple[Array, Array]) -> tuple[Array, Array]:
        """Mean and variance (rows, T) of both, from those of each."""
        (mean, variance), (rough_mean, rough_variance) = smooth, rough
        stretch = self._stretch(variance)
        return mean + np.sqrt(stretch) * rough_mean, stretch * rough_variance + (stretch - 1) * self.noise_variance

    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """Each part without the row; what features leave of other rows stays, which that row hardly moves."""
        picked = held_places(self.rough.neighbours, self.y, block)
        return self._together(self.smooth.leave_one_out(block, n_jobs), self.rough.without_each(picked, n_jobs))

    def covariance(self, x: Array) -> Array:
        """c cᵀ ∘ cov g, and that of features in units of e: (c² − 1) var e on its diagonal."""
        smooth = self.smooth.covariance(x)
        root = np.sqrt(self._stretch(np.einsum("iit->it", smooth)))
        share = self.noise_variance / self.smooth.noise_variance
        return np.asarray(root[:, None] * root[None, :] * self.rough.covariance(x) + share * smooth)

    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """Mean + root of the covariance × normal."""
        root = square_root(np.ascontiguousarray(self.covariance(x)[:, :, 0]))
        deviations = root @ rng.standard_normal((len(x), self.n_targets * n_samples))
        return self.mean(x)[:, :, None] + deviations.reshape(len(x), self.n_targets, n_samples)

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> "SmoothAndRough":
        """Features of the changed rows, then what they leave of each."""
        smooth = self.smooth.changed(rows, sign, n_jobs)
        changed = replace(self.rough, targets=self.y).changed(rows, sign, n_jobs)
        near = changed.neighbours
        weight = np.ones(near.n_rows) if changed.weight is None else changed.weight
        left = left_out_residuals(smooth, ArrayRows(near.points / near.scale, changed.targets, weight), n_jobs)
        return smooth_and_rough(smooth, replace(changed, targets=left), changed.targets)


def smooth_and_rough(smooth: Posterior, rough: LocalPosterior, y: Array) -> SmoothAndRough:
    """Both on the same rows with targets y (n, T)."""
    rest: dict[str, Any] = {"total": smooth.total, "noise_variance": rough.noise_variance, "nlml": smooth.nlml}
    return SmoothAndRough(smooth, rough, y, **rest)
