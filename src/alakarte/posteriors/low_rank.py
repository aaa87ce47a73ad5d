"""The posterior of the weights of an expansion where rows are far fewer than columns: no D×D matrix is made.

In: a process on few rows. Out: `LowRankPosterior`, from the singular values of Φ V^½; rows join and leave its basis.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh, qr, svd

from alakarte.data.rows import Rows
from alakarte.errors import IllConditioned
from alakarte.features.feature_map import FeatureMap
from alakarte.linalg.span import spanned
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.reach import Reach, reach_after, reach_of
from alakarte.posteriors.weights import LEAST_PIVOT, FeaturePosterior, changed_sums
from alakarte.process.computation import Computation, kept_computation
from alakarte.process.problem import Process
from alakarte.process.weight_space import EPS
from alakarte.records import Array, Statistics


@dataclass(frozen=True)
class LowRankPosterior(FeaturePosterior):
    """w ~ N(β, V^½ (I − U Uᵀ + U s/(s+λ) Uᵀ) V^½)."""

    features: FeatureMap
    weight_mean: Array  # (D, T)
    root_variance: Array  # (D,)
    basis: Array  # (D, r) U
    shrinkage: Array  # (r,) √(s/(s+λ))
    energy: Array  # (T,)
    total: float
    noise_variance: float
    nlml: float
    reach: Reach | None = None

    @property
    def size(self) -> int:
        """r."""
        return int(self.basis.shape[1])

    def _eigenvalues(self) -> Array:
        """(r,) λ of the Gram matrix of Φ V^½."""
        s = self.noise_variance
        return np.maximum(s / self.shrinkage**2 - s, 0)

    def _scaled_moment(self) -> Array:
        """(D, T) V^½ ΦᵀWy = U (λ + s) Uᵀ V^-½ β."""
        inner = self.basis.T @ (self.weight_mean / self.root_variance[:, None])
        return self.basis @ ((self._eigenvalues() + self.noise_variance)[:, None] * inner)

    def statistics(self) -> Statistics:
        """The sums over the rows: A = V^-½ U λ Uᵀ V^-½, b = V^-½ U (λ + s) Uᵀ V^-½ β."""
        directions = self.basis / self.root_variance[:, None]
        gram = np.asfortranarray((directions * self._eigenvalues()) @ directions.T)
        inner = self.basis.T @ (self.weight_mean / self.root_variance[:, None])
        moment = directions @ ((self._eigenvalues() + self.noise_variance)[:, None] * inner)
        return Statistics(gram, moment, self.energy, self.total)

    def _whitened(self, psi: Array) -> Array:
        """Square root of the covariance, applied to ψ."""
        return self._shrink(psi).T

    def _shrink(self, psi: Array) -> Array:
        """ψ − UUᵀψ + Σ √(s/(s+λ_i)) u_i u_iᵀψ, (rows, D)."""
        return psi + (psi @ self.basis * (self.shrinkage - 1)) @ self.basis.T

    def variance_of_features(self, phi: Array) -> Array:
        """(rows,) φᵀPφ of any features (rows, D), an average over rows for instance: ‖ψ‖² − Σ λ_i/(s+λ_i) (u_iᵀψ)².

        A difference: of ‖ψ‖² what is smaller than its rounding is lost. Rows along a curve share their directions.
        """
        combinations, directions = spanned(phi)
        directions = directions * self.root_variance
        inner = directions @ self.basis
        covariance = directions @ directions.T - (inner * (1 - self.shrinkage**2)) @ inner.T
        return np.asarray(np.maximum(((combinations @ covariance) * combinations).sum(axis=1), 0))

    def deviations(self, n_samples: int, rng: np.random.Generator) -> Array:
        """The same square root, applied to normal numbers."""
        return np.asarray((self._shrink(rng.standard_normal((n_samples, self.n_basis))) * self.root_variance).T)

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> Posterior:
        """By the basis while rows are few, else by sums."""
        if kept_computation(self.size + rows.n_rows, self.n_basis) is Computation.ROWS:
            return _changed_rank(self, rows, sign)
        return changed_sums(self, self.statistics(), rows, sign, n_jobs)


def low_rank_posterior(process: Process, nlml: float) -> LowRankPosterior:
    """That of an expansion with far more columns than rows."""
    rows, s, root_variance = process.problem.rows.whole(), process.noise_variance, np.sqrt(process.weight_variance)
    root_weight = np.sqrt(rows.weight)[:, None]
    psi = process.features.phi(rows.x) * root_variance * root_weight
    left, singular, right = svd(psi, full_matrices=False, check_finite=False)
    target = left.T @ (rows.y * root_weight)
    return LowRankPosterior(
        features=process.features,
        weight_mean=root_variance[:, None] * (right.T @ ((singular / (singular**2 + s))[:, None] * target)),
        root_variance=root_variance,
        basis=np.ascontiguousarray(right.T),
        shrinkage=np.sqrt(s / (s + singular**2)),
        energy=(rows.weight[:, None] * rows.y**2).sum(axis=0),
        total=process.problem.rows.total,
        noise_variance=s,
        nlml=nlml,
        reach=reach_of(process),
    )


def _changed_rank(old: LowRankPosterior, rows: Rows, sign: int) -> LowRankPosterior:
    """U λ Uᵀ ± ΨᵀΨ = Q (R S Rᵀ) Qᵀ with [U √λ, Ψᵀ] = Q R and S = diag(1, …, ±1)."""
    block, root = rows.whole(), old.root_variance
    half = np.sqrt(block.weight)[:, None]
    psi = old.features.phi(block.x) * root * half
    known = old._eigenvalues()
    moment = old._scaled_moment() + sign * (psi.T @ (half * block.y))
    energy = old.energy + sign * (block.weight[:, None] * block.y**2).sum(axis=0)
    q, r = qr(np.hstack([old.basis * np.sqrt(known), psi.T]), mode="economic", check_finite=False)
    signs = np.append(np.ones(known.size), np.full(len(psi), sign))
    eigenvalues, turn = eigh((r * signs) @ r.T, check_finite=False)
    total, T = old.total + sign * rows.total, energy.size
    s = old.noise_variance_for(len(eigenvalues), total)
    if 1 + eigenvalues[0] / s < LEAST_PIVOT or energy.min() < 0:
        raise IllConditioned("eigenvalues that no set of rows can have")
    keep = eigenvalues > EPS * eigenvalues[-1]
    eigenvalues, basis = eigenvalues[keep], np.ascontiguousarray(q @ turn[:, keep])
    weight_mean = root[:, None] * (basis @ (basis.T @ moment / (eigenvalues + s)[:, None]))
    left = max(float(energy.sum() - np.sum(moment * (weight_mean / root[:, None]))), 0.0)  # ‖r‖² + s‖γ‖² = c − bᵀβ
    nlml = 0.5 * (T * (total * np.log(2 * np.pi * s) + np.log1p(eigenvalues / s).sum()) + left / s)
    return replace(
        old,
        weight_mean=weight_mean,
        basis=basis,
        shrinkage=np.sqrt(s / (s + eigenvalues)),
        energy=energy,
        total=total,
        noise_variance=s,
        nlml=float(nlml),
        reach=reach_after(old.reach, rows, sign),
    )
