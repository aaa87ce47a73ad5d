"""What is fitted to which rows: a problem, and the process that it is at one vector of parameters.

In: a kernel, a likelihood, draws and rows; then a flat vector. Out: `Problem`; `Process`, the same at one vector.
Three forms give the same number: weight space (D×D, two passes over blocks), row space (n×n), and the closed form of
a kernel that needs no expansion (n×n too).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from alakarte.data.rows import Rows
from alakarte.errors import Unavailable
from alakarte.features.draws import draw
from alakarte.features.feature_map import FeatureMap, feature_map
from alakarte.kernels.base import ClosedForm, Kernel
from alakarte.likelihoods.base import Likelihood, Noise
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.parameters import Layout
from alakarte.process.computation import Computation, evidence_computation, kept_computation
from alakarte.process.weight_space import noise_floor
from alakarte.records import UNUSED, Array, Draws, Spectrum, Values


@dataclass(frozen=True)
class Problem:
    """What is fitted to which rows, and how."""

    kernel: Kernel
    likelihood: Likelihood
    layout: Layout
    draws: Draws
    rows: Rows
    computation: Computation | None = None  # None: an expansion, in the space that is smaller
    transform: str = "auto"  # of the projection: "fast", "matrix" or by cost
    precision: str = "double"  # "mixed": features and products of weight space in float32
    n_jobs: int = field(default=1, compare=False)  # changes no bit

    @property
    def noise(self) -> Noise:
        """The likelihood, where that is normal noise."""
        assert isinstance(self.likelihood, Noise), "the exact evidence is that of normal noise"
        return self.likelihood

    @property
    def row_likelihood(self) -> RowLikelihood:
        """The likelihood, where that is another."""
        assert isinstance(self.likelihood, RowLikelihood), "normal noise needs no approximation"
        return self.likelihood

    @property
    def is_closed(self) -> bool:
        """Whether it does without an expansion."""
        return self.computation is Computation.CLOSED

    @property
    def n_basis(self) -> int:
        """D, the columns of the expansion."""
        return self.draws.shape.n_columns(self.kernel.columns_per_frequency)

    def computation_for(self, n_rows: int) -> Computation:
        """How the evidence of so many rows is computed."""
        return self.computation if self.computation is not None else evidence_computation(n_rows, self.n_basis)

    def kept_computation(self, n_rows: int) -> Computation:
        """How a posterior on so many rows is kept."""
        return Computation.CLOSED if self.is_closed else kept_computation(n_rows, self.n_basis)

    def on(self, rows: Rows) -> "Problem":
        """The same problem on other rows."""
        return replace(self, rows=rows)

    def without_rows(self) -> "Problem":
        """What is left of it in a fitted model."""
        return replace(self, rows=UNUSED)

    def with_jobs(self, n_jobs: int) -> "Problem":
        """The same problem on another number of threads."""
        return replace(self, n_jobs=n_jobs)

    def with_fresh_frequencies(self, n_frequencies: int, rng: np.random.Generator) -> "Problem":
        """An expansion with so many newly drawn frequencies of each component."""
        return self._fresh((n_frequencies,) * self.draws.shape.n_components, rng)

    def with_columns(self, columns: int, rng: np.random.Generator) -> "Problem":
        """An expansion with about so many columns, evenly over the parts of a sum and the components of each."""
        counts, terms = [], self.kernel.terms
        for term, part in zip(terms, self.draws.shape.part_shapes, strict=True):
            of_component = columns // (len(terms) * term.columns_per_frequency * part.n_components)
            counts += [max(1, of_component)] * part.n_components
        return self._fresh(counts, rng)

    def _fresh(self, counts: Sequence[int], rng: np.random.Generator) -> "Problem":
        draws = draw(self.draws.shape.with_counts(counts), self.draws.expansion, rng)
        return replace(self, draws=draws, computation=None if self.is_closed else self.computation)


@dataclass(frozen=True)
class LatentFunction:
    """The prior of the latent function at one theta: everything before the first pass over the rows."""

    problem: Problem
    values: Values
    spectrum: Spectrum
    computation: Computation
    expansion: FeatureMap | None  # None for a closed form

    @property
    def features(self) -> FeatureMap:
        """The feature map of an expansion."""
        assert self.expansion is not None, "a closed form has no features"
        return self.expansion

    @property
    def closed_form(self) -> ClosedForm:
        """The kernel's closed form."""
        return closed_form(self.problem.kernel, self.values)

    @property
    def weight_variance(self) -> Array:
        """V (D,)."""
        return self.spectrum.weight_variance(self.problem.draws.shape)

    @property
    def n_basis(self) -> int:
        """Columns, or rows of a closed form."""
        return self.problem.rows.n_rows if self.expansion is None else self.expansion.n_basis


@dataclass(frozen=True)
class Process(LatentFunction):
    """The latent function with its normal noise."""

    noise_variance: float  # s
    floored: bool  # s is the least that rounding allows, not what theta says


def latent_function_at(problem: Problem, theta: Array) -> LatentFunction:
    """Spectrum and feature map at theta."""
    values = problem.layout.unpack(np.asarray(theta, dtype=float))
    spectrum = problem.kernel.spectrum(values, problem.draws)
    computation = problem.computation_for(problem.rows.n_rows)
    features = None
    if computation is not Computation.CLOSED:
        features = feature_map(spectrum, problem.draws, problem.transform)
        if computation is Computation.WEIGHTS and problem.precision == "mixed":
            features = features.astype(np.float32)
    return LatentFunction(problem, values, spectrum, computation, features)


def process_at(problem: Problem, theta: Array) -> Process:
    """Spectrum, feature map and noise at theta."""
    f, n_rows = latent_function_at(problem, theta), problem.rows.n_rows
    size = n_rows if f.expansion is None else min(n_rows, f.expansion.n_basis)
    wanted = problem.noise.noise_variance(f.values)
    floor = noise_floor(size, problem.rows.total, f.spectrum.log_amplitude)
    noise_variance = max(wanted, floor)
    return Process(problem, f.values, f.spectrum, f.computation, f.expansion, noise_variance, wanted < floor)


def require_closed_form(kernel: Kernel, expansion: str = "exact") -> None:
    """An error that says so, where a kernel has none."""
    if not kernel.has_closed_form:
        raise Unavailable(
            f"kernel {kernel.name!r} has no closed form: expansion={expansion!r} works for rbf, ard, matern, gm, mm "
            "and their sums; use expansion='fastfood'."
        )
    if expansion == "local" and any(term.covariance == "full" for term in kernel.terms):
        raise Unavailable("expansion='local' has no covariance='full': use 'diagonal', or expansion='fastfood'.")


def closed_form(kernel: Kernel, values: Values) -> ClosedForm:
    """The kernel's closed form."""
    require_closed_form(kernel)
    closed = kernel.closed_form(values)
    assert isinstance(closed, ClosedForm), f"kernel {kernel.name!r} declares a closed form that it does not give"
    return closed
