"""What is fitted to which rows: a problem, and the process that it is at one vector of parameters.

In: a kernel, a likelihood, draws and rows; then a flat vector. Out: `Problem`; `Process`, the same at one vector.
Three forms give the same number: weight space (D×D, two passes over blocks), row space (n×n), and the closed form of
a kernel that needs no expansion (n×n too).
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.data.rows import Rows
from alakarte.errors import Unavailable
from alakarte.features.draws import draw
from alakarte.features.feature_map import FeatureMap, feature_map
from alakarte.kernels.base import ClosedForm, Kernel
from alakarte.likelihoods.base import Likelihood
from alakarte.parameters import Layout
from alakarte.process.form import Form, evidence_form, kept_form
from alakarte.process.weight_space import noise_floor
from alakarte.records import UNUSED, Array, Draws, Shape, Spectrum, Values


@dataclass(frozen=True)
class Problem:
    """What is fitted to which rows, and how."""

    kernel: Kernel
    likelihood: Likelihood
    layout: Layout
    draws: Draws
    rows: Rows
    form: Form | None = None  # None: an expansion, in the form that is cheaper
    transform: str = "auto"  # of the projection: "fast", "matrix" or by cost
    precision: str = "double"  # "mixed": features and products of weight space in float32
    n_jobs: int = 1

    @property
    def is_closed(self) -> bool:
        """Whether it does without an expansion."""
        return self.form is Form.CLOSED

    @property
    def n_basis(self) -> int:
        """D, the columns of the expansion."""
        return self.draws.shape.n_frequencies * self.kernel.columns_per_frequency

    def form_for(self, n_rows: int) -> Form:
        """The form that the evidence of so many rows is computed in."""
        return self.form if self.form is not None else evidence_form(n_rows, self.n_basis)

    def kept_form(self, n_rows: int) -> Form:
        """The form that a posterior on so many rows is kept in."""
        return Form.CLOSED if self.is_closed else kept_form(n_rows, self.n_basis)

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
        old = self.draws.shape
        draws = draw(Shape(old.n_inputs, (n_frequencies,) * old.n_components), self.draws.expansion, rng)
        return replace(self, draws=draws, form=None if self.is_closed else self.form)


@dataclass(frozen=True)
class Process:
    """A problem at one theta: everything before the first pass over the rows."""

    problem: Problem
    values: Values
    spectrum: Spectrum
    form: Form
    expansion: FeatureMap | None  # None for a closed form
    noise_variance: float  # s
    floored: bool  # s is the least that rounding allows, not what theta says

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


def process_at(problem: Problem, theta: Array) -> Process:
    """Spectrum, feature map and noise at theta."""
    values = problem.layout.unpack(np.asarray(theta, dtype=float))
    spectrum = problem.kernel.spectrum(values, problem.draws)
    form, n_rows = problem.form_for(problem.rows.n_rows), problem.rows.n_rows
    features, size = None, n_rows
    if form is not Form.CLOSED:
        features = feature_map(spectrum, problem.draws, problem.transform)
        size = min(n_rows, features.n_basis)
        if form is Form.WEIGHTS and problem.precision == "mixed":
            features = features.astype(np.float32)
    wanted = problem.likelihood.noise_variance(values)
    floor = noise_floor(size, problem.rows.total, spectrum.log_amplitude)
    return Process(problem, values, spectrum, form, features, max(wanted, floor), wanted < floor)


def require_closed_form(kernel: Kernel) -> None:
    """An error that says so, where a kernel has none."""
    if not kernel.has_closed_form:
        raise Unavailable(
            f"kernel {kernel.name!r} has no closed form: expansion='exact' works for rbf, ard, matern, gm, mm; "
            "use expansion='fastfood'."
        )


def closed_form(kernel: Kernel, values: Values) -> ClosedForm:
    """The kernel's closed form."""
    require_closed_form(kernel)
    form = kernel.closed_form(values)
    assert isinstance(form, ClosedForm), f"kernel {kernel.name!r} declares a closed form that it does not give"
    return form
