"""The posterior of a latent function by features: as many columns as pay, the amplitude tuned to all rows.

In: a kernel learned under its likelihood on some rows. Out: the same on all rows, by features. Sites belong to rows,
not to columns: they carry over when the columns are doubled.
"""

from dataclasses import replace

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.subsets import Subsets
from alakarte.process.latent_objective import LatentEvidence, latent_evidence
from alakarte.process.problem import Problem
from alakarte.search.compare import with_columns
from alakarte.search.context import Search
from alakarte.search.cost import latent_columns
from alakarte.search.fixed_kernels import released
from alakarte.search.learn_latent import (
    Latent,
    LatentObjective,
    LatentStage,
    latent_problem,
    learn_latent,
    more_rows,
)


def by_features(search: Search, latent: Latent, rows: Rows, inference: str) -> Latent:
    """A kernel on many rows: what these say of it and of its amplitude with few columns, then as many as pay."""
    plan, problem = latent.candidate.plan, latent.problem.on(rows)
    if not plan.growing:
        return _judged(latent, problem, inference)
    columns = min(policy.SECOND_COLUMNS, latent_columns(rows.n_rows))
    problem = with_columns(problem, columns, search.stream("compare", plan, columns))
    found = _judged(latent, problem, inference)
    if not search.budget.is_over():
        further = _learned_by_many(search, latent, rows, inference)
        problem = with_columns(further.problem.on(rows), columns, search.stream("compare", plan, columns))
        further = _judged(further, problem, inference)
        gained = found.evidence.nlml - further.evidence.nlml
        search.progress.say(f"learned further by features: log evidence {gained:+.1f} with fresh ones")
        found = further if gained > 0 else found
    return _grown(search, found, inference)


def _judged(latent: Latent, problem: Problem, inference: str) -> Latent:
    """A kernel with the amplitude that the rows of a problem ask for, and its evidence there."""
    objective = LatentObjective(problem, inference)
    theta = objective.with_best_gain(latent.run.theta)
    return replace(latent, problem=problem, run=replace(latent.run, theta=theta), found=objective.at(theta))


def _learned_by_many(search: Search, latent: Latent, rows: Rows, inference: str) -> Latent:
    """Some steps by few columns, on all rows or as many as that may cost: more than a closed form can bear."""
    latent = _released(search, latent)
    plan, columns = latent.candidate.plan, policy.LATENT_COLUMNS
    problem = with_columns(latent.problem, columns, search.stream("last", plan, columns))
    n_rows = more_rows(rows.n_rows, problem, policy.LATENT_MANY_ITERATIONS, policy.LATENT_MANY_FLOPS)
    some = Subsets(rows, search.subsets.order).first(n_rows)
    return learn_latent(
        search, replace(latent, problem=problem), LatentStage(some, policy.LATENT_MANY_ITERATIONS, inference)
    )


def _released(search: Search, latent: Latent) -> Latent:
    """Fixed length-scales may be learned by so many rows, each input its own."""
    if not latent.candidate.fixed:
        return latent
    values = latent.problem.layout.unpack(latent.run.theta)
    candidate = released(search, latent.candidate, values["log_lengthscale"])
    free = latent_problem(search, candidate, latent.problem.row_likelihood)
    lengthscale = free.problem.layout.unpack(free.run.theta)["log_lengthscale"]
    theta = free.problem.layout.pack(values | {"log_lengthscale": lengthscale})
    return replace(free, run=replace(latent.run, theta=theta), found=latent.found, weight=latent.weight)


def _grown(search: Search, latent: Latent, inference: str) -> Latent:
    """Twice the columns, again and again, until that no longer pays or is too dear."""
    rows, found = latent.problem.rows, latent.evidence
    most = latent_columns(rows.n_rows)
    while not search.budget.is_over():
        columns = min(2 * found.function.n_basis, most)
        if columns < policy.GROWTH_STEP * found.function.n_basis:
            break
        problem = with_columns(found.function.problem, columns, search.streams("grow", columns))
        larger = _from_sites(problem, latent, found, inference)
        gained = found.nlml - larger.nlml
        search.progress.say(f"{columns} columns: log evidence {gained:+.1f}")
        if gained < policy.GROWTH * rows.total:
            break
        found = larger
    return replace(latent, problem=found.function.problem, found=found)


def _from_sites(problem: Problem, latent: Latent, found: LatentEvidence, inference: str) -> LatentEvidence:
    """The evidence with other columns, to a tenth of what growth must gain."""
    tol = 0.1 * policy.GROWTH * problem.rows.total
    return latent_evidence(problem, latent.run.theta, inference, found.sites, gradient=False, tol=tol)
