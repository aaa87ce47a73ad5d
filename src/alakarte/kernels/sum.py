"""`Sum`: several kernels added, k = Σ_i k_i, on one flat axis of frequencies: weighted kitchen sinks (Lu et al., 2014).

Components lie side by side, those of the first part first; so do amplitudes, which weigh the parts. Other parameters
carry the name of their part: `ard_lengthscale`, or `ard1_lengthscale` where a kernel is there more than once. A part
without centres beside one with centres has zeros for them, and keeps its two columns per frequency.
"""

from collections.abc import Sequence

import numpy as np

import alakarte.kernels.joining as joining
from alakarte.errors import Unavailable
from alakarte.kernels.base import ClosedForm, Kernel, RadialForm
from alakarte.parameters import Parameter
from alakarte.records import Draws, Shape, Spectrum, Summary, Values


class Sum(Kernel):
    """Sum of kernels, each with settings of its own: ``kernels[0] + kernels[1] + …``.

    Parameters
    ----------
    kernels : list of kernel objects
        rbf, ard, matern, gm, mm, pwl and trend, two or more. Each is learned apart, then their weights together, then
        all.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import ARD, GaussianMixture
    >>> model = GPRegressor(ARD() + GaussianMixture())
    """

    has_components = False  # it cannot choose their number: its parts do
    learns_frequencies = False

    def __init__(self, kernels: Sequence[Kernel]):
        super().__init__()
        self.kernels = kernels
        if len(kernels) < 2 or any(not isinstance(k, Kernel) or k.learns_frequencies for k in kernels):
            raise Unavailable(f"Sum({kernels!r}): give two or more of rbf, ard, matern, gm, mm, pwl and trend.")
        if any(term.covariance == "full" for term in self.terms):
            raise Unavailable("a kernel with covariance='full' cannot be added to others: use 'diagonal' in a sum.")

    @property
    def terms(self) -> tuple[Kernel, ...]:
        """The kernels that are added; sums among them are taken apart."""
        return tuple(term for kernel in self.kernels for term in kernel.terms)

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of all parts."""
        return " + ".join(term.name for term in self.terms)

    @property
    def has_closed_form(self) -> bool:  # type: ignore[override]
        """Whether all parts have one."""
        return all(term.has_closed_form for term in self.terms)

    @property
    def columns_per_frequency(self) -> int:  # type: ignore[override]
        """The most of any part; `Shape.columns` knows which parts have fewer."""
        return max(term.columns_per_frequency for term in self.terms)

    @property
    def labels(self) -> list[str]:
        """Name of each part, numbered where a kernel is there more than once."""
        names = [term.name for term in self.terms]
        return [name + str(names[: i + 1].count(name)) * (names.count(name) > 1) for i, name in enumerate(names)]

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (Q,), and the others of each part under its name."""
        return self.joined([term.parameters(part) for term, part in zip(self.terms, shape.part_shapes, strict=True)])

    def joined(self, parts: Sequence[Sequence[Parameter]]) -> tuple[Parameter, ...]:
        """Parameters of the sum from those of its parts, which may be fixed or bounded."""
        return joining.join_parameters(self.labels, parts)

    def join(self, parts: Sequence[Values]) -> Values:
        """Values of the sum from those of its parts: the inverse of `split`."""
        return joining.join_values(self.labels, parts)

    def split(self, values: Values, shape: Shape, *, bare: bool = False) -> list[Values]:
        """Values of each part from those of the sum; `bare`: by the user's names."""
        pairs = zip(self.terms, shape.part_shapes, strict=True)
        names = [[p.bare_name if bare else p.name for p in term.parameters(part)] for term, part in pairs]
        return joining.split_values(self.labels, values, shape, names)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """Starts of the parts, of equal variance."""
        triples = zip(self.terms, shape.part_shapes, draws.parts, strict=True)
        values = self.join([term.start(part, summary, mine, rng, fraction) for term, part, mine in triples])
        return values | {"log_amplitude": values["log_amplitude"] - 0.5 * np.log(len(self.terms))}

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """The spectra of the parts, side by side."""
        triples = zip(self.terms, self.split(values, draws.shape), draws.parts, strict=True)
        return joining.join_spectra([term.spectrum(part, mine) for term, part, mine in triples])

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives of each part by its own parameters."""
        parts, bars = self.split(values, draws.shape), joining.split_spectrum(bar, draws.shape)
        each = zip(self.terms, parts, draws.parts, bars, strict=True)
        return self.join([term.pullback(part, mine, part_bar) for term, part, mine, part_bar in each])

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """A profile for each component, where all parts have one."""
        return joining.join_forms(self.labels, self.terms, values) if self.has_closed_form else None
