"""`pwl`: a piecewise-linear density of the frequencies' radius, on scaled inputs. Paper, section 4.4.

One hat per component, as in the paper's experiments, or K knots with learned places and weights. [E9]–[E13]
"""

import numpy as np

from alakarte.errors import InvalidInput
from alakarte.kernels.base import (
    ClosedForm,
    Kernel,
    RadialForm,
    amplitude,
    input_scale,
    input_scale_pullback,
    lengthscale,
)
from alakarte.kernels.radial import hat_density, hat_quantile, knot_density, knot_radii, knot_radii_pullback
from alakarte.parameters import Parameter
from alakarte.records import Draws, Named, Shape, Spectrum, Summary, Values

_RADIUS = (np.log(1e-4), np.log(1e3))


class PiecewiseLinear(Kernel):
    """Radial spectra: each component has an amplitude, length-scales and the density of its radius.

    Parameters
    ----------
    n_knots : int, default=1
        1: one hat with a learned edge and width. More: that many learned knots, starting at the origin.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import PiecewiseLinear
    >>> model = GPRegressor(PiecewiseLinear(n_knots=5), n_components=2)
    """

    name = "pwl"
    has_components = True
    has_closed_form = False
    learns_frequencies = False

    def __init__(self, n_knots: int = 1, *, fixed: Named | None = None, bounds: Named | None = None):
        super().__init__(fixed=fixed, bounds=bounds)
        self.n_knots = n_knots

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (Q,), log_lengthscale (Q, d), and hat_edge, log_hat_width (Q,) or knots."""
        if isinstance(self.n_knots, bool) or not isinstance(self.n_knots, int | np.integer) or self.n_knots < 1:
            raise InvalidInput(f"PiecewiseLinear(n_knots={self.n_knots!r}): n_knots must be a whole number ≥ 1.")
        q, k = shape.n_components, self.n_knots
        if k == 1:
            radial = (Parameter("hat_edge", (q,), "1", 0.0, 1e3), Parameter("log_hat_width", (q,), "1", *_RADIUS))
        else:
            weights = Parameter("log_knot_weights", (q, k), "1", np.log(1e-4), np.log(1e4))
            radial = (Parameter("log_knot_gaps", (q, k + 1), "1", *_RADIUS), weights)
        return amplitude(q), lengthscale(q, shape.n_inputs), *radial

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """λ: a distance of pairs after scaling; width 2/λ, edge max(√(d−1) − 2, 0.01)/λ [E13]; v = std(y)/√Q [E8]."""
        q = shape.n_components
        lengthscales = np.array([summary.lengthscales(rng) for _ in range(q)])
        distance = np.array([summary.distance(rng.uniform(0.2, 0.8), scale) for scale in lengthscales])
        width, edge = 2 / distance, max(np.sqrt(shape.n_inputs - 1) - 2, 0.01) / distance
        values = {"log_amplitude": np.full(q, -0.5 * np.log(q)), "log_lengthscale": np.log(lengthscales)}
        if self.n_knots == 1:
            return values | {"hat_edge": edge, "log_hat_width": np.log(width)}
        gaps = np.repeat((edge + 2 * width)[:, None] / (self.n_knots + 1), self.n_knots + 1, axis=1)
        hats = hat_density(np.cumsum(gaps, axis=1)[:, :-1], edge[:, None], width[:, None]) * width[:, None]
        return values | {"log_knot_gaps": np.log(gaps), "log_knot_weights": np.log(hats + 0.05)}

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """Radii at stratified points of the density, divided by c [E3]."""
        component = draws.shape.component
        if self.n_knots == 1:
            width = np.exp(values["log_hat_width"])[component]
            radii = values["hat_edge"][component] + width * hat_quantile(draws.points)
        else:
            parts = zip(np.exp(values["log_knot_gaps"]), np.exp(values["log_knot_weights"]), strict=True)
            radii = np.concatenate([knot_radii(draws.points[component == q], *part) for q, part in enumerate(parts)])
        return Spectrum(values["log_amplitude"], input_scale(values), radii / draws.lengths)

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v, log ℓ and the density of the radius."""
        out = {"log_amplitude": bar.log_amplitude, "log_lengthscale": input_scale_pullback(values, bar)}
        r_bar, component = bar.radii / draws.lengths, draws.shape.component
        q = draws.shape.n_components
        if self.n_knots == 1:
            parts = r_bar, r_bar * hat_quantile(draws.points)
            edge_bar, width_bar = (np.asarray(np.bincount(component, part, q), dtype=np.float64) for part in parts)
            return out | {"hat_edge": edge_bar, "log_hat_width": width_bar * np.exp(values["log_hat_width"])}
        gaps, weights = np.exp(values["log_knot_gaps"]), np.exp(values["log_knot_weights"])
        bars = [
            knot_radii_pullback(draws.points[component == i], gaps[i], weights[i], r_bar[component == i])
            for i in range(q)
        ]
        gaps_bar, weights_bar = (np.array(part) for part in zip(*bars, strict=True))
        return out | {"log_knot_gaps": gaps_bar * gaps, "log_knot_weights": weights_bar * weights}

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """The density of the radius; the kernel itself is an integral of it."""
        if self.n_knots == 1:
            parts = list(zip(values["hat_edge"], np.exp(values["log_hat_width"]), strict=True))
            return RadialForm(lambda r: np.array([hat_density(r, *part) for part in parts]))
        parts = list(zip(np.exp(values["log_knot_gaps"]), np.exp(values["log_knot_weights"]), strict=True))
        return RadialForm(lambda r: np.array([knot_density(r, *part) for part in parts]))
