"""`gm`: a mixture of Gaussians as the spectrum. Paper, section 4.3.

k(τ) = Σ_q v_q² exp(−½‖a_q∘τ‖²) cos μ_qᵀτ        no prefactor [E7]
"""

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
from alakarte.parameters import FREQUENCY, Parameter
from alakarte.records import Draws, Shape, Spectrum, Summary, Values

# Standardised units. As free coordinates the centres fit noise within a few steps, wherever rows are few; the logarithm
# of the paper's own tools would forbid μ < 0, which directions need. [E22]
SLOW = 1e-3
NEAR_ZERO = 1e-2  # of 1/ℓ
SHIFTS = (0.0, 0.7, -0.7, 1.4)  # of log ℓ, where a kernel of one component is cut into several


class GaussianMixture(Kernel):
    """Spectral mixture: each component has an amplitude, length-scales and a centre.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> model = GPRegressor("gm", n_components=3)
    """

    name = "gm"
    has_components = True
    has_closed_form = True
    learns_frequencies = False
    nests = "ard"
    columns_per_frequency = 4

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (Q,), log_lengthscale (Q, d), centre (Q, d)."""
        return mixture_parameters(shape)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """v = std(y)/√Q [E8]; μ close to zero, which itself is a stationary point of the evidence."""
        return mixture_start(shape, summary, rng)

    def nested(self, simpler: Values, start: Values) -> list[Values]:
        """The simpler kernel in parts of several lengths, alone and beside random components."""
        return mixture_nested(simpler, start)

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """ω = a∘z ± μ."""
        return Spectrum(values["log_amplitude"], input_scale(values), draws.chi, centre=values["centre"])

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v, log ℓ and μ."""
        return mixture_pullback(values, bar)

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """Gaussian, times the cosine that `centre` brings."""
        return GAUSSIAN


def mixture_parameters(shape: Shape) -> tuple[Parameter, ...]:
    """Declarations of log v_q (Q,), log ℓ_q (Q, d) and μ_q (Q, d).

    One μ for all columns of a category would change nothing, because its one-hot columns always sum to one: it is zero.
    """
    q, d = shape.n_components, shape.n_inputs
    centre = Parameter("centre", (q, d), "1/x", *FREQUENCY, slow=SLOW, category="zero")
    return amplitude(q), lengthscale(q, d), centre


def mixture_start(shape: Shape, summary: Summary, rng: np.random.Generator) -> Values:
    """Length-scales of ard for each component, centres close to zero."""
    q = shape.n_components
    lengthscales = np.array([summary.lengthscales(rng) for _ in range(q)])
    return {
        "log_amplitude": np.full(q, -0.5 * np.log(q)),
        "log_lengthscale": np.log(lengthscales),
        "centre": NEAR_ZERO / lengthscales * rng.standard_normal(lengthscales.shape),
    }


def mixture_nested(simpler: Values, start: Values) -> list[Values]:
    """A kernel of one component cut into Q of several lengths; the same in half of the components of a start."""
    q = len(start["log_amplitude"])
    shifts = np.resize(SHIFTS, q)
    parts = {
        "log_amplitude": np.full(q, simpler["log_amplitude"][0] - 0.5 * np.log(q)),
        "log_lengthscale": simpler["log_lengthscale"] + shifts[:, None],
    }
    whole = start | parts
    half = {name: np.concatenate([part[: q // 2], start[name][q // 2 :]]) for name, part in parts.items()}
    return [whole, start | half] if q > 1 else [whole]


def mixture_pullback(values: Values, bar: Spectrum) -> Values:
    """Derivatives by log v_q, log ℓ_q and μ_q from those by the spectrum."""
    return {
        "log_amplitude": bar.log_amplitude,
        "log_lengthscale": input_scale_pullback(values, bar),
        "centre": bar.centre,
    }
