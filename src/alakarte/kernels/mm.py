"""`mm`: a mixture of Matérn kernels, each around a centre frequency: `gm` for functions that are not smooth.

k(τ) = Σ_q v_q² g_ν(‖a_q∘τ‖) cos μ_qᵀτ        beyond the paper; as ν grows it becomes gm
"""

from typing import Any

import numpy as np

from alakarte.kernels.base import ClosedForm, Kernel, RadialForm, input_scale
from alakarte.kernels.matern import check_smoothness, matern_form, matern_radii
from alakarte.kernels.mixture import (
    mixture_from_waves,
    mixture_nested,
    mixture_parameters,
    mixture_pullback,
    mixture_start,
)
from alakarte.parameters import Parameter
from alakarte.records import Draws, Named, Shape, Spectrum, Summary, Values, Waves


class MaternMixture(Kernel):
    """Spectral mixture with heavy tails: smoothness `nu` of 0.5, 1.5 or 2.5 for all components.

    `periods`, `fixed` and `bounds` are those of `GaussianMixture`.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import MaternMixture
    >>> model = GPRegressor(MaternMixture(nu=2.5), n_components=3)
    """

    name = "mm"
    has_components = True
    has_closed_form = True
    learns_frequencies = False
    nests = "matern"
    columns_per_frequency = 4
    follows_waves = True

    def __init__(
        self, nu: float = 1.5, periods: Any = None, *, fixed: Named | None = None, bounds: Named | None = None
    ):
        super().__init__(fixed=fixed, bounds=bounds)
        self.nu = nu
        self.periods = periods

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (Q,), log_lengthscale (Q, d), centre (Q, d)."""
        check_smoothness(self.nu)
        return mixture_parameters(shape)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """Length-scales of ard for each component, centres close to zero, as gm."""
        return mixture_start(shape, summary, rng)

    def nested(self, simpler: Values, start: Values) -> list[Values]:
        """The simpler kernel in parts of several lengths, alone and beside random components."""
        return mixture_nested(simpler, start)

    def from_waves(self, waves: Waves, start: Values) -> Values:
        """A component for each band of waves, the others for what is smooth."""
        return mixture_from_waves(waves, start)

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """ω = a∘z ± μ, z multivariate t."""
        radii = matern_radii(draws, self.nu)
        return Spectrum(values["log_amplitude"], input_scale(values), radii, centre=values["centre"])

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v, log ℓ and μ."""
        return mixture_pullback(values, bar)

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """Matérn, times the cosine that `centre` brings."""
        return matern_form(self.nu)
