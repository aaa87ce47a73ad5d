"""`ard`: k(τ) = v² exp(−½ Σ_j τ_j²/ℓ_j²), one length-scale an input. Paper, section 5.1."""

import numpy as np

from alakarte.kernels.base import GAUSSIAN, Kernel, amplitude, input_scale, input_scale_pullback, lengthscale
from alakarte.records import Spectrum


class ARD(Kernel):
    """Gaussian kernel with one length-scale for each input.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import ARD
    >>> model = GPRegressor(ARD(fixed={"amplitude": 1.0}), expansion="exact")
    """

    name = "ard"
    has_components = False

    def parameters(self, shape):
        """log_amplitude (1,), log_lengthscale (d,)."""
        return amplitude(1), lengthscale(shape.n_inputs)

    def start(self, shape, summary, draws, rng, fraction):
        """Random multiples of the ranges of the inputs."""
        return {"log_amplitude": np.zeros(1), "log_lengthscale": np.log(summary.lengthscales(rng))}

    def spectrum(self, values, draws):
        """χ radii on scaled inputs: the frequencies are exactly normal [E3, E4]."""
        return Spectrum(values["log_amplitude"], input_scale(values), draws.chi)

    def pullback(self, values, draws, bar):
        """By log v and log ℓ."""
        return {"log_amplitude": bar.log_amplitude, "log_lengthscale": input_scale_pullback(values, bar)}

    def closed_form(self, values):
        """Gaussian."""
        return GAUSSIAN
