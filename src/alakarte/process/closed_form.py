"""Kernels in closed form, n×n: K = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ. The paper's baselines for small data.

In: a `Spectrum` (its radii are not read) and a `ClosedForm`. Out: K, and the spectrum's derivative. Symmetric work is
done once: panels of rows against the rows from there on, which also bound the memory; threads share the panels.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from alakarte.compiled.closed import kernel_rows, kernel_rows_pullback
from alakarte.execution.threads import results_in_order
from alakarte.kernels.base import ClosedForm
from alakarte.linalg.factorise import mirror
from alakarte.records import Array, Spectrum

Panel: TypeAlias = tuple[int, int]  # first row, and the one after the last

PANEL_ENTRIES = 30_000
THREADED_ROWS = 300  # below, a thread costs more than it saves


def closed_kernel(spectrum: Spectrum, closed: ClosedForm, x: Array, other: Array) -> Array:
    """k(x, other) (n, n')."""
    return kernel_rows(x, other, closed.dof, _variance(spectrum), spectrum.input_scale, spectrum.centre)


def _variance(spectrum: Spectrum) -> Array:
    """(Q,) v²."""
    return np.exp(2 * spectrum.log_amplitude)


def closed_gram(spectrum: Spectrum, closed: ClosedForm, x: Array, n_jobs: int = 1, out: Array | None = None) -> Array:
    """Lower triangle of k(x, x) (n, n), in Fortran's order; in the memory of `out` (n, n), where that is given."""
    K = np.empty((len(x), len(x))) if out is None else out

    def write(panel: Panel) -> None:
        start, stop = panel
        K[start:stop, start:] = closed_kernel(spectrum, closed, x[start:stop], x[start:])

    for _ in _over_panels(write, len(x), n_jobs):
        pass
    np.einsum("ii->i", K)[...] = _variance(spectrum).sum()
    return K.T


def closed_gram_full(spectrum: Spectrum, closed: ClosedForm, x: Array) -> Array:
    """k(x, x) (n, n)."""
    K = closed_gram(spectrum, closed, x)
    mirror(K)
    return K


def closed_gram_pullback(
    spectrum: Spectrum, closed: ClosedForm, x: Array, twice_kernel_bar: Callable[[int, int], Array], n_jobs: int = 1
) -> Spectrum:
    """Derivatives by the spectrum; `twice_kernel_bar(start, stop)`: rows start:stop, columns start: of 2 K_bar.

    K_bar is symmetric: twice its upper triangle, and the diagonal once, stand for all of it.
    """
    d, variance = spectrum.input_scale.shape[1], _variance(spectrum)

    def pull_back(panel: Panel) -> Array:
        start, stop = panel
        bar = twice_kernel_bar(start, stop)
        corner = bar[:, : stop - start]
        diagonal = np.einsum("ii->i", corner) / 2
        corner[...] = np.triu(corner, 1)
        np.einsum("ii->i", corner)[...] = diagonal
        rows, others = x[start:stop], x[start:]
        return kernel_rows_pullback(rows, others, closed.dof, variance, spectrum.input_scale, spectrum.centre, bar)

    total: Any = sum(_over_panels(pull_back, len(x), n_jobs))
    centre_bar = None if spectrum.centre is None else total[:, 1 + d :]
    return Spectrum(total[:, 0], total[:, 1 : 1 + d], centre=centre_bar)


def _over_panels(function: Callable[[Panel], Any], n: int, n_jobs: int) -> Iterator[Any]:
    """Results of function(panel) in the order of the panels, whatever thread made them."""
    tasks = [partial(function, panel) for panel in _panels(n)]
    return results_in_order(tasks, n_jobs if n >= THREADED_ROWS else 1)


def _panels(n: int) -> Iterator[Panel]:
    """Row ranges whose panels, from the diagonal on, have about the same number of entries."""
    start = 0
    while start < n:
        stop = min(n, start + max(16, PANEL_ENTRIES // (n - start)))
        yield start, stop
        start = stop
