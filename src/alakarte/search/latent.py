"""From rows to a fitted process for a likelihood that is not normal: one latent function, sites for the rows.

In: a `Search` on numbers that regression can learn kernels from, and the rows with their targets. Out: `Fit`. The best
kernels of the regression, and a fixed one, are learned further under the likelihood: first their common amplitude, then
everything, on some rows; then on all. Kernels of few rows are averaged by their bound.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.subsets import Subsets
from alakarte.errors import IllConditioned
from alakarte.execution.threads import run_together
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.parameters import Layout, constrained
from alakarte.posteriors.latent import Member, WorkingRegression, latent_posterior
from alakarte.posteriors.ranking import average_weights, score
from alakarte.posteriors.row_sites import RowSites
from alakarte.process.latent_objective import LatentEvidence, latent_evidence
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.prior import prior
from alakarte.process.problem import Problem, Process
from alakarte.process.sites import Sites
from alakarte.records import Array
from alakarte.search.candidates import Candidate
from alakarte.search.compare import with_columns
from alakarte.search.context import Search
from alakarte.search.coordinates import coordinates
from alakarte.search.cost import closed_flops, compare_columns, evaluation_flops, latent_columns
from alakarte.search.fit import Fit, choose
from alakarte.search.fixed_kernels import fixed_candidates, is_fixed
from alakarte.search.learn import WarmStart
from alakarte.search.optimise import Limits, Run, Task, minimise
from alakarte.search.plan import Plan
from alakarte.search.run_stage import expected_spread


@dataclass(frozen=True)
class Latent:
    """A kernel under the likelihood: its problem on the rows of the last stage, and where that ended."""

    candidate: Candidate
    problem: Problem
    run: Run
    sites: Sites | None = None

    @property
    def n_parameters(self) -> int:
        """Numbers that were learned."""
        return self.problem.layout.size

    @property
    def score(self) -> float:
        """What it is ranked by, per unit of weight of its rows."""
        return score(self.run.nlml, self.n_parameters) / self.problem.rows.total


class _Objective:
    """theta → (negative log evidence, gradient), warm from where the last evaluation ended."""

    def __init__(self, problem: Problem, inference: str, sites: Sites | None = None):
        self.problem, self.inference, self.sites = problem, inference, sites

    def __call__(self, theta: Array) -> tuple[float, Array]:
        found = self.at(theta, gradient=True)
        assert found.gradient is not None
        return found.nlml, found.gradient

    def at(self, theta: Array, *, gradient: bool = False) -> LatentEvidence:
        """The evidence; its sites are where the next evaluation begins."""
        tol = policy.LATENT_TOL
        found = latent_evidence(self.problem, theta, self.inference, self.sites, gradient=gradient, tol=tol)
        if np.isfinite(found.nlml):
            self.sites = found.sites
        return found


def fit_latent(
    search: Search, rows: Rows, likelihood: RowLikelihood, inference: str, warm: WarmStart | None = None
) -> Fit:
    """Choose kernels by regression, learn them under the likelihood, average or keep the best; `rows`: targets."""
    search, ranking = choose(search, warm)
    if search.scaling.tails is not None:
        rows = rows.compressed(search.scaling.tails)
    targets = Subsets(rows, search.subsets.order)
    contenders = _contenders(search, ranking)
    begun = [_latent_problem(search, candidate, likelihood) for candidate in contenders]
    learned = _learn_side_by_side(search, targets, begun, inference)
    learned = sorted(learned, key=lambda latent: -latent.score)
    return _finished(search, targets, learned, inference)


def _contenders(search: Search, ranking: list[Candidate]) -> list[Candidate]:
    """The best kernels of the regression, and a fixed one that no labels have bent."""
    best = ranking[: policy.LATENT_CONTENDERS]
    if search.settings.kernel is not None:
        return best
    return [*best, fixed_candidates(search, ranking[0])[0]]


def _latent_problem(search: Search, candidate: Candidate, likelihood: RowLikelihood) -> Latent:
    """The problem of a kernel under the likelihood, and the theta that regression has found for it."""
    surrogate, theta = candidate.learned.problem, candidate.learned.run.theta
    of_kernel = surrogate.layout.parameters[: -len(surrogate.likelihood.parameters())]
    of_likelihood = constrained(likelihood.parameters(), likelihood.fixed(), None, search.scaling.units())
    layout = Layout((*of_kernel, *of_likelihood.parameters))
    values = surrogate.layout.unpack(theta) | likelihood.start()
    problem = replace(surrogate, likelihood=likelihood, layout=layout, precision="double")
    if not problem.is_closed and candidate.plan.growing:
        columns = compare_columns(search.rows.n_rows)
        problem = with_columns(problem, columns, search.stream("compare", candidate.plan, columns))
    start = layout.clip(
        layout.pack(
            {p.name: values[p.name] for p in layout.parameters if p.fixed is None}
            | {p.name: p.fixed for p in layout.parameters if p.fixed is not None}
        )
    )
    return Latent(candidate, problem, replace(candidate.learned.run, theta=start))


def _learn_side_by_side(search: Search, targets: Subsets, begun: list[Latent], inference: str) -> list[Latent]:
    """Each kernel learned under the likelihood; small ones one per thread."""
    n_jobs = search.settings.n_jobs
    small = begun[0].problem.is_closed and targets.rows.n_rows <= policy.FEW_ROWS
    side_by_side = n_jobs if small and len(begun) > 1 else 1
    learned: dict[int, Latent] = {}

    def one(index: int) -> None:
        if not learned or not search.budget.is_over():
            latent = begun[index]
            problem = latent.problem.with_jobs(n_jobs if side_by_side == 1 else 1)
            learned[index] = _learn(search, targets, replace(latent, problem=problem), inference)

    try:
        run_together([partial(one, index) for index in range(len(begun))], side_by_side)
    except KeyboardInterrupt:
        search.budget.interrupted = True
        if not learned:  # nothing to keep
            raise
    return [replace(latent, problem=latent.problem.with_jobs(n_jobs)) for _, latent in sorted(learned.items())]


def _learn(search: Search, targets: Subsets, latent: Latent, inference: str) -> Latent:
    """The common amplitude on few rows, then all parameters on these, then some steps on more."""
    plan, closed = latent.candidate.plan, latent.problem.is_closed
    first = policy.LATENT_FIRST_ROWS if closed else policy.MAIN_ROWS
    problem = latent.problem.on(targets.first(first))
    objective = _Objective(problem, inference)
    theta = _with_best_gain(problem, objective, latent.run.theta)
    limits = 0 if is_fixed(latent.candidate) else min(policy.LATENT_ITERATIONS, plan.settings.max_iter)
    run = _minimised(search, plan, problem, objective, theta, limits)
    more = _more_rows(targets.rows.n_rows, problem)
    if more <= problem.rows.n_rows:
        return Latent(latent.candidate, problem, run, objective.sites)
    problem = latent.problem.on(targets.first(more))
    objective = _Objective(problem, inference)
    limits = min(limits, policy.LATENT_LAST_ITERATIONS)
    further = _minimised(search, plan, problem, objective, run.theta, limits)
    return Latent(latent.candidate, problem, replace(further, trace=run.trace + further.trace), objective.sites)


def _with_best_gain(problem: Problem, objective: _Objective, theta: Array) -> Array:
    """Theta with its amplitudes multiplied by what gives the most evidence."""
    if not problem.layout.is_free("log_amplitude"):
        return theta
    values = problem.layout.unpack(theta)
    best, least = theta, np.inf
    for log_gain in policy.LATENT_GAINS:
        tried = problem.layout.clip(problem.layout.pack(values | {"log_amplitude": values["log_amplitude"] + log_gain}))
        try:
            value = objective.at(tried).nlml
        except (IllConditioned, FloatingPointError, np.linalg.LinAlgError):
            break
        if not value < least:
            break
        best, least = tried, value
    return best


def _minimised(search: Search, plan: Plan, problem: Problem, objective: _Objective, theta: Array, max_iter: int) -> Run:
    """L-BFGS on the negative log evidence."""
    spread = expected_spread(plan.settings.lengthscale_spread, plan.n_rows)
    layout, progress = problem.layout, search.progress
    task = Task(objective, layout.bounds(), coordinates(layout), prior(layout, spread))
    tol = max(plan.settings.tol, policy.RUNG_NATS * problem.rows.n_rows)
    run = minimise(task, theta, Limits(max_iter, tol, budget=search.budget))
    evidence = progress.log_evidence(run.nlml, problem.rows.total)
    progress.say(f"{plan.kernel.name} under the likelihood: {problem.rows.n_rows} rows, log evidence {evidence:.1f}")
    return run


def _more_rows(n_rows: int, problem: Problem) -> int:
    """All rows, or as many as the last steps may cost."""
    shape, rows = problem.draws.shape, n_rows
    while rows > problem.rows.n_rows:
        flops = closed_flops(rows, shape.n_inputs, shape.n_components)
        if not problem.is_closed:
            flops = evaluation_flops(rows, problem.n_basis)
        if policy.LATENT_LAST_ITERATIONS * policy.LATENT_STEPS * flops <= policy.LATENT_LAST_FLOPS:
            break
        rows = int(0.8 * rows)
    return rows


def _finished(search: Search, targets: Subsets, learned: list[Latent], inference: str) -> Fit:
    """The posterior on all rows, and the record of how it came about."""
    best = learned[0]
    averaged = [0]
    if search.settings.kernel is None and best.problem.is_closed and targets.rows.n_rows <= policy.FEW_ROWS:
        total = targets.rows.total
        weights = average_weights([latent.score * total for latent in learned], total)
        averaged = [rank for rank, weight in enumerate(weights) if weight >= policy.LEAST_WEIGHT]
    evidences = [_on_all_rows(search, targets.rows, learned[rank], inference) for rank in averaged]
    if not best.problem.is_closed:
        evidences = [_grown(search, best, evidences[0], inference)]
    members = tuple(
        Member(found.function.problem, learned[rank].run.theta, learned[rank].n_parameters)
        for rank, found in zip(averaged, evidences, strict=True)
    )
    working = [WorkingRegression.of_sites(found.sites, found.nlml) for found in evidences]
    finder = RowSites(inference, best.problem.row_likelihood, evidences[0].function.values)
    posterior = latent_posterior(finder, members, targets.rows, working, search.settings.n_jobs)
    ranking = [_as_candidate(latent) for latent in learned]
    tuned = _as_tuned(evidences[0], best.run.theta)
    ranking[0] = replace(ranking[0], compared=tuned)
    learned_by_regression = best.candidate.learned
    return Fit(search, ranking, tuned, _growth_reason(best), posterior, averaged, regression=learned_by_regression)


def _growth_reason(best: Latent) -> str:
    return "the closed form needs none" if best.problem.is_closed else "as many as time is spent on"


def _on_all_rows(search: Search, rows: Rows, latent: Latent, inference: str) -> LatentEvidence:
    """The evidence of all rows; from the sites of the last stage, where those were all."""
    sites = latent.sites if latent.problem.rows is rows else None
    return latent_evidence(
        latent.problem.on(rows), latent.run.theta, inference, sites, gradient=False, tol=policy.LATENT_TOL
    )


def _grown(search: Search, best: Latent, found: LatentEvidence, inference: str) -> LatentEvidence:
    """Twice the columns, again and again, until that no longer pays or is too dear; sites carry over."""
    rows, plan = found.function.problem.rows, best.candidate.plan
    most = latent_columns(rows.n_rows)
    while plan.growing and found.function.n_basis < most and not search.budget.is_over():
        columns = min(2 * found.function.n_basis, most)
        if columns < policy.GROWTH_STEP * found.function.n_basis:
            break
        fresh = with_columns(found.function.problem, columns, search.streams("grow", columns))
        larger = latent_evidence(fresh, best.run.theta, inference, found.sites, gradient=False)
        gained = found.nlml - larger.nlml
        search.progress.say(f"{columns} columns: log evidence {gained:+.1f}")
        if gained < policy.GROWTH * rows.total:
            break
        found = larger
    return found


def _as_tuned(found: LatentEvidence, theta: Array) -> TunedProcess:
    """The latent function at theta as the rest of the house knows a process."""
    function = found.function
    parts = function.values, function.spectrum, function.computation, function.expansion
    process = Process(function.problem, *parts, noise_variance=1.0, floored=False)
    return TunedProcess(process, theta, found.nlml, None)


def _as_candidate(latent: Latent) -> Candidate:
    """A line of the ranking: the evidence of the rows of its last stage."""
    from_regression = latent.candidate.learned
    learned = replace(from_regression, problem=latent.problem, run=latent.run)
    return replace(latent.candidate, learned=learned, compared=None)
