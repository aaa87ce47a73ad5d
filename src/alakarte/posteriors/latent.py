"""The posterior of the latent function for likelihoods that are not normal, given the sites that stand for the rows.

In: processes whose sites were found. Out: `LatentPosterior`: q(f) is the posterior of weighted regression on the sites,
so that all posteriors of this room serve. A closed form keeps its rows: others join and leave them, and the sites of
all are found anew. By features the sites of earlier rows stay as they were, and only those of rows that join are found.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Block, Rows
from alakarte.errors import Unavailable
from alakarte.posteriors.average import Average
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.build import build_posterior
from alakarte.posteriors.rows import changed_rows
from alakarte.process.problem import LatentFunction, Problem, Process, latent_function_at
from alakarte.records import Array

JOINING_ROWS = 512  # whose sites are found together, where sums are kept


@dataclass(frozen=True)
class WorkingRegression:
    """What stands for the rows of one kernel: a normal observation of each row for each of T latent functions."""

    curvature: Array  # (n,) λ, shared by the functions
    observation: Array  # (n, T)
    nlml: float  # less the approximate log evidence, or what stands for it
    n_passes: int = 0  # over the rows, where products with Ψ were made block by block or with Ψ in memory


class SiteFinder(ABC):
    """How the sites of rows are found, given a kernel; what a posterior needs when rows join it."""

    @abstractmethod
    def find(self, problem: Problem, theta: Array) -> WorkingRegression:
        """The sites of the rows of a problem."""

    @abstractmethod
    def update(self, before: Posterior, rows: Rows, n_jobs: int) -> WorkingRegression:
        """The sites of further rows, where the function is known as well as `before` knows it."""


@dataclass(frozen=True)
class Member:
    """One kernel: its problem without rows, θ, the numbers that were learned, its weight in an average."""

    problem: Problem
    theta: Array
    n_parameters: int
    weight: float = 1.0


@dataclass(frozen=True)
class LatentPosterior(Posterior):
    """q(f), and how it changes with rows."""

    core: Posterior
    finder: SiteFinder
    members: tuple[Member, ...]  # the best first
    rows: ArrayRows | None  # targets and offsets as they came, kept by closed forms
    total: float
    nlml: float  # of the best
    noise_variance: float = 0.0
    n_passes: int = 0  # over all rows, to the sites of the best
    sharpness: float = 1.0  # c and κ of two classes: probabilities come from N(c f, κ c² q), by rows left out
    doubt: float = 1.0

    @property
    def n_targets(self) -> int:
        """T, the latent functions."""
        return self.core.n_targets

    @property
    def n_basis(self) -> int:
        """Columns of the expansion, or rows of a closed form."""
        return self.core.n_basis

    @property
    def size(self) -> int:
        """Of the system that was solved."""
        return self.core.size

    @property
    def weights(self) -> Array:
        """(K,) of the kernels in an average."""
        return self.core.weights if isinstance(self.core, Average) else np.ones(1)

    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """That of q(f)."""
        return self.core.mean(x, n_jobs)

    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """That of q(f)."""
        return self.core.variance(x, n_jobs)

    def mean_and_variance(self, x: Array, n_jobs: int = 1) -> tuple[Array, Array]:
        """Those of q(f)."""
        return self.core.mean_and_variance(x, n_jobs)

    def by_member(self, x: Array, n_jobs: int = 1) -> list[tuple[float, Array, Array]]:
        """Weight, mean and variance (rows, T) of each kernel: probabilities are averaged, not functions."""
        if not isinstance(self.core, Average):
            return [(1.0, *self.core.mean_and_variance(x, n_jobs))]
        parts = [member.mean_and_variance(x, n_jobs) for member in self.core.members]
        return [(float(weight), *part) for weight, part in zip(self.core.weights, parts, strict=True)]

    def log_odds(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Mean and variance that probabilities of two classes average over, from those of f."""
        return self.sharpness * mean, self.doubt * self.sharpness**2 * variance

    def covariance(self, x: Array) -> Array:
        """That of q(f)."""
        return self.core.covariance(x)

    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """From q(f)."""
        return self.core.sample(x, n_samples, rng)

    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """Not known: rows are sites here, and those of other rows would change."""
        raise Unavailable("leave_one_out: rows leave normal noise alone exactly; fit again without them.")

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> "LatentPosterior":
        """All sites anew in closed form; by features those of the further rows."""
        if self.rows is not None:
            kept = changed_rows(self.rows, rows, sign)
            problems = [member.problem.on(kept).with_jobs(n_jobs) for member in self.members]
            found = [
                self.finder.find(problem, member.theta) for problem, member in zip(problems, self.members, strict=True)
            ]
            posterior = latent_posterior(self.finder, self.members, kept, found, n_jobs)
            return replace(posterior, sharpness=self.sharpness, doubt=self.doubt)
        if sign < 0:
            raise Unavailable(
                "forget: this posterior keeps sums of its rows, not what each of them contributed; it can forget rows "
                "where the kernel is in closed form (some 4,000 rows). Call fit again on the rows that remain."
            )
        core, nlml = self.core, self.nlml
        for start in range(0, rows.n_rows, JOINING_ROWS):
            some = rows.take(np.arange(start, min(start + JOINING_ROWS, rows.n_rows)))
            working = self.finder.update(core, some, n_jobs)
            core = core.changed(some.with_targets(working.observation, working.curvature), 1, n_jobs)
            nlml += working.nlml
        return replace(self, core=core, total=self.total + rows.total, nlml=nlml)


def working_process(function: LatentFunction, rows: Rows, working: WorkingRegression) -> Process:
    """The process of weighted regression with unit noise on the sites of rows."""
    problem = function.problem.on(rows.with_targets(working.observation, working.curvature))
    parts = function.values, function.spectrum, function.computation, function.expansion
    return Process(problem, *parts, noise_variance=1.0, floored=False)


def latent_posterior(
    finder: SiteFinder, members: tuple[Member, ...], rows: Rows, found: list[WorkingRegression], n_jobs: int
) -> LatentPosterior:
    """The posterior of one kernel, or the average of several in closed form, on rows whose sites were found."""
    cores = []
    for member, working in zip(members, found, strict=True):
        problem = member.problem.on(rows).with_jobs(n_jobs)
        process = working_process(latent_function_at(problem, member.theta), rows, working)
        cores.append(build_posterior(process, working.nlml))
    kept = None
    if members[0].problem.is_closed:
        block = rows.whole()
        kept = ArrayRows(block.x, block.y, block.weight)
    core = cores[0] if len(cores) == 1 else _average(members, cores, rows.total, found[0].nlml)
    without = tuple(replace(member, problem=member.problem.without_rows()) for member in members)
    return LatentPosterior(core, finder, without, kept, rows.total, found[0].nlml, n_passes=found[0].n_passes)


def _average(members: tuple[Member, ...], cores: list[Posterior], total: float, nlml: float) -> Average:
    """The average of closed forms, with the weights of the fit: those that predicted rows left out best."""
    weights = np.array([member.weight for member in members])
    n_parameters = tuple(member.n_parameters for member in members)
    return Average(tuple(cores), n_parameters, weights / weights.sum(), total, 0.0, nlml)  # type: ignore[arg-type]
