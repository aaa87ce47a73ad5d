"""A kernel under a likelihood that is not normal: its common amplitude, then all its parameters, on few rows and more.

In: a candidate of the regression, or a fixed one, and the rows with their targets. Out: `Latent`, which knows how well
its rows are predicted by each other. Kernels are learned in closed form where they have one, whatever the posterior
keeps: the rows of these stages are fewer than the columns of an expansion would be.
"""

from dataclasses import dataclass, replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.errors import NUMERICAL_ERRORS
from alakarte.execution.budget import Budget
from alakarte.execution.checkpoint import Checkpoint
from alakarte.execution.digest import digest
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.parameters import AMPLITUDE, Layout, Parameter, constrained
from alakarte.process.computation import Computation
from alakarte.process.latent_objective import LatentEvidence, latent_evidence
from alakarte.process.left_out import left_out_log_density
from alakarte.process.prior import prior
from alakarte.process.problem import Problem
from alakarte.process.sites import Sites
from alakarte.records import Array, Values
from alakarte.search.candidates import Candidate
from alakarte.search.context import Search
from alakarte.search.coordinates import coordinates
from alakarte.search.cost import closed_flops, evaluation_flops
from alakarte.search.optimise import Limits, Run, Task, minimise
from alakarte.search.run_stage import expected_spread


@dataclass(frozen=True)
class Latent:
    """A kernel under the likelihood: its problem on the rows of the last stage, and where that ended."""

    candidate: Candidate
    problem: Problem
    run: Run
    total: float  # N of all rows, which the last word on its parameters is left to
    found: LatentEvidence | None = None  # of these rows; None before the first stage
    weight: float = 1.0  # in an average

    @property
    def evidence(self) -> LatentEvidence:
        """What was found on the rows of the last stage."""
        assert self.found is not None, "this kernel has not been learned yet"
        return self.found

    @property
    def n_parameters(self) -> int:
        """Numbers that were learned."""
        return self.problem.layout.size

    @property
    def corrected(self) -> Array:
        """(n,) log densities of rows left out, less a nat for every number learned from all of them.

        Rows were left out of the function, not of what was learned: a number fits its rows by half a nat too well, and
        costs as much on others (Akaike). What is learned on some rows is judged as if it were on all.
        """
        return left_out_log_density(self.evidence) - self.n_parameters / self.total

    @property
    def log_loss(self) -> float:
        """Per unit of weight of rows left out: what kernels are ranked by."""
        weight = self.problem.rows.targets()[1]
        return -float(weight @ self.corrected) / float(weight.sum())


class LatentObjective:
    """theta → (negative log evidence, gradient), warm from where the last evaluation ended."""

    def __init__(self, problem: Problem, inference: str, checkpoint: Checkpoint | None = None):
        self.checkpoint = checkpoint or Checkpoint()
        self.problem, self.inference = problem.on(problem.rows.remembered(self.checkpoint)), inference
        self.sites: Sites | None = None
        self.tol = policy.LATENT_TOL * problem.rows.total
        self.name = digest(problem, inference) if self.checkpoint.remembers else ""

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient."""
        value, gradient = self._evaluated(theta, gradient=True)
        return float(value), gradient

    def value(self, theta: Array) -> float:
        """The value alone."""
        [value] = self._evaluated(theta, gradient=False)
        return float(value)

    def _evaluated(self, theta: Array, *, gradient: bool) -> list[Array]:
        """Value, and gradient if wanted; with them a checkpoint knows the sites that the next evaluation begins at."""
        name = digest(self.name, gradient, self.sites, theta) if self.checkpoint.remembers else ""
        known = self.checkpoint.recall(name)
        if known is not None:
            *answer, curvature, linear = known
            self.sites = Sites(curvature, linear)
            return answer
        with self.checkpoint.evaluation():
            found = self.at(theta, gradient=gradient)
        answer = [np.asarray(found.nlml)]
        if gradient:
            assert found.gradient is not None
            answer.append(found.gradient)
        if self.checkpoint.remembers and self.sites is not None:
            self.checkpoint.keep(name, [*answer, self.sites.curvature, self.sites.linear])
        return answer

    def at(self, theta: Array, *, gradient: bool = False) -> LatentEvidence:
        """The evidence; its sites are where the next evaluation begins."""
        found = latent_evidence(self.problem, theta, self.inference, self.sites, gradient=gradient, tol=self.tol)
        if np.isfinite(found.nlml):
            self.sites = found.sites
        return found

    def with_best_gain(self, theta: Array, budget: Budget) -> Array:
        """Theta with its amplitudes multiplied by what gives the most evidence, as far as there is time."""
        layout = self.problem.layout
        if not layout.is_free("log_amplitude"):
            return theta
        values = layout.unpack(theta)
        best, least = theta, np.inf
        for log_gain in policy.LATENT_GAINS:
            tried = layout.clip(layout.pack(values | {"log_amplitude": values["log_amplitude"] + log_gain}))
            if log_gain and np.array_equal(tried, best):  # at its bound
                break
            try:
                value = self.value(tried)
            except NUMERICAL_ERRORS:
                break
            if not value < least:
                break
            best, least = tried, value
            if budget.is_over():
                break
        return best


def latent_problem(search: Search, candidate: Candidate, likelihood: RowLikelihood) -> Latent:
    """The problem of a kernel under the likelihood, and the theta that regression has found for it."""
    surrogate, theta = candidate.learned.problem, candidate.learned.run.theta
    values = surrogate.layout.unpack(theta) | likelihood.start()
    of_kernel = surrogate.layout.parameters[: -len(surrogate.likelihood.parameters())]
    if not likelihood.shifts_targets and candidate.plan.growing:
        of_kernel = tuple(_with_large_amplitudes(parameter, surrogate) for parameter in of_kernel)
    if candidate.fixed:
        of_kernel = tuple(_with_fixed_lengthscale(parameter, values) for parameter in of_kernel)
    of_likelihood = constrained(likelihood.parameters(), likelihood.fixed(), None, search.scaling.units())
    layout = Layout((*of_kernel, *of_likelihood.parameters))
    problem = replace(surrogate, likelihood=likelihood, layout=layout, precision="double")
    if candidate.plan.growing and problem.kernel.has_closed_form:
        problem = replace(problem, computation=Computation.CLOSED)
    start = layout.clip(layout.pack({p.name: values[p.name] for p in layout.parameters}))
    return Latent(candidate, problem, replace(candidate.learned.run, theta=start), search.rows.total)


def _with_large_amplitudes(parameter: Parameter, problem: Problem) -> Parameter:
    """Without the bound that regression puts on amplitudes: log odds and log rates are not in units of y."""
    if parameter.name != "log_amplitude" or "amplitude" in (problem.kernel.bounds or {}):
        return parameter
    return replace(parameter, upper=np.maximum(parameter.upper, AMPLITUDE[1]))


def _with_fixed_lengthscale(parameter: Parameter, values: Values) -> Parameter:
    """A length-scale that stays as it is."""
    if parameter.name != "log_lengthscale":
        return parameter
    return replace(parameter, fixed=parameter.entries(values[parameter.name]))


@dataclass(frozen=True)
class LatentStage:
    """Rows that a kernel learns from under the likelihood, and iterations there."""

    rows: Rows
    n_iterations: int
    inference: str


def learn_latent(search: Search, latent: Latent, stage: LatentStage) -> Latent:
    """The kernel learned on the rows of a stage: its amplitude first, unless few rows have told it, then everything."""
    problem, n_iterations = latent.problem.on(stage.rows), stage.n_iterations
    objective, theta = LatentObjective(problem, stage.inference, search.checkpoint), latent.run.theta
    if latent.found is None or latent.candidate.fixed:
        theta = objective.with_best_gain(theta, search.budget)
    if latent.candidate.fixed and problem.layout.size <= 1:  # nothing but the amplitude
        n_iterations = 0
    run = _minimised(search, latent.candidate, objective, theta, n_iterations)
    trace = run.trace if latent.found is None else latent.run.trace + run.trace
    return replace(latent, problem=problem, run=replace(run, trace=trace), found=objective.at(run.theta))


def _minimised(search: Search, candidate: Candidate, objective: LatentObjective, theta: Array, max_iter: int) -> Run:
    """L-BFGS on the negative log evidence."""
    plan, problem, progress = candidate.plan, objective.problem, search.progress
    layout, spread = problem.layout, expected_spread(plan.settings.lengthscale_spread, plan.n_rows)
    task = Task(objective, layout.bounds(), coordinates(layout), prior(layout, spread))
    tol = max(plan.settings.tol, policy.RUNG_NATS * problem.rows.n_rows)
    run = minimise(task, theta, Limits(min(max_iter, plan.settings.max_iter), tol, budget=search.budget))
    evidence = progress.log_evidence(run.nlml, problem.rows.total)
    progress.say(f"{candidate.title} under the likelihood: {problem.rows.n_rows} rows, log evidence {evidence:.1f}")
    return run


def more_rows(n_rows: int, problem: Problem, n_iterations: int, most_flops: float) -> int:
    """All rows, or as many as so many iterations may cost."""
    shape, rows = problem.draws.shape, n_rows
    while rows > problem.rows.n_rows:
        flops = closed_flops(rows, shape.n_inputs, shape.n_components)
        if not problem.is_closed:
            flops = evaluation_flops(rows, problem.n_basis)
        if n_iterations * policy.LATENT_STEPS * flops <= most_flops:
            break
        rows = int(0.8 * rows)
    return max(rows, problem.rows.n_rows)
