"""The posterior of the weights of an expansion, D×D, with the sums over rows that it came from.

In: a feature map, sums, the solved weight space. Out: `WeightPosterior`: rows join and leave by adding to the sums.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial

import numpy as np

from alakarte.data.rows import Block, Rows
from alakarte.errors import IllConditioned
from alakarte.execution.scratch import Scratch
from alakarte.features.feature_map import FeatureMap
from alakarte.linalg.factorise import solve_lower
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.left_out import retained_part, without_each_row
from alakarte.posteriors.reach import Reach, reach_after
from alakarte.posteriors.tiles import MEAN_TILE_ROWS, TILE_ROWS, by_tiles, padded, whiten
from alakarte.process.sums import statistics
from alakarte.process.weight_space import WeightSpace, noise_floor, solve_weights
from alakarte.records import Array, Integers, Statistics

# M = I + … ≥ I, so the squares of its factor's diagonal are ≥ 1, less half by rounding at the least noise allowed.
LEAST_PIVOT = 0.5


class FeaturePosterior(Posterior):
    """What posteriors of an expansion share: f = φᵀw, w of mean β."""

    features: FeatureMap
    weight_mean: Array  # (D, T) β
    root_variance: Array  # (D,) V^½, of the prior
    reach: Reach | None  # of the rows; None: not known

    @property
    def n_basis(self) -> int:
        """D."""
        return self.features.n_basis

    @property
    def n_targets(self) -> int:
        """T."""
        return int(self.weight_mean.shape[1])

    def prior_variance(self) -> float:
        """‖ψ‖² = Σ v², the same for all rows: the first F columns are one of each frequency."""
        return float((self.root_variance[: self.features.component.size] ** 2).sum())

    def noise_variance_for(self, size: int, total: float) -> float:
        """That of the fit, or what the rounding of sums over rows of so much weight needs, as a fit of these would."""
        return max(self.noise_variance, noise_floor(size, total, 0.5 * np.log(self.prior_variance())))

    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """φᵀβ, of what rows reach."""
        mean = by_tiles(partial(self.features.dot, self.weight_mean), x, MEAN_TILE_ROWS, n_jobs)
        far = self.out_of_reach(x)
        if far.size:
            mean[far] = by_tiles(self._mean_of_far, x[far], n_jobs=n_jobs)
        return mean

    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """ψᵀM⁻¹ψ of what rows reach, ‖ψ‖² of what they do not."""
        return self._for_each_target(by_tiles(self._variance_of_tile, x, n_jobs=n_jobs))

    def variance_of_features(self, phi: Array) -> Array:
        """(rows,) φᵀPφ of any features (rows, D), an average over rows for instance."""
        return np.asarray((self._whitened(phi * self.root_variance) ** 2).sum(axis=0))

    def covariance(self, x: Array) -> Array:
        """As the variance, for pairs."""
        reached, free = self._parts(x)
        whitened = self._whitened(reached)
        shared = whitened.T @ whitened
        return self._for_each_target(shared if free is None else shared + free @ free.T)

    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """One draw of weights is one function; where rows do not reach, another of the prior's."""
        D, T = self.weight_mean.shape
        weights = self.deviations(T * n_samples, rng) + np.repeat(self.weight_mean, n_samples, axis=1)
        drawn = by_tiles(lambda tile, scratch: self.features.phi(tile, scratch) @ weights, x)
        far = self.out_of_reach(x)
        if far.size:
            both = np.vstack([weights, self.root_variance[:, None] * rng.standard_normal((D, T * n_samples))])
            drawn[far] = by_tiles(lambda tile, scratch: np.hstack(self._known_and_free(tile, scratch)) @ both, x[far])
        return drawn.reshape(len(x), T, n_samples)

    def out_of_reach(self, x: Array) -> Integers:
        """Places of rows (rows, d) that some component does not reach."""
        if self.reach is None:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.reach.unknown(x).any(axis=1))

    @abstractmethod
    def _whitened(self, psi: Array) -> Array:
        """(k, rows) whose products are ψᵀM⁻¹ψ, from (rows, D)."""

    @abstractmethod
    def deviations(self, n_samples: int, rng: np.random.Generator) -> Array:
        """(D, n_samples) draws of w − β."""

    def _known_and_free(self, x: Array, scratch: Scratch | None = None) -> tuple[Array, Array]:
        """√(1 − h) Φ and √h Φ, (rows, D) each."""
        assert self.reach is not None
        phi, unknown = self.features.phi(x, scratch), self.reach.unknown(x)
        known, free = (np.sqrt(share)[:, self.features.column_component] for share in (1 - unknown, unknown))
        return phi * known, phi * free

    def _mean_of_far(self, tile: Array, scratch: Scratch) -> Array:
        return np.asarray(self._known_and_free(tile, scratch)[0] @ self.weight_mean)

    def _parts(self, x: Array, scratch: Scratch | None = None) -> tuple[Array, Array | None]:
        """ψ (rows, D) of what rows reach, and of what they do not if there is such a part."""
        if not self.out_of_reach(x).size:
            return self.features.phi(x, scratch) * self.root_variance, None
        known, free = self._known_and_free(x, scratch)
        return known * self.root_variance, free * self.root_variance

    def _variance_of_tile(self, tile: Array, scratch: Scratch) -> Array:
        """(rows,)."""
        reached, free = self._parts(tile, scratch)
        squares = (self._whitened(reached) ** 2).sum(axis=0)
        return np.asarray(squares if free is None else squares + (free**2).sum(axis=1))

    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """By h = δ v/s: one pass over the rows."""
        mean, variance = self.mean_and_variance(block.x, n_jobs)
        retained = retained_part(variance[:, 0], self.noise_variance, block.weight)
        return without_each_row(block, block.y - mean, variance[:, 0], retained)


@dataclass(frozen=True)
class WeightPosterior(FeaturePosterior):
    """w ~ N(β, V^½ (L Lᵀ)⁻¹ V^½)."""

    features: FeatureMap
    weight_mean: Array  # (D, T)
    root_variance: Array  # (D,)
    factor: Array  # L, padded; above its diagonal the Gram matrix, transposed
    diagonal: Array  # (D,) of the Gram matrix
    moment: Array  # (D, T)
    energy: Array  # (T,)
    total: float
    noise_variance: float
    nlml: float
    reach: Reach | None = None

    @property
    def size(self) -> int:
        """D."""
        return self.features.n_basis

    def statistics(self) -> Statistics:
        """The sums over the rows, as far as float64 has kept them."""
        k = self.diagonal.size
        gram = np.asfortranarray(np.triu(self.factor[:k, :k], 1).T)
        gram.flat[:: k + 1] = self.diagonal
        return Statistics(gram, self.moment, self.energy, self.total)

    def _whitened(self, psi: Array) -> Array:
        """L⁻¹ψ."""
        return whiten(self.factor, psi)

    def deviations(self, n_samples: int, rng: np.random.Generator) -> Array:
        """V^½ L⁻ᵀ ε."""
        draws = solve_lower(self.factor, rng.standard_normal((len(self.factor), n_samples)), transposed=True)
        return np.asarray(self.root_variance[:, None] * draws[: self.n_basis])

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> Posterior:
        """From the sums with those of the rows added or subtracted."""
        return changed_sums(self, self.statistics(), rows, sign, n_jobs)


def weight_posterior(
    features: FeatureMap, sums: Statistics, solved: WeightSpace, nlml: float, reach: Reach | None = None
) -> WeightPosterior:
    """The posterior of solved weights."""
    factor, k = padded(solved.factor), len(sums.moment)
    for j in range(0, k, TILE_ROWS):  # the Gram above the diagonal, where the factor has nothing
        columns = slice(j, min(j + TILE_ROWS, k))
        factor[columns, j:k] += np.tril(sums.gram[j:k, columns], -1).T
    parts = sums.gram.diagonal().copy(), sums.moment, sums.energy, sums.total
    return WeightPosterior(
        features, solved.weight_mean, solved.root_variance, factor, *parts, solved.noise_variance, nlml, reach
    )


def changed_sums(old: FeaturePosterior, before: Statistics, rows: Rows, sign: int, n_jobs: int) -> WeightPosterior:
    """The D×D posterior of the sums `before` of a posterior by features, with rows added or removed."""
    new = statistics(rows, old.features, n_jobs)
    sums = before + new if sign > 0 else before - new
    noise_variance = old.noise_variance_for(old.n_basis, sums.total)
    solved = solve_weights(sums, old.root_variance**2, noise_variance, n_jobs)
    if (solved.factor.diagonal() ** 2).min() < LEAST_PIVOT or sums.energy.min() < 0:
        raise IllConditioned("sums that no set of rows can have")
    return weight_posterior(old.features, sums, solved, solved.value_from(sums), reach_after(old.reach, rows, sign))
