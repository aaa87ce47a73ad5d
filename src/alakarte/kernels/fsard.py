"""`fsard`: the radii S of the Fastfood expansion are learned with the length-scales. Paper, section 4.5."""

import numpy as np

from alakarte.kernels.base import (
    ClosedForm,
    Kernel,
    RadialForm,
    amplitude,
    input_scale,
    input_scale_pullback,
    lengthscale,
)
from alakarte.parameters import FREQUENCY, Parameter
from alakarte.records import Draws, Shape, Spectrum, Summary, Values


class FSARD(Kernel):
    """Learned radii: any radial spectrum, on scaled inputs.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> model = GPRegressor("fsard", n_components=2, n_frequencies=32)
    """

    name = "fsard"
    has_components = False
    has_closed_form = False
    learns_frequencies = True

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (1,), log_lengthscale (d,), radii (F,)."""
        return amplitude(1), lengthscale(shape.n_inputs), Parameter("radii", (shape.n_frequencies,), "1", *FREQUENCY)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """As ard, with radii r = c χ."""
        lengthscales = np.log(summary.lengthscales(rng))
        return {"log_amplitude": np.zeros(1), "log_lengthscale": lengthscales, "radii": draws.lengths * draws.chi}

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """S = r / c: the length that the data see is r [E3]."""
        return Spectrum(values["log_amplitude"], input_scale(values), values["radii"] / draws.lengths)

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v, log ℓ and r."""
        return {
            "log_amplitude": bar.log_amplitude,
            "log_lengthscale": input_scale_pullback(values, bar),
            "radii": bar.radii / draws.lengths,
        }

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """None: this kernel is known by its expansion only."""
        return None
