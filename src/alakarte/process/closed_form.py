"""Kernels in closed form, n×n: K = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ. The paper's baselines for small data.

In: a `Spectrum` (its radii are not read) and a `ClosedForm`. Out: K, and the spectrum's derivative. Symmetric work is
done once: each row against the rows from there on; threads take runs of rows, the same for any number of threads.
"""

from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.compiled.layout import prepare
from alakarte.execution.threads import run_together
from alakarte.kernels.base import ClosedForm
from alakarte.linalg.factorise import mirror
from alakarte.records import Array, Spectrum

Part: TypeAlias = tuple[int, int]  # first row, and the one after the last

THREADED_ROWS = 300  # below, a thread costs more than it saves
PARTS = 8


def closed_kernel(spectrum: Spectrum, closed: ClosedForm, x: Array, other: Array) -> Array:
    """k(x, other) (n, n')."""
    return loops.closed.kernel_rows(x, other, closed.dof, _variance(spectrum), spectrum.input_scale, spectrum.centre)


def _variance(spectrum: Spectrum) -> Array:
    """(Q,) v²."""
    return np.exp(2 * spectrum.log_amplitude)


def closed_gram(
    spectrum: Spectrum, closed: ClosedForm, x: Array, weight: Array, n_jobs: int = 1, out: Array | None = None
) -> Array:
    """Lower triangle of W^½ k(x, x) W^½ (n, n), in Fortran's order; in the memory of `out`, where that is given."""
    n, variance = len(x), _variance(spectrum)
    K = np.empty((n, n)) if out is None else out
    fill = partial(
        loops.closed.gram_rows, prepare(x, spectrum.centre), np.sqrt(weight), closed.dof, variance, spectrum.input_scale
    )
    run_together([partial(fill, part, K) for part in _parts(n)], n_jobs)
    np.einsum("ii->i", K)[...] = variance.sum() * weight  # to the last bit
    return K.T


def closed_gram_full(spectrum: Spectrum, closed: ClosedForm, x: Array) -> Array:
    """k(x, x) (n, n)."""
    K = closed_gram(spectrum, closed, x, np.ones(len(x)))
    mirror(K)
    return K


def closed_gram_pullback(
    spectrum: Spectrum,
    closed: ClosedForm,
    rows: tuple[Array, Array],
    inverse_kernel: Array,
    alpha: Array,
    n_jobs: int = 1,
) -> Spectrum:
    """Derivatives by the spectrum, rows x (n, d) and their weights (n,), from 2 K_bar = W^½ (T K⁻¹ − ααᵀ) W^½.

    K⁻¹ (n, n) by its lower triangle in Fortran's order, α (n, T).
    """
    (x, weight), d = rows, spectrum.input_scale.shape[1]
    table, components = prepare(x, spectrum.centre), (_variance(spectrum), spectrum.input_scale)
    pull_back = partial(loops.closed.gram_rows_pullback, table, np.sqrt(weight), closed.dof, *components)
    targets = np.ascontiguousarray(alpha.T)
    tasks = [partial(pull_back, part, inverse_kernel.T, targets) for part in _parts(len(x))]
    total: Any = sum(run_together(tasks, n_jobs))
    centre_bar = None if spectrum.centre is None else total[:, 1 + d :]
    return Spectrum(total[:, 0], total[:, 1 : 1 + d], centre=centre_bar)


def _parts(n: int) -> list[Part]:
    """Runs of rows with about the same number of pairs each: one for few rows."""
    if n < THREADED_ROWS:
        return [(0, n)]
    edges = n - n * np.sqrt(1 - np.arange(PARTS + 1) / PARTS)  # (n − i)² pairs are left from row i on
    whole = np.rint(edges).astype(int).tolist()
    return list(pairwise(whole))
