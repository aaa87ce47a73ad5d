"""Variances of an expansion from few directions, with a bound on the error of every row. Paper, section 4.2.

In: a `WeightPosterior`. Out: `ProjectedVariance`, O(Dr) per row instead of O(D²); None where few directions do not do.
The directions Q (D, r) span nearly the range of the Gram matrix of the rows, by randomised subspace iteration (Halko,
Martinsson and Tropp, 2011). With a = Qᵀψ and b = ψ − Qa, and because 0 ≤ M⁻¹ ≤ I,

    ψᵀM⁻¹ψ = aᵀ(QᵀM⁻¹Q)a + ½‖b‖²  up to  2 Σ_i |a_i| ‖e_i‖ ‖b‖ + ½‖b‖²,    e_i the rows of QᵀM⁻¹(I − QQᵀ),

whatever Q is. Where it is a good one, ‖b‖ is small for rows like those of the fit, and the bound says for which. The
first directions are nearly eigenvectors, so that their e_i vanish where a_i is large.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, qr

from alakarte.linalg.blas import solve_rows_lower, times_symmetric
from alakarte.posteriors.weights import WeightPosterior
from alakarte.records import Array

FIRST_RANK = 64  # to try; doubled until it suffices
COLUMNS_PER_DIRECTION = 8  # fewer, and the exact variance takes hardly longer
ITERATIONS = 3  # of the subspace: each brings its error down by the ratio of eigenvalues
SHARE = 0.25  # of the tolerance that rows of the fit use up on average: few of them are beyond it


@dataclass(frozen=True)
class ProjectedVariance:
    """Variance of a row from r directions, and how far from the exact one it may be."""

    directions: Array  # (D, r) V^½Q: φ times it is a
    root: Array  # (r, r) R with RᵀR = QᵀM⁻¹Q, transposed
    prior: float  # ‖ψ‖², the same for all rows
    cross: Array  # (r,) ‖e_i‖

    @property
    def rank(self) -> int:
        """r."""
        return len(self.root)

    def variance_and_bound(self, phi: Array) -> tuple[Array, Array]:
        """(rows,) the variance, and the most that it may be wrong by, from Φ (rows, D)."""
        a = phi @ self.directions
        b2 = np.maximum(self.prior - np.einsum("ij,ij->i", a, a), 0.0)
        inner = a @ self.root
        half = 0.5 * b2
        variance = np.einsum("ij,ij->i", inner, inner) + half
        return variance, half + 2 * (np.abs(a) @ self.cross) * np.sqrt(b2)


def projected_variance(
    posterior: WeightPosterior, tolerance: float, rng: np.random.Generator
) -> ProjectedVariance | None:
    """Directions by which variances of rows like those of the fit are right up to `tolerance`; None beyond few."""
    gram, total = posterior.statistics().gram, posterior.total
    scale, D = posterior.root_variance, posterior.n_basis
    left = np.trace(gram * scale[:, None] * scale) / total - 2 * SHARE * tolerance  # ½‖b‖² ≤ share of the tolerance
    rank, most = min(FIRST_RANK, D // COLUMNS_PER_DIRECTION), D // COLUMNS_PER_DIRECTION
    while 0 < rank <= most:
        basis, captured = _leading_directions(gram, scale, rng.standard_normal((rank, D)))
        enough = np.flatnonzero(np.cumsum(captured) / total >= left)
        if enough.size:
            return _with_directions(posterior, basis[: enough[0] + 1])
        # no other direction captures more than the last of these
        if captured.sum() + (most - rank) * captured[-1] < left * total:
            return None
        rank = 2 * rank if rank == most or 2 * rank <= most else most
    return None


def _leading_directions(gram: Array, scale: Array, rows: Array) -> tuple[Array, Array]:
    """Qᵀ (r, D) and the eigenvalues (r,) of QᵀGQ, largest first, for G = V^½AV^½, from random rows (r, D)."""
    for _ in range(ITERATIONS):
        rows = times_symmetric(np.ascontiguousarray(rows * scale), gram) * scale
        rows = np.ascontiguousarray(qr(rows.T, mode="economic", check_finite=False)[0].T)
    inner = (times_symmetric(np.ascontiguousarray(rows * scale), gram) * scale) @ rows.T
    eigenvalues, turn = eigh(inner, check_finite=False)
    return np.ascontiguousarray(turn[:, ::-1].T @ rows), eigenvalues[::-1]


def _with_directions(posterior: WeightPosterior, basis: Array) -> ProjectedVariance:
    """What is needed of Qᵀ (r, D) to predict."""
    (r, D), scale = basis.shape, posterior.root_variance
    rows = np.zeros((r, len(posterior.factor)))
    rows[:, :D] = basis
    half = solve_rows_lower(posterior.factor, rows)  # (L⁻¹Q)ᵀ
    root = qr(half.T, mode="r", check_finite=False)[0][:r]
    solved = solve_rows_lower(posterior.factor, half.copy(), transposed=True)[:, :D]  # (M⁻¹Q)ᵀ
    cross = np.linalg.norm(solved - (half @ half.T) @ basis, axis=1)
    directions = np.ascontiguousarray(basis.T * scale[:, None])
    return ProjectedVariance(directions, np.ascontiguousarray(root.T), posterior.prior_variance(), cross)
