"""What `gm` and `mm` share: amplitudes, length-scales and centres of components, and where they begin.

In: a `Shape`, a `Summary` or `Waves`. Out: parameters, starts, derivatives. Knows no profile.
"""

import numpy as np

from alakarte.kernels.base import amplitude, input_scale_pullback, lengthscale
from alakarte.parameters import FREQUENCY, Parameter
from alakarte.records import Shape, Spectrum, Summary, Values, Waves

# Standardised units. As free coordinates the centres fit noise within a few steps, wherever rows are few; the logarithm
# of the paper's own tools would forbid μ < 0, which directions need. [E22]
SLOW = 1e-3
NEAR_ZERO = 1e-2  # of 1/ℓ
FAINT = 0.1  # amplitude of components that are left over beside waves
SHIFTS = (0.0, 0.7, -0.7, 1.4)  # of log ℓ, where a kernel of one component is cut into several


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


def mixture_from_waves(waves: Waves, start: Values) -> Values:
    """Bands of waves as they are, then a long and a short component without a centre; random ones of the rest."""
    q = len(start["log_amplitude"])
    n_smooth = min(len(waves.smooth_variance), q - 1)
    n_bands = min(len(waves.variance), q - n_smooth)
    variance = np.concatenate([waves.variance[:n_bands], waves.smooth_variance[:n_smooth]])
    lengthscale = np.concatenate([waves.lengthscale[:n_bands], waves.smooth_lengthscale[:n_smooth]])
    centre = np.concatenate([waves.centre[:n_bands], np.zeros((n_smooth, waves.centre.shape[1]))])
    n = len(variance)
    return start | {
        "log_amplitude": np.concatenate([0.5 * np.log(variance), start["log_amplitude"][n:] + np.log(FAINT)]),
        "log_lengthscale": np.concatenate([np.log(lengthscale), start["log_lengthscale"][n:]]),
        "centre": np.concatenate([centre, start["centre"][n:]]),
    }


def mixture_pullback(values: Values, bar: Spectrum) -> Values:
    """Derivatives by log v_q, log ℓ_q and μ_q from those by the spectrum."""
    return {
        "log_amplitude": bar.log_amplitude,
        "log_lengthscale": input_scale_pullback(values, bar),
        "centre": bar.centre,
    }
