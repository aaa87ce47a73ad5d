"""`fsgbard`: S, G and B of the Fastfood expansion are all learned. Paper, section 4.5.

√p‖G‖ and c_j stay those of the draws, so that S, G and B are independent parameters.
"""

import numpy as np

from alakarte.errors import Unavailable
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
from alakarte.records import Draws, Shape, Spectrum, Stacks, Summary, Values


class FSGBARD(Kernel):
    """Learned radii, Gaussians and signs: wider than radial, on scaled inputs; Fastfood only.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> model = GPRegressor("fsgbard", n_components=2, n_frequencies=32)
    """

    name = "fsgbard"
    has_components = False
    has_closed_form = False
    learns_frequencies = True
    needs_stacks = True

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """As fsard, with gaussians (stacks, p) and the signs that meet data, (stacks, d)."""
        t, p = shape.n_stacks, shape.n_padded
        return (
            amplitude(1),
            lengthscale(shape.n_inputs),
            Parameter("radii", (shape.n_frequencies,), "1", *FREQUENCY),
            Parameter("gaussians", (t, p), "1", *FREQUENCY),
            Parameter("signs", (t, shape.n_inputs), "1", *FREQUENCY),
        )

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """As fsard, with the draws' G and B."""
        stacks = _stacks(draws)
        return {
            "log_amplitude": np.zeros(1),
            "log_lengthscale": np.log(summary.lengthscales(rng)),
            "radii": draws.lengths * draws.chi,
            "gaussians": stacks.gaussians,
            "signs": stacks.signs[:, : shape.n_inputs],
        }

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """The parameters in place of the draws; padded inputs are zero, so their signs do not matter."""
        signs = _stacks(draws).signs.copy()
        signs[:, : values["signs"].shape[1]] = values["signs"]
        return Spectrum(
            values["log_amplitude"],
            input_scale(values),
            values["radii"] / draws.lengths,
            signs=signs,
            gaussians=values["gaussians"],
        )

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v, log ℓ, r, G and B."""
        return {
            "log_amplitude": bar.log_amplitude,
            "log_lengthscale": input_scale_pullback(values, bar),
            "radii": bar.radii / draws.lengths,
            "gaussians": bar.gaussians,
            "signs": bar.signs[:, : values["signs"].shape[1]],
        }

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """None: this kernel is known by its expansion only."""
        return None


def _stacks(draws: Draws) -> Stacks:
    """Fastfood's matrices, or an error where the draws are independent Gaussian rows."""
    if draws.stacks is None:
        raise Unavailable("fsgbard learns Fastfood's own matrices: use expansion='fastfood'.")
    return draws.stacks
