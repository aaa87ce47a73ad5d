"""Exact kernels: the closed form in n×n, and its derivatives without an n×n×d array. The paper's small-data baselines.

    K = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ,   cos(ζ_i − ζ_j) from cosines and sines of ζ = μᵀx

In: a `Spectrum` (its radii are not read) and a `ClosedForm`. Out: K, and the spectrum's derivative.
"""

import numpy as np
from scipy.spatial.distance import cdist

from alakarte.kernels.base import ClosedForm
from alakarte.records import Spectrum


def closed_kernel(spectrum: Spectrum, form: ClosedForm, x, other=None) -> np.ndarray:
    """k(x, other) (n, n'), or k(x, x) with an exact diagonal."""
    total = 0.0
    for q in range(spectrum.log_amplitude.size):
        total = total + _component(spectrum, form, q, x, other)[0]
    return total


def closed_kernel_pullback(spectrum: Spectrum, form: ClosedForm, x, kernel_bar) -> Spectrum:
    """Derivatives by the spectrum from a symmetric K_bar (n, n)."""
    n_components = spectrum.log_amplitude.size
    log_amplitude_bar = np.empty(n_components)
    input_scale_bar = np.empty_like(spectrum.input_scale)
    centre_bar = None if spectrum.centre is None else np.empty_like(spectrum.centre)
    for q in range(n_components):
        kernel, slope, odd = _component(spectrum, form, q, x, None)
        log_amplitude_bar[q] = 2 * np.vdot(kernel_bar, kernel)
        slope *= kernel_bar
        # Σ_ij G_ij (x_ik − x_jk)² = 2 (Σ_i x_ik² Σ_j G_ij − x_kᵀ G x_k)
        spread = slope.sum(axis=1) @ x**2 - np.einsum("ik,ik->k", x, slope @ x)
        input_scale_bar[q] = 4 * spectrum.input_scale[q] * spread
        if centre_bar is not None:
            centre_bar[q] = -2 * (kernel_bar * odd).sum(axis=1) @ x
    return Spectrum(log_amplitude_bar, input_scale_bar, centre=centre_bar)


def _component(spectrum, form, q, x, other):
    """v² g cos, v² g' cos and v² g sin of one component; the slope is zero where two rows coincide."""
    # by differences: ‖z‖² + ‖z'‖² − 2 zᵀz' loses half the digits of r where rows (nearly) coincide
    z = x * spectrum.input_scale[q]
    r2 = cdist(z, z if other is None else other * spectrum.input_scale[q], "sqeuclidean")
    variance = np.exp(2 * spectrum.log_amplitude[q])
    value, slope = form.profile(r2)
    value *= variance
    slope *= variance
    slope[r2 == 0] = 0.0
    if spectrum.centre is None:
        return value, slope, None
    zeta = x @ spectrum.centre[q]
    eta = zeta if other is None else other @ spectrum.centre[q]
    cosine = np.outer(np.cos(zeta), np.cos(eta)) + np.outer(np.sin(zeta), np.sin(eta))
    sine = np.outer(np.sin(zeta), np.cos(eta)) - np.outer(np.cos(zeta), np.sin(eta))
    odd = value * sine
    value *= cosine
    slope *= cosine
    return value, slope, odd
