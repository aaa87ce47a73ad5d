"""Exact kernels: the closed form in n×n, and its derivatives without an n×n×d array. The paper's small-data baselines.

    K = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ,   cos(ζ_i − ζ_j) from cosines and sines of ζ = μᵀx

In: a `Spectrum` (its radii are not read) and a `ClosedForm`. Out: K, and the spectrum's derivative.
Symmetric work is done once: panels of rows against the rows from there on, small enough for the cache.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from alakarte.kernels.base import ClosedForm
from alakarte.linalg.factorise import mirror
from alakarte.records import Array, Spectrum

Panel: TypeAlias = tuple[int, int]  # first row, and the one after the last

PANEL_ENTRIES = 100_000
THREADED_ROWS = 300  # below, a thread costs more than it saves


def closed_kernel(spectrum: Spectrum, form: ClosedForm, x: Array, other: Array) -> Array:
    """k(x, other) (n, n')."""
    total: Array = np.zeros(())
    for q in range(spectrum.log_amplitude.size):
        total = total + _component(spectrum, form, q, x, other, slope=False)[0]
    return total


def closed_gram(spectrum: Spectrum, form: ClosedForm, x: Array, n_jobs: int = 1) -> Array:
    """Lower triangle of k(x, x) (n, n), in Fortran's order."""
    K = np.zeros((len(x), len(x)))

    def write(panel: Panel) -> None:
        start, stop = panel
        K[start:stop, start:] = closed_kernel(spectrum, form, x[start:stop], x[start:])

    for _ in _over_panels(write, len(x), n_jobs):
        pass
    K.flat[:: len(x) + 1] = np.exp(2 * spectrum.log_amplitude).sum()
    return K.T


def closed_gram_full(spectrum: Spectrum, form: ClosedForm, x: Array) -> Array:
    """k(x, x) (n, n)."""
    K = closed_gram(spectrum, form, x)
    mirror(K)
    return K


def closed_gram_pullback(
    spectrum: Spectrum, form: ClosedForm, x: Array, kernel_bar: Callable[[int, int], Array], n_jobs: int = 1
) -> Spectrum:
    """Derivatives by the spectrum; `kernel_bar(start, stop)`: rows start:stop, columns start: of a symmetric K_bar."""
    n_components, d = spectrum.input_scale.shape

    def pull_back(panel: Panel) -> Array:
        start, stop = panel
        bar = kernel_bar(start, stop)
        corner, diagonal = bar[:, : stop - start], np.einsum("ii->i", bar[:, : stop - start]).copy()
        corner[...] = np.triu(corner, 1)
        bar *= 2  # stands for both triangles
        np.einsum("ii->i", corner)[...] = diagonal
        rows, others = x[start:stop], x[start:]
        sums = np.zeros((n_components, 1 + 2 * d))  # by log v, a and μ
        for q in range(n_components):
            kernel, slope, odd = _component(spectrum, form, q, rows, others, slope=True)
            sums[q, 0] = 2 * np.vdot(bar, kernel)
            slope *= bar
            # Σ_ij G_ij (x_ik − x_jk)² without an array of differences
            spread = slope.sum(axis=1) @ rows**2 + slope.sum(axis=0) @ others**2
            spread -= 2 * np.einsum("ik,ik->k", rows, slope @ others)
            sums[q, 1 : 1 + d] = 2 * spectrum.input_scale[q] * spread
            if odd is not None:
                odd *= bar
                sums[q, 1 + d :] = odd.sum(axis=0) @ others - odd.sum(axis=1) @ rows
        return sums

    total: Any = sum(_over_panels(pull_back, len(x), n_jobs))
    centre_bar = None if spectrum.centre is None else total[:, 1 + d :]
    return Spectrum(total[:, 0], total[:, 1 : 1 + d], centre=centre_bar)


def _over_panels(function: Callable[[Panel], Any], n: int, n_jobs: int) -> Iterator[Any]:
    """Results of function(panel) in the order of the panels, whatever thread made them."""
    if n_jobs == 1 or n < THREADED_ROWS:
        yield from map(function, _panels(n))
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield from pool.map(function, _panels(n))


def _panels(n: int) -> Iterator[Panel]:
    """Row ranges whose panels, from the diagonal on, have about the same number of entries."""
    start = 0
    while start < n:
        stop = min(n, start + max(16, PANEL_ENTRIES // (n - start)))
        yield start, stop
        start = stop


def _component(
    spectrum: Spectrum, form: ClosedForm, q: int, x: Array, other: Array, *, slope: bool
) -> tuple[Array, Array, Array | None]:
    """v² g cos, v² g' cos and v² g sin of one component; the slope is zero where two rows coincide."""
    # by differences: ‖z‖² + ‖z'‖² − 2 zᵀz' loses half the digits of r where rows (nearly) coincide
    r2 = cdist(x * spectrum.input_scale[q], other * spectrum.input_scale[q], "sqeuclidean")
    variance = np.exp(2 * spectrum.log_amplitude[q])
    value, derivative = form.profile(r2)
    value *= variance
    odd = None
    if slope:
        derivative *= variance
        derivative[r2 == 0] = 0.0
    if spectrum.centre is not None:
        zeta, eta = x @ spectrum.centre[q], other @ spectrum.centre[q]
        cos_zeta, sin_zeta, cos_eta, sin_eta = np.cos(zeta), np.sin(zeta), np.cos(eta), np.sin(eta)
        cosine = np.outer(cos_zeta, cos_eta) + np.outer(sin_zeta, sin_eta)
        if slope:
            odd = value * (np.outer(sin_zeta, cos_eta) - np.outer(cos_zeta, sin_eta))
            derivative *= cosine
        value *= cosine
    return value, derivative, odd
