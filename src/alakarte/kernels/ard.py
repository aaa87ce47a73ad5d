"""`ard`: k(τ) = v² exp(−½ Σ_j τ_j²/ℓ_j²), one length-scale per input. Paper, section 5.1."""

import numpy as np

from alakarte.kernels.base import (
    GAUSSIAN,
    ClosedForm,
    Kernel,
    RadialForm,
    amplitude,
    input_scale,
    input_scale_pullback,
    lengthscale,
)
from alakarte.parameters import Parameter
from alakarte.records import Draws, Shape, Spectrum, Summary, Values


class ARD(Kernel):
    """Gaussian kernel with one length-scale per input.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import ARD
    >>> model = GPRegressor(ARD(fixed={"amplitude": 1.0}), expansion="exact")
    """

    name = "ard"
    has_components = False
    has_closed_form = True
    learns_frequencies = False
    nests = "rbf"

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (1,), log_lengthscale (d,)."""
        return amplitude(1), lengthscale(shape.n_inputs)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """Random multiples of the ranges of the inputs."""
        return {"log_amplitude": np.zeros(1), "log_lengthscale": np.log(summary.lengthscales(rng))}

    def nested(self, simpler: Values, start: Values) -> list[Values]:
        """The one length-scale of `rbf` for all inputs."""
        lengthscale = np.broadcast_to(simpler["log_lengthscale"], start["log_lengthscale"].shape)
        return [start | simpler | {"log_lengthscale": lengthscale}]

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """χ radii on scaled inputs: the frequencies are exactly normal [E3, E4]."""
        return Spectrum(values["log_amplitude"], input_scale(values), draws.chi)

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v and log ℓ."""
        return {"log_amplitude": bar.log_amplitude, "log_lengthscale": input_scale_pullback(values, bar)}

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """The Gaussian kernel."""
        return GAUSSIAN
