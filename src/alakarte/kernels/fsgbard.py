"""`fsgbard`: S, G and B of the Fastfood expansion are all learned. Paper, section 4.5.

√p‖G‖ and c_j stay those of the draws, so that S, G and B are independent parameters.
"""

import numpy as np

from alakarte.errors import Unavailable
from alakarte.kernels.base import Kernel, amplitude, input_scale, input_scale_pullback, lengthscale
from alakarte.parameters import FREQUENCY, Parameter
from alakarte.records import Spectrum


class FSGBARD(Kernel):
    """Learned radii, Gaussians and signs: wider than radial, on scaled inputs; Fastfood only.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> model = GPRegressor("fsgbard", n_components=2, n_frequencies=32)
    """

    name = "fsgbard"
    has_components = False

    def parameters(self, shape):
        """As fsard, with gaussians (T, p) and the signs that meet data, (T, d)."""
        t, p = shape.n_stacks, shape.n_padded
        return (
            amplitude(1),
            lengthscale(shape.n_inputs),
            Parameter("radii", (shape.n_frequencies,), "1", *FREQUENCY),
            Parameter("gaussians", (t, p), "1", *FREQUENCY),
            Parameter("signs", (t, shape.n_inputs), "1", *FREQUENCY),
        )

    def start(self, shape, summary, draws, rng, fraction):
        """As fsard, with the draws' G and B."""
        if draws.stacks is None:
            raise Unavailable("fsgbard learns Fastfood's own matrices: use expansion='fastfood'.")
        return {
            "log_amplitude": np.zeros(1),
            "log_lengthscale": np.log(summary.lengthscales(rng)),
            "radii": draws.lengths * draws.chi,
            "gaussians": draws.stacks.gaussians,
            "signs": draws.stacks.signs[:, : shape.n_inputs],
        }

    def spectrum(self, values, draws):
        """The parameters in place of the draws; padded inputs are zero, so their signs do not matter."""
        signs = draws.stacks.signs.copy()
        signs[:, : values["signs"].shape[1]] = values["signs"]
        return Spectrum(
            values["log_amplitude"],
            input_scale(values),
            values["radii"] / draws.lengths,
            signs=signs,
            gaussians=values["gaussians"],
        )

    def pullback(self, values, draws, bar):
        """By all five."""
        return {
            "log_amplitude": bar.log_amplitude,
            "log_lengthscale": input_scale_pullback(values, bar),
            "radii": bar.radii / draws.lengths,
            "gaussians": bar.gaussians,
            "signs": bar.signs[:, : values["signs"].shape[1]],
        }

    def closed_form(self, values):
        """Only the expansion."""
        return None
