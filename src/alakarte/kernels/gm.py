"""`gm`: a mixture of Gaussians as the spectrum. Paper, section 4.3.

k(τ) = Σ_q v_q² exp(−½‖a_q∘τ‖²) cos μ_qᵀτ        no prefactor [E7]
"""

import numpy as np

from alakarte.kernels.base import GAUSSIAN, Kernel, amplitude, input_scale, input_scale_pullback, lengthscale
from alakarte.parameters import FREQUENCY, Parameter
from alakarte.records import Spectrum


class GaussianMixture(Kernel):
    """Spectral mixture: each component has an amplitude, length-scales and a centre.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> model = GPRegressor("gm", n_components=3)
    """

    name = "gm"
    has_components = True

    def parameters(self, shape):
        """log_amplitude (Q,), log_lengthscale (Q, d), centre (Q, d)."""
        q, d = shape.n_components, shape.n_inputs
        return amplitude(q), lengthscale(q, d), Parameter("centre", (q, d), "1/x", *FREQUENCY)

    def start(self, shape, summary, draws, rng, fraction):
        """v = std(y)/√Q [E8]; μ ~ N(0, (c a)²), since μ = 0 is a stationary point of the evidence."""
        q = shape.n_components
        lengthscales = np.array([summary.lengthscales(rng) for _ in range(q)])
        spread = rng.uniform(0.1, 0.5, size=(q, 1)) / lengthscales
        return {
            "log_amplitude": np.full(q, -0.5 * np.log(q)),
            "log_lengthscale": np.log(lengthscales),
            "centre": spread * rng.standard_normal(lengthscales.shape),
        }

    def spectrum(self, values, draws):
        """ω = a∘z ± μ."""
        return Spectrum(values["log_amplitude"], input_scale(values), draws.chi, centre=values["centre"])

    def pullback(self, values, draws, bar):
        """By log v, log ℓ and μ."""
        return {
            "log_amplitude": bar.log_amplitude,
            "log_lengthscale": input_scale_pullback(values, bar),
            "centre": bar.centre,
        }

    def closed_form(self, values):
        """Gaussian, times the cosine that `centre` brings."""
        return GAUSSIAN
