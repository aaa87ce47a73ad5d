"""`rbf`: k(τ) = v² exp(−‖τ‖²/2ℓ²), one length-scale in standard deviations of the inputs. Paper, section 5.1."""

import numpy as np

from alakarte.kernels.base import GAUSSIAN, ClosedForm, Kernel, RadialForm, amplitude
from alakarte.parameters import LENGTHSCALE, Parameter
from alakarte.records import Draws, Shape, Spectrum, Summary, Values


class RBF(Kernel):
    """Gaussian kernel with one length-scale, counted in standard deviations of each input.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import RBF
    >>> model = GPRegressor(RBF(bounds={"lengthscale": (0.1, 10)}))
    """

    name = "rbf"
    has_components = False
    has_closed_form = True
    learns_frequencies = False

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (1,), log_lengthscale ()."""
        return amplitude(1), Parameter("log_lengthscale", (), "sd", *LENGTHSCALE)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """ℓ at a quantile of the distances of pairs: .1 .3 .5 .7 .9 for five restarts [E19]."""
        return {"log_amplitude": np.zeros(1), "log_lengthscale": np.log(summary.distance(fraction))}

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """The same scale for every input, χ radii."""
        scale = np.full((1, draws.shape.n_inputs), np.exp(-values["log_lengthscale"]))
        return Spectrum(values["log_amplitude"], scale, draws.chi)

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v and log ℓ: a sum over inputs, for all share ℓ."""
        a = np.exp(-values["log_lengthscale"])
        return {"log_amplitude": bar.log_amplitude, "log_lengthscale": -a * bar.input_scale.sum()}

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """The Gaussian kernel."""
        return GAUSSIAN
