"""An expansion seen from its rows: Ψ = W^½ Φ V^½ (n, D), K_f = ΨΨᵀ, and derivatives back to the spectrum. For n < D.

In: a `FeatureMap`, rows, V. Out: Ψ, ΨΨᵀ, the sums of `FeatureMap.pullback`. Work is cut into a fixed number of lanes:
the bits do not depend on the number of threads. Columns of one frequency share their V, so Ψ serves the way back too:
φ_c φ̄_s − φ_s φ̄_c = ψ_c (Mψ)_s − ψ_s (Mψ)_c with M = K⁻¹ − ααᵀ. Paper, section 4.2.
"""

from functools import partial
from itertools import pairwise

import numpy as np

from alakarte.data.arrays import Rows, Scratch
from alakarte.execution.threads import together
from alakarte.features.feature_map import FeatureMap
from alakarte.linalg.blas import add_columns_gram, columns_times_symmetric

LANES = ((1024, 4), (256, 2), (0, 1))  # rows from which so many pay


def _lanes(n_rows: int, size: int) -> list[slice]:
    """Equal parts of `size` rows or columns."""
    n_lanes = next(lanes for least, lanes in LANES if n_rows >= least)
    return [slice(*edge) for edge in pairwise(np.linspace(0, size, n_lanes + 1).astype(int))]


def scaled_features(features: FeatureMap, rows: Rows, variance, n_jobs: int, scratch: Scratch) -> np.ndarray:
    """Ψ (n, D), in the scratch."""
    root, scale = np.sqrt(rows.weight), np.sqrt(variance)
    psi = scratch.array("psi", (rows.n_rows, features.n_basis), np.float64)

    def fill(lane):
        part = features.phi(rows.x[lane], out=psi[lane])
        part *= scale
        if (root[lane] != 1).any():
            part *= root[lane, None]

    together([partial(fill, lane) for lane in _lanes(rows.n_rows, rows.n_rows)], n_jobs)
    return psi


def gram(psi: np.ndarray, n_jobs: int) -> np.ndarray:
    """Lower triangle of ΨΨᵀ (n, n), in Fortran's order."""
    n, n_columns = psi.shape

    def of_columns(lane):
        lower = np.zeros((n, n), order="F")
        add_columns_gram(lower, psi.T[lane], transposed=True)
        return lower

    signal, *others = together([partial(of_columns, lane) for lane in _lanes(n, n_columns)], n_jobs)
    for other in others:
        signal += other
    return signal


def gram_pullback(features: FeatureMap, rows: Rows, psi, inverse_kernel, alpha, n_jobs: int, scratch: Scratch):
    """Sums of `FeatureMap.pullback`, and derivatives by log V: ½ diag(Ψᵀ M Ψ), for one target.

    `inverse_kernel`: lower triangle of K⁻¹; alpha (n,).
    """
    product = scratch.array("product", psi.shape, psi.dtype)  # K⁻¹ Ψ
    moment = alpha @ psi
    log_variance_bar = np.empty(len(moment))

    def multiply(lane):
        columns_times_symmetric(psi.T[lane], inverse_kernel, product.T[lane])
        squares = np.einsum("ij,ij->j", psi[:, lane], product[:, lane])
        log_variance_bar[lane] = 0.5 * (squares - moment[lane] ** 2)

    together([partial(multiply, lane) for lane in _lanes(*psi.shape)], n_jobs)
    ones = np.ones(len(psi))

    def pull(lane):
        return features.pullback(rows.x[lane], psi[lane], product[lane], alpha[lane], moment, ones[lane])

    first, *others = together([partial(pull, lane) for lane in _lanes(len(psi), len(psi))], n_jobs)
    for sums in others:
        for mine, other in zip(first, sums, strict=True):
            mine += other
    return first, log_variance_bar
