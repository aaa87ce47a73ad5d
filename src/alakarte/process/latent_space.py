"""The prior of the latent function as the inference of other likelihoods sees it, by rows (n×n) or by weights (D×D).

In: a `LatentFunction` and its rows. Out: `LatentSpace`: q(f) from sites, and derivatives of the spectrum. With
W = diag(λ) of the sites, weight space has B = I + V^½ ΦᵀWΦ V^½ (D, D), row space B = I + W^½KW^½ (n, n); both have
eigenvalues ≥ 1, so no noise floor is needed.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from alakarte.data.rows import Block, Rows, Work
from alakarte.execution.scratch import Scratch
from alakarte.features.feature_map import FeatureMap, FeaturesBar
from alakarte.linalg.blas import solve_rows_lower, times_symmetric
from alakarte.linalg.factorise import cholesky, inverse, log_determinant, mirror, solve
from alakarte.process.closed_form import closed_gram, closed_gram_pullback
from alakarte.process.computation import Computation
from alakarte.process.objective import spectrum_from_sums
from alakarte.process.problem import LatentFunction
from alakarte.process.row_space import GramPullback, gram, scaled_features
from alakarte.process.sites import Direction, LatentState, Sites
from alakarte.process.sums import add_gram_of_block
from alakarte.records import Array, Spectrum


class LatentSpace(ABC):
    """q(f) from sites."""

    n_passes: ClassVar[int] = 0  # over blocks of rows to solve for q(f)

    @abstractmethod
    def solve(self, sites: Sites) -> LatentState:
        """q(f) given sites."""

    @abstractmethod
    def response(self, state: LatentState, linear: Array) -> tuple[Array, Array, Array]:
        """What linear terms (n,) add to the mean of q(f): their dual (n,), mean (n,) and whitened weights."""


class PriorSpace(LatentSpace):
    """q(f) from sites, and derivatives back to the spectrum of the prior."""

    @abstractmethod
    def pullback(self, state: LatentState, directions: list[Direction]) -> Spectrum:
        """Derivatives by the spectrum from 2 K_bar = W^½B⁻¹W^½ − Σ sign·p pᵀ, W of the state's sites."""


@dataclass(frozen=True)
class KernelSpace(LatentSpace):
    """By an n×n covariance of the function at the rows."""

    kernel: Array  # (n, n) K, whole
    n_jobs: int = 1

    def solve(self, sites: Sites) -> LatentState:
        """One factor and one inverse: q_i = (1 − (B⁻¹)_ii)/λ_i."""
        root = np.sqrt(sites.curvature)
        B = self.kernel * root
        B *= root[:, None]
        B.flat[:: len(root) + 1] += 1.0
        factor = cholesky(B, self.n_jobs)
        dual, mean = self._response(factor, root, sites.linear)
        variance = _inverse_complement(inverse(factor, self.n_jobs).diagonal(), sites.curvature)
        return LatentState(
            mean, variance, dual, dual, float(dual @ mean), log_determinant(factor), factor, sites.curvature
        )

    def _response(self, factor: Array, root: Array, linear: Array) -> tuple[Array, Array]:
        """The dual a = b − W^½B⁻¹W^½Kb, and K a."""
        dual = linear - root * solve(factor, root * (self.kernel @ linear))
        return dual, self.kernel @ dual

    def response(self, state: LatentState, linear: Array) -> tuple[Array, Array, Array]:
        """Dual and mean; the dual stands for the weights."""
        dual, mean = self._response(state.factor, np.sqrt(state.curvature), linear)
        return dual, mean, dual


@dataclass(frozen=True)
class RowLatentSpace(PriorSpace):
    """By K of a closed form, or of an expansion of more columns than rows."""

    function: LatentFunction
    rows: Block
    inner: KernelSpace
    psi: Array | None  # (n, D) Φ V^½ of an expansion

    def solve(self, sites: Sites) -> LatentState:
        """Q(f) given sites."""
        return self.inner.solve(sites)

    def response(self, state: LatentState, linear: Array) -> tuple[Array, Array, Array]:
        """Dual and mean; the dual stands for the weights."""
        return self.inner.response(state, linear)

    def pullback(self, state: LatentState, directions: list[Direction]) -> Spectrum:
        """Through the closed form, or through Ψ; one direction is taken, any number of others added."""
        function, n_jobs = self.function, self.function.problem.n_jobs
        root = np.sqrt(state.curvature)
        matrix = inverse(state.factor, n_jobs)
        matrix *= root
        matrix *= root[:, None]
        [taken] = [direction.rows[:, None] for direction in directions if direction.sign > 0]
        for direction in directions:
            if direction.sign < 0:
                matrix += np.outer(direction.rows, direction.rows)
        if self.psi is None:
            pair = (self.rows.x, np.ones(len(root)))
            return closed_gram_pullback(function.spectrum, function.closed_form, pair, matrix, taken, n_jobs)
        back = GramPullback(function.features, matrix, taken)
        sums, log_variance_bar = back.sums(self.rows.x, self.psi, n_jobs, Scratch())
        return spectrum_from_sums(function, sums, log_variance_bar)


def _inverse_complement(diagonal: Array, curvature: Array) -> Array:
    """Posterior variances (1 − (B⁻¹)_ii)/λ_i (n,), never negative."""
    return np.maximum(1 - diagonal, 0.0) / curvature


@dataclass(frozen=True)
class WeightLatentSpace(PriorSpace):
    """By the weights of an expansion: passes over blocks of rows."""

    n_passes = 2
    function: LatentFunction

    @property
    def _rows(self) -> Rows:
        return self.function.problem.rows

    @property
    def _root(self) -> Array:
        """(D,) V^½."""
        return np.sqrt(self.function.weight_variance)

    def _work(self) -> Work:
        features = self.function.features
        return Work(features.n_basis, features.dtype.itemsize, self.function.problem.n_jobs)

    def solve(self, sites: Sites) -> LatentState:
        """One pass for the Gram matrix of the sites, one for means and variances."""
        features, n_jobs, root = self.function.features, self.function.problem.n_jobs, self._root
        D = features.n_basis
        rows = self._rows.with_targets(sites.linear[:, None], sites.curvature)

        def zero() -> list[Array]:
            return [np.zeros((D, D), order="F"), np.zeros(D)]

        B, moment = rows.map_sum(add_site_sums, zero, features, work=self._work())
        B *= root
        B *= root[:, None]
        B.flat[:: D + 1] += 1.0
        factor = cholesky(B, n_jobs)
        weights = solve(factor, root * moment)
        mean, variance = self._moments(root * weights, factor).T
        dual = sites.linear - sites.curvature * mean
        return LatentState(
            mean,
            variance,
            dual,
            weights,
            float(weights @ weights),
            log_determinant(factor),
            factor,
            sites.curvature,
        )

    def _moments(self, beta: Array, factor: Array) -> Array:
        """(n, 2) means and variances of all rows."""
        return self._rows.map_rows(
            latent_moments, 2, self.function.features, beta, self._root, factor, work=self._work()
        )

    def response(self, state: LatentState, linear: Array) -> tuple[Array, Array, Array]:
        """One pass for V^½Φᵀb, one for the mean."""
        features, root = self.function.features, self._root
        rows = self._rows.with_targets(linear[:, None], linear)
        [moment] = rows.map_sum(add_moment, lambda: [np.zeros(features.n_basis)], features, work=self._work())
        weights = solve(state.factor, root * moment)
        [mean] = self._rows.map_rows(latent_means, 1, features, root * weights, work=self._work()).T
        return linear - state.curvature * mean, mean, weights

    def pullback(self, state: LatentState, directions: list[Direction]) -> Spectrum:
        """One pass: Φ_bar = W ΦP − Σ sign·p (V^½ weights)ᵀ."""
        function, root = self.function, self._root
        covariance = inverse(state.factor, function.problem.n_jobs)
        diagonal = covariance.diagonal().copy()
        covariance *= root
        covariance *= root[:, None]
        squares = sum(direction.sign * direction.weights**2 for direction in directions)
        log_variance_bar = 0.5 * (1 - diagonal - squares)
        terms = np.column_stack([direction.sign * direction.rows for direction in directions])
        beta = np.column_stack([root * direction.weights for direction in directions])
        rows = self._rows.with_targets(terms, state.curvature)
        sums = rows.map_sum(
            add_site_pullback,
            function.features.pullback_zeros,
            function.features,
            covariance.astype(function.features.dtype, copy=False),
            beta.astype(function.features.dtype, copy=False),
            work=self._work(),
        )
        return spectrum_from_sums(function, sums, log_variance_bar)


def add_site_sums(sums: list[Array], scratch: Scratch, block: Block, features: FeatureMap) -> None:
    """ΦᵀWΦ (lower triangle) and Φᵀb, where a block has W as its weights and b as its target."""
    gram_sum, moment = sums
    phi = features.phi(block.x.astype(features.dtype, copy=False), scratch)
    moment += phi.T @ block.y[:, 0].astype(phi.dtype, copy=False)
    phi *= np.sqrt(block.weight)[:, None].astype(phi.dtype, copy=False)
    add_gram_of_block(gram_sum, phi, scratch)


def add_moment(sums: list[Array], scratch: Scratch, block: Block, features: FeatureMap) -> None:
    """Φᵀb, where a block has b as its target."""
    phi = features.phi(block.x.astype(features.dtype, copy=False), scratch)
    sums[0] += phi.T @ block.y[:, 0].astype(phi.dtype, copy=False)


def latent_moments(
    scratch: Scratch, block: Block, features: FeatureMap, beta: Array, root: Array, factor: Array
) -> Array:
    """(rows, 2) Φβ and ‖L⁻¹V^½φ‖²."""
    phi = features.phi(block.x.astype(features.dtype, copy=False), scratch).astype(np.float64, copy=False)
    mean = phi @ beta
    psi = scratch.array("psi", phi.shape, np.float64)
    np.multiply(phi, root, out=psi)
    whitened = solve_rows_lower(factor, psi)
    return np.column_stack([mean, np.einsum("ij,ij->i", whitened, whitened)])


def latent_means(scratch: Scratch, block: Block, features: FeatureMap, beta: Array) -> Array:
    """(rows, 1) Φβ."""
    return features.dot(beta[:, None].astype(features.dtype), block.x.astype(features.dtype, copy=False), scratch)


def add_site_pullback(
    sums: list[Array], scratch: Scratch, block: Block, features: FeatureMap, covariance: Array, beta: Array
) -> None:
    """Sums of `FeatureMap.pullback` for Φ_bar = W ΦP − R Bᵀ, R the block's targets."""
    x = block.x.astype(features.dtype, copy=False)
    phi = features.phi(x, scratch)
    phi_p = times_symmetric(phi, covariance, scratch.array("phi_p", phi.shape, phi.dtype))
    phi_p *= (block.weight / beta.shape[1])[:, None].astype(phi.dtype, copy=False)
    bar = FeaturesBar(phi_p, block.y, beta, np.ones(len(phi)))
    for total, part in zip(sums, features.pullback(x, phi, bar, scratch), strict=True):
        total += part


def latent_space(function: LatentFunction) -> PriorSpace:
    """The space that a function's computation asks for."""
    if function.computation is Computation.WEIGHTS:
        return WeightLatentSpace(function)
    rows, n_jobs = function.problem.rows.whole(), function.problem.n_jobs
    ones, psi = np.ones(len(rows.x)), None
    if function.computation is Computation.CLOSED:
        kernel = closed_gram(function.spectrum, function.closed_form, rows.x, ones, n_jobs)
    else:
        unweighted = Block(rows.x, rows.y, ones)
        psi = scaled_features(function.features, unweighted, function.weight_variance, n_jobs, Scratch())
        kernel = gram(psi, n_jobs)
    mirror(kernel)
    return RowLatentSpace(function, rows, KernelSpace(kernel, n_jobs), psi)
