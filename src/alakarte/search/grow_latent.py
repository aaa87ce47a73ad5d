"""The posterior of a latent function by features: as many columns as pay, the amplitude tuned to all rows.

In: a kernel learned under its likelihood on some rows. Out: the same on all rows, by features. Sites belong to rows,
not to columns: they carry over when the columns are doubled.
"""

from dataclasses import replace

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.process.latent_objective import LatentEvidence, latent_evidence
from alakarte.process.problem import Problem
from alakarte.search.compare import with_columns
from alakarte.search.context import Search
from alakarte.search.cost import latent_columns, latent_flops
from alakarte.search.learn_latent import Latent, LatentObjective


def by_features(search: Search, latent: Latent, rows: Rows, inference: str) -> Latent:
    """A kernel on many rows: the amplitude that they ask for with few columns, then as many as pay."""
    plan, problem = latent.candidate.plan, latent.problem.on(rows)
    if plan.growing:
        columns = search.columns_for_sites(min(policy.SECOND_COLUMNS, latent_columns(rows.n_rows)))
        problem = with_columns(problem, columns, search.stream("compare", plan, columns))
    objective = LatentObjective(problem, inference, search.checkpoint)
    theta = latent.run.theta
    if search.budget.allows(2 * latent_flops(rows.n_rows, objective.problem.n_basis)):
        theta = objective.with_best_gain(theta, search.budget)
    latent = replace(latent, problem=problem, run=replace(latent.run, theta=theta), found=objective.at(theta))
    return _grown(search, latent, inference) if plan.growing else latent


def _grown(search: Search, latent: Latent, inference: str) -> Latent:
    """Twice the columns, again and again, until that no longer pays or is too dear."""
    rows, found = latent.problem.rows, latent.evidence
    most = latent_columns(rows.n_rows)
    while not search.budget.is_over():
        columns = min(2 * found.function.n_basis, most)
        in_time = search.budget.allows(latent_flops(rows.n_rows, columns))
        if columns < policy.GROWTH_STEP * found.function.n_basis or not in_time:
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
