"""`matern12`, `matern32`, `matern52`: rougher than `ard`; the frequencies are multivariate t, 2ν degrees of freedom."""

from functools import lru_cache

import numpy as np
from scipy.special import gammaincinv

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
from alakarte.parameters import Parameter
from alakarte.records import Array, Draws, Named, Shape, Spectrum, Summary, Values


class Matern(Kernel):
    """Matérn kernel with one length-scale per input and smoothness `nu` of 0.5, 1.5 or 2.5.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import Matern
    >>> model = GPRegressor(Matern(nu=2.5), expansion="exact")
    """

    name = "matern"
    has_components = False
    has_closed_form = True
    learns_frequencies = False
    nests = "ard"

    def __init__(self, nu: float = 1.5, *, fixed: Named | None = None, bounds: Named | None = None):
        super().__init__(fixed=fixed, bounds=bounds)
        self.nu = nu

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (1,), log_lengthscale (d,)."""
        check_smoothness(self.nu)
        return amplitude(1), lengthscale(shape.n_inputs)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """Random multiples of the ranges of the inputs, as ard."""
        return {"log_amplitude": np.zeros(1), "log_lengthscale": np.log(summary.lengthscales(rng))}

    def nested(self, simpler: Values, start: Values) -> list[Values]:
        """Where `ard` ended."""
        return [start | simpler]

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """Radii χ √(2ν/g), g ~ χ² with 2ν degrees of freedom."""
        return Spectrum(values["log_amplitude"], input_scale(values), matern_radii(draws, self.nu))

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v and log ℓ."""
        return {"log_amplitude": bar.log_amplitude, "log_lengthscale": input_scale_pullback(values, bar)}

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """Polynomial × exp(−√(2ν) r)."""
        return matern_form(self.nu)


def check_smoothness(nu: float) -> None:
    """Raise an error unless the kernel with this smoothness is a polynomial times an exponential."""
    if nu not in (0.5, 1.5, 2.5):
        raise InvalidInput(f"nu={nu!r} must be 0.5, 1.5 or 2.5; ard, or gm, is the limit of large nu.")


@lru_cache(maxsize=4)
def matern_radii(draws: Draws, nu: float) -> Array:
    """(F,) radii χ √(2ν/g), g ~ χ² with 2ν degrees of freedom; every evaluation asks for those of the same draws."""
    radii: Array = draws.chi * np.sqrt(2 * nu / (2 * gammaincinv(nu, draws.quantiles)))
    return radii


def matern_form(nu: float) -> ClosedForm:
    """The Matérn kernel of r = ‖a∘τ‖."""
    return ClosedForm(round(2 * nu))
