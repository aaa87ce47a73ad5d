"""What a kernel is: parameters → Spectrum, and derivatives back. Kernels never see data.

In: named parameters (standardised units) and frozen draws. Out: a `Spectrum`; its pullback returns derivatives by name.
A new kernel is one new file with one class; `registry.py` and the tests find it by its `name`.
"""

import importlib
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from alakarte.kernels.forms import ClosedForm as ClosedForm
from alakarte.kernels.forms import RadialForm as RadialForm
from alakarte.parameters import AMPLITUDE, LENGTHSCALE, Parameter
from alakarte.records import Array, Draws, Named, Shape, Spectrum, Summary, Values, Waves


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
    follows_waves: ClassVar[bool] = False  # it may begin from waves that rows show
    periods: Any = None  # of its first components, if the user gave them
    covariance: str = "diagonal"  # of a component's frequencies; "full" mixes inputs

    def __init__(self, *, fixed: Named | None = None, bounds: Named | None = None):
        self.fixed = fixed
        self.bounds = bounds

    def __add__(self, other: Any) -> "Kernel":
        """The sum of two kernels, a `kernels.Sum`; that file is read here, because a sum is itself a kernel."""
        if not isinstance(other, Kernel):
            return NotImplemented
        total: Kernel = importlib.import_module("alakarte.kernels.sum").Sum([*self.terms, *other.terms])
        return total

    @property
    def terms(self) -> tuple["Kernel", ...]:
        """The kernels that it is the sum of: itself, unless it is a `Sum`."""
        return (self,)

    @abstractmethod
    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """Names, shapes, units and bounds, noise aside."""

    @abstractmethod
    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """One start; `fraction` in (0, 1) says where it stands among the restarts. std(y) is 1 here."""

    def nested(self, simpler: Values, start: Values) -> list[Values]:
        """Starts from what a simpler kernel has learned (amplitude, length-scales) and a random start; else none."""
        return []

    def from_waves(self, waves: Waves, start: Values) -> Values:
        """A start from the waves that rows show, and a random start, where `follows_waves`."""
        return start

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


GAUSSIAN = ClosedForm(0)
