"""Generated rows, and what is timed on them: the only file of this room that imports the library's internal modules.

In: sizes. Out: an `Objective` (value and gradient of the evidence at a start), projections, sines and cosines.
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.compiled.waves import sincos
from alakarte.data.arrays import ArrayRows
from alakarte.data.standardise import standardise
from alakarte.data.summary import summarise
from alakarte.execution.randomness import Streams
from alakarte.execution.scratch import aligned
from alakarte.execution.threads import one_blas_thread
from alakarte.features.draws import draw
from alakarte.features.fastfood import fast_transform
from alakarte.features.feature_map import feature_map
from alakarte.kernels.registry import resolve
from alakarte.likelihoods import Gaussian
from alakarte.process.objective import nlml_gradient
from alakarte.process.problem import Problem
from alakarte.records import Shape
from alakarte.search.plan import Plan
from alakarte.search.set_up import set_up
from alakarte.search.settings import Settings
from alakarte.search.starts import make_starts

__all__ = ["Objective", "Projections", "objective", "one_blas_thread", "projections", "sincos", "table"]


@dataclass(frozen=True)
class Objective:
    """The evidence as a function, at one theta. A call gives (value, gradient)."""

    problem: Problem
    theta: np.ndarray

    def __call__(self) -> tuple[float, np.ndarray]:
        with one_blas_thread():
            return nlml_gradient(self.problem, self.theta)

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Parameters by name."""
        return self.problem.layout.unpack(self.theta)

    def directions(self) -> np.ndarray:
        """(d, F) frequencies of unit length-scales."""
        values = self.values
        unit = {**values, "log_lengthscale": np.zeros_like(values["log_lengthscale"])}
        spectrum = self.problem.kernel.spectrum(unit, self.problem.draws)
        return feature_map(spectrum, self.problem.draws, "matrix").projection.frequencies


@dataclass(frozen=True)
class Projections:
    """The same phases x W by the fast transform and by a matrix product, and room for the results of both."""

    transform: object
    product: object
    x: np.ndarray  # (rows, d)
    by_transform: np.ndarray  # (rows, F)
    by_product: np.ndarray  # (rows, F)

    def fast(self) -> None:
        """Phases by the fast transform."""
        self.transform.phases(self.x, self.by_transform)

    def dense(self) -> None:
        """Phases by the matrix product."""
        self.product.phases(self.x, self.by_product)


def table(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """X (n, d) and y (n,) with noise of 0.1, always the same."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n)


def objective(kernel: str, n: int, d: int, Q: int, m: int, precision: str = "double") -> Objective:
    """Value and gradient on n generated rows at a start, on two threads."""
    X, y = table(n, d)
    y, weight, streams, likelihood = y[:, None], np.ones(n), Streams(0), Gaussian()
    scaling = standardise(X, weight, *likelihood.scaling(y, weight))
    rows = ArrayRows(scaling.inputs(X), scaling.target(y), weight)
    settings = Settings(
        kernel=resolve(kernel),
        likelihood=likelihood,
        n_components=Q,
        n_frequencies=m,
        expansion="fastfood",
        n_restarts=1,
        max_iter=1,
        max_iter_restart=1,
        tol=0.1,
        n_jobs=2,
        precision=precision,
    )
    plan = Plan(settings, settings.kernel, Q, m, n, d)
    problem = replace(set_up(plan, rows, scaling, streams("draws")), precision=plan.precision)
    [start] = make_starts(problem, summarise(rows.x, weight, streams("summary")), 1, streams)
    return Objective(problem, start.theta)


def projections(d: int, dtype, n_rows: int = 2048, n_frequencies: int = 8192) -> Projections:
    """Frequencies of `ard` at unit length-scales, both ways."""
    draws = draw(Shape(d, (n_frequencies,)), "fastfood", np.random.default_rng(0))
    spectrum = resolve("ard").spectrum({"log_amplitude": np.zeros(1), "log_lengthscale": np.zeros(d)}, draws)
    transform = fast_transform(spectrum, draws).astype(dtype)
    product = feature_map(spectrum, draws, "matrix").projection.astype(dtype)
    x = np.random.default_rng(1).standard_normal((n_rows, d)).astype(dtype)
    rooms = [aligned((n_rows, n_frequencies), dtype) for _ in range(2)]
    return Projections(transform, product, x, *rooms)
