"""`fsard`: the radii S of the Fastfood expansion are learned with the length-scales. Paper, section 4.5."""

import numpy as np

from alakarte.kernels.base import Kernel, amplitude, input_scale, input_scale_pullback, lengthscale
from alakarte.parameters import FREQUENCY, Parameter
from alakarte.records import Spectrum


class FSARD(Kernel):
    """Learned radii: any radial spectrum, on scaled inputs.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> model = GPRegressor("fsard", n_components=2, n_frequencies=32)
    """

    name = "fsard"
    has_components = False

    def parameters(self, shape):
        """log_amplitude (1,), log_lengthscale (d,), radii (F,)."""
        return amplitude(1), lengthscale(shape.n_inputs), Parameter("radii", (shape.n_frequencies,), "1", *FREQUENCY)

    def start(self, shape, summary, draws, rng, fraction):
        """As ard: r = c χ."""
        lengthscales = np.log(summary.lengthscales(rng))
        return {"log_amplitude": np.zeros(1), "log_lengthscale": lengthscales, "radii": draws.lengths * draws.chi}

    def spectrum(self, values, draws):
        """S = r / c: the length that the data see is r [E3]."""
        return Spectrum(values["log_amplitude"], input_scale(values), values["radii"] / draws.lengths)

    def pullback(self, values, draws, bar):
        """By log v, log ℓ and r."""
        return {
            "log_amplitude": bar.log_amplitude,
            "log_lengthscale": input_scale_pullback(values, bar),
            "radii": bar.radii / draws.lengths,
        }

    def closed_form(self, values):
        """Only the expansion."""
        return None
