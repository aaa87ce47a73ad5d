"""What a kernel is: parameters → Spectrum, and derivatives back. Kernels never see data.

In: named parameters (standardised units) and frozen draws. Out: a `Spectrum`; its pullback returns derivatives by name.
A new kernel is one new file with one class; `registry.py` and the tests find it by its `name`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from alakarte.parameters import AMPLITUDE, LENGTHSCALE, Parameter
from alakarte.records import Array, Draws, Named, Shape, Spectrum, Summary, Values


@dataclass(frozen=True)
class ClosedForm:
    """k(τ) = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ, and the density of z, where ω = a_q∘z ± μ_q."""

    dof: int  # 2ν of a Matérn profile g, whose frequencies are t with so many degrees of freedom; 0: Gaussian
    log_density: Callable[[Array, int], Array]  # ‖z‖², d -> log density of z


@dataclass(frozen=True)
class RadialForm:
    """A spectrum known by the density of its radius ‖z‖, one for each component."""

    density: Callable[[Array], Array]  # (radii,) -> (Q, radii)


class Kernel(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all kernels.

    Parameters
    ----------
    fixed : dict, optional
        Parameters that are not learned, by name, in the user's units: ``{"lengthscale": 2.0}``.
    bounds : dict, optional
        ``(lower, upper)`` by name, in the user's units.
    """

    name: ClassVar[str]
    has_components: ClassVar[bool]  # Q components of m frequencies, or one of Q·m
    has_closed_form: ClassVar[bool]  # k(x, x') without an expansion
    learns_frequencies: ClassVar[bool]  # parameters are frequencies: their number is that of the expansion
    nests: ClassVar[str | None] = None  # name of a simpler kernel that is a good start
    columns_per_frequency: ClassVar[int] = 2  # cosine and sine, or four products around a centre
    needs_stacks: ClassVar[bool] = False  # Fastfood's matrices are parameters

    def __init__(self, *, fixed: Named | None = None, bounds: Named | None = None):
        self.fixed = fixed
        self.bounds = bounds

    @abstractmethod
    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """Names, shapes, units and bounds, noise aside."""

    @abstractmethod
    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """One start; `fraction` in (0, 1) says where it stands among the restarts. std(y) is 1 here."""

    def nested(self, simpler: Values, start: Values) -> list[Values]:
        """Starts from what a simpler kernel has learned (amplitude, length-scales) and a random start; else none."""
        return []

    @abstractmethod
    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """Frequencies from parameters."""

    @abstractmethod
    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives of nlml by parameter from those by spectrum."""

    @abstractmethod
    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """The kernel without an expansion, where it has one."""


def amplitude(n: int) -> Parameter:
    """log v_q, a standard deviation in units of y."""
    return Parameter("log_amplitude", (n,), "y", *AMPLITUDE)


def lengthscale(*shape: int) -> Parameter:
    """log ℓ, last axis: inputs; the columns of a category share one."""
    return Parameter("log_lengthscale", shape, "x", *LENGTHSCALE, category="tied")


def input_scale(values: Values) -> Array:
    """(Q, d) a = 1/ℓ."""
    return np.exp(-np.atleast_2d(values["log_lengthscale"]))


def input_scale_pullback(values: Values, bar: Spectrum) -> Array:
    """Derivative by log ℓ, in its shape: −a ∘ a_bar."""
    return (-input_scale(values) * bar.input_scale).reshape(values["log_lengthscale"].shape)


def gaussian_log_density(z2: Array, d: int) -> Array:
    """Standard normal in R^d."""
    log_density: Array = -0.5 * (z2 + d * np.log(2 * np.pi))
    return log_density


GAUSSIAN = ClosedForm(0, gaussian_log_density)
