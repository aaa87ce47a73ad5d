"""`ssgpr`: all frequencies are free (sparse spectrum GP regression). Paper, section 5.1."""

import numpy as np

from alakarte.kernels.base import ClosedForm, Kernel, RadialForm, amplitude
from alakarte.parameters import FREQUENCY, Parameter
from alakarte.records import Draws, Shape, Spectrum, Summary, Values, Waves


class SSGPR(Kernel):
    """Every frequency is a parameter: the most flexible, and the most prone to over-fit.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> model = GPRegressor("ssgpr", n_components=1, n_frequencies=50)
    """

    name = "ssgpr"
    has_components = False
    has_closed_form = False
    learns_frequencies = True
    follows_waves = True

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (1,), frequencies (F, d)."""
        size = shape.n_frequencies, shape.n_inputs
        return amplitude(1), Parameter("frequencies", size, "1/x", *FREQUENCY, shared=True)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """Standard normal numbers divided by the length-scales with which ard starts."""
        normal = rng.standard_normal((shape.n_frequencies, shape.n_inputs))
        return {"log_amplitude": np.zeros(1), "frequencies": normal / summary.lengthscales(rng)}

    def from_waves(self, waves: Waves, start: Values) -> Values:
        """The lines as they are, as many as there is room for; slow random frequencies beside them."""
        frequencies = start["frequencies"].copy()
        lines = waves.lines[: len(frequencies)]
        frequencies[: len(lines)] = lines
        return start | {"frequencies": frequencies}

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """Free frequencies, as columns."""
        return Spectrum(values["log_amplitude"], frequencies=values["frequencies"].T)

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v and ω."""
        return {"log_amplitude": bar.log_amplitude, "frequencies": bar.frequencies.T}

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """None: this kernel is known by its expansion only."""
        return None
