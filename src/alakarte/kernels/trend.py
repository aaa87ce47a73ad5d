"""`trend`: a line through the rows, slightly bent: a Gaussian kernel whose length-scale is far beyond them.

Alone it is of little use. In a sum it goes on where kernels that are stationary over the rows turn back to the mean.
"""

from dataclasses import replace

import numpy as np

from alakarte.kernels.base import GAUSSIAN, ClosedForm, Kernel, RadialForm, amplitude
from alakarte.parameters import Parameter
from alakarte.records import Draws, Shape, Spectrum, Summary, Values

FAR = 30.0  # standard deviations of the inputs: over a range of √12 the line bends by a thirtieth of its rise


class Trend(Kernel):
    """A trend that goes on beyond the rows, with its doubt: a nearly straight line, to be added to other kernels.

    Nothing of it is learned: a slope is expected of one standard deviation of y per standard deviation of an input. An
    amplitude that is learned says that there is no slope, or that it is sure, wherever a few nats say so.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import GaussianMixture, Matern, Trend
    >>> model = GPRegressor(Trend() + Matern(0.5))
    >>> model = GPRegressor(Trend() + GaussianMixture(periods=[12]))
    """

    name = "trend"
    has_components = False
    has_closed_form = True
    learns_frequencies = False

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (1,), which is not learned."""
        return (replace(amplitude(1), fixed=np.full(1, np.log(FAR))),)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """What it always is: a slope of one."""
        return {"log_amplitude": np.full(1, np.log(FAR))}

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """One scale for all inputs, χ radii."""
        return Spectrum(values["log_amplitude"], np.full((1, draws.shape.n_inputs), 1 / FAR), draws.chi)

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """The derivative by log v."""
        return {"log_amplitude": bar.log_amplitude}

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """The Gaussian kernel."""
        return GAUSSIAN
