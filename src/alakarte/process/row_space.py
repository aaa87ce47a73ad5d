"""The evidence in n×n form, for n < D and for closed forms: the one place that sees all rows. Paper, 4.2, [E20].

    K = W^½ K_f W^½ + s I = L Lᵀ,   α = K⁻¹ W^½ y,   nlml = ½ Σ_t (n log 2π + log|K| + y_tᵀW^½α_t + (N − n) log 2πs)

W^½ makes weights equal repeated rows. Of an expansion K_f = ΦVΦᵀ, seen from its rows as Ψ = W^½ Φ V^½ (n, D). Work is
cut into a fixed number of lanes: the bits do not depend on the number of threads. Columns of one frequency share their
V, so Ψ serves the way back too: φ_c φ̄_s − φ_s φ̄_c = ψ_c (Mψ)_s − ψ_s (Mψ)_c with M = T K⁻¹ − ααᵀ.
"""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from alakarte.data.rows import Block
from alakarte.execution.scratch import Scratch
from alakarte.execution.threads import run_together
from alakarte.features.feature_map import FeatureMap, FeaturesBar
from alakarte.linalg.blas import add_columns_gram, columns_times_symmetric
from alakarte.linalg.factorise import cholesky, inverse, log_determinant, solve
from alakarte.records import Array

LANES_BY_ROWS = ((1024, 4), (256, 2), (0, 1))  # rows from which so many lanes pay


@dataclass(frozen=True)
class RowSpace:
    """The solved row space."""

    factor: Array  # (n, n) L
    alpha: Array  # (n, T)
    nlml: float
    noise_variance: float
    spare: float  # N − n


def solve_rows(
    signal: Array, target: Array, noise_variance: float, total: float, n_jobs: int = 1, out: Array | None = None
) -> RowSpace:
    """Row space from W^½ K_f W^½ (n, n), overwritten (Fortran's order: lower triangle), and W^½ y (n, T).

    The factor is written to `out` (n, n), where that is given.
    """
    n = len(signal)
    np.einsum("ii->i", signal)[...] += noise_variance
    factor = cholesky(signal, n_jobs, out)
    alpha = solve(factor, target)
    spare = total - n
    log_det = n * np.log(2 * np.pi) + log_determinant(factor) + spare * np.log(2 * np.pi * noise_variance)
    nlml = 0.5 * (target.shape[1] * log_det + float(np.sum(target * alpha)))
    return RowSpace(factor, alpha, float(nlml), noise_variance, spare)


def pullback(solved: RowSpace, n_jobs: int = 1) -> tuple[Array, float]:
    """Lower triangle of K⁻¹ (n, n), of which 2 K_bar = T K⁻¹ − ααᵀ, and the derivative by log s. Over the factor."""
    inverse_kernel, T = inverse(solved.factor, n_jobs, overwrite=True), solved.alpha.shape[1]
    trace = T * np.trace(inverse_kernel) - float(np.sum(solved.alpha**2))
    return inverse_kernel, float(0.5 * (solved.noise_variance * trace + T * solved.spare))


def _lanes(n_rows: int, size: int) -> list[slice]:
    """Equal parts of `size` rows or columns."""
    n_lanes = next(lanes for least, lanes in LANES_BY_ROWS if n_rows >= least)
    return [slice(*edge) for edge in pairwise(np.linspace(0, size, n_lanes + 1).astype(int))]


def scaled_features(features: FeatureMap, rows: Block, variance: Array, n_jobs: int, scratch: Scratch) -> Array:
    """Ψ (n, D), in the scratch."""
    root, scale, n = np.sqrt(rows.weight), np.sqrt(variance), len(rows.x)
    psi = scratch.array("psi", (n, features.n_basis), np.float64)

    def fill(lane: slice) -> None:
        part = features.phi(rows.x[lane], out=psi[lane])
        part *= scale
        if (root[lane] != 1).any():
            part *= root[lane, None]

    run_together([partial(fill, lane) for lane in _lanes(n, n)], n_jobs)
    return psi


def gram(psi: Array, n_jobs: int) -> Array:
    """Lower triangle of ΨΨᵀ (n, n), in Fortran's order."""
    n, n_columns = psi.shape

    def of_columns(lane: slice) -> Array:
        lower = np.zeros((n, n), order="F")
        add_columns_gram(lower, psi.T[lane], transposed=True)
        return lower

    signal, *others = run_together([partial(of_columns, lane) for lane in _lanes(n, n_columns)], n_jobs)
    for other in others:
        signal += other
    return signal


@dataclass(frozen=True)
class GramPullback:
    """Derivatives of an expansion in row space: Ψ_bar = T K⁻¹Ψ − α (αᵀΨ), block by block of rows."""

    features: FeatureMap
    inverse_kernel: Array  # lower triangle of K⁻¹ (n, n)
    alpha: Array  # (n, T)

    def sums(self, x: Array, psi: Array, n_jobs: int, scratch: Scratch) -> tuple[list[Array], Array]:
        """Sums of `FeatureMap.pullback` for rows x (n, d) with Ψ (n, D), and derivatives by log V: ½ diag(Ψᵀ M Ψ)."""
        product = scratch.array("product", psi.shape, psi.dtype)  # K⁻¹ Ψ
        moment, T = self.alpha.T @ psi, self.alpha.shape[1]
        log_variance_bar = np.empty(psi.shape[1])

        def multiply(lane: slice) -> None:
            columns_times_symmetric(psi.T[lane], self.inverse_kernel, product.T[lane])
            squares = np.einsum("ij,ij->j", psi[:, lane], product[:, lane])
            log_variance_bar[lane] = 0.5 * (T * squares - (moment[:, lane] ** 2).sum(axis=0))

        run_together([partial(multiply, lane) for lane in _lanes(*psi.shape)], n_jobs)
        ones = np.ones(len(psi))

        def pull(lane: slice) -> list[Array]:
            bar = FeaturesBar(product[lane], self.alpha[lane], moment.T, ones[lane])
            return self.features.pullback(x[lane], psi[lane], bar)

        first, *others = run_together([partial(pull, lane) for lane in _lanes(len(psi), len(psi))], n_jobs)
        for sums in others:
            for whole, part in zip(first, sums, strict=True):
                whole += part
        return first, log_variance_bar
