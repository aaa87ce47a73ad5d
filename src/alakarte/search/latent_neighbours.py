"""Counts from neighbours: a kernel learned by the log probability of rows given the sites of their neighbours.

In: a `Search`, the rows with their targets and offsets, a likelihood. Out: `Fit`. The site of each row is found by what
its neighbours say of it, again and again as the kernel is learned; predictions are those of weighted regression on the
nearest sites. Rows that nothing was learned from but by being neighbours decide between features and neighbours.
"""

from dataclasses import dataclass, replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.kernels.registry import resolve
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.parameters import Layout, constrained
from alakarte.posteriors.latent import LatentPosterior, Member
from alakarte.posteriors.local import LocalPosterior
from alakarte.posteriors.row_sites import RowSites
from alakarte.process.conditionals import Conditionals
from alakarte.process.latent_conditionals import (
    UNIT_NOISE,
    latent_conditional_moments,
    latent_conditional_nlml,
    sites_apart,
)
from alakarte.process.left_out import left_out_of
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.prior import prior
from alakarte.process.problem import Process, closed_form, latent_function_at, require_closed_form
from alakarte.process.variational import Observations
from alakarte.records import Array, Integers
from alakarte.search.candidates import Candidate
from alakarte.search.context import Search
from alakarte.search.coordinates import coordinates
from alakarte.search.cost import local_flops
from alakarte.search.fit import Fit, keep
from alakarte.search.latent import fit_latent
from alakarte.search.learn import WarmStart
from alakarte.search.local import LocalLearned, begin_local, local_rows
from alakarte.search.optimise import Limits, Run, Task, minimise
from alakarte.search.plan import Plan
from alakarte.search.stopping import NOT_BEGUN


@dataclass(frozen=True)
class _Near:
    """A kernel with the sites of all rows, which are its targets and weights, and what the rows say."""

    learned: LocalLearned
    data: Observations  # of all rows
    inference: str

    @property
    def likelihood(self) -> RowLikelihood:
        """Of the targets."""
        return self.learned.problem.row_likelihood

    def given(self, picked: Integers, k: int) -> Conditionals:
        """Rows `picked` and their k nearest others; weights are curvatures here, not copies of a row."""
        near, local = self.learned.neighbours, self.learned.local
        others = near.nearest_others(picked, k, None, self.learned.problem.n_jobs)
        return Conditionals(near.points, near.scale, local.targets, local.weight, picked, others)

    def moments(self, picked: Integers, k: int) -> tuple[Array, Array]:
        """Mean and variance of the latent function at rows `picked`, given their k nearest others."""
        return latent_conditional_moments(self.learned.problem, self.given(picked, k), self.learned.theta)

    def with_sites(self, k: int) -> "_Near":
        """With the sites that all rows have beside what their k nearest others say of them."""
        local, values = self.learned.local, self.learned.problem.layout.unpack(self.learned.theta)
        moments = self.moments(np.arange(local.n_rows), k)
        observation, curvature = sites_apart(self.likelihood, values, self.data, moments)
        local = replace(local, targets=observation[:, None], weight=curvature)
        return replace(self, learned=replace(self.learned, local=local))

    def log_density(self, k: int) -> Array:
        """(fresh,) of the targets of fresh rows, given their k nearest others."""
        fresh = self.learned.local.fresh
        mean, variance = self.moments(fresh, k)
        values = self.learned.problem.layout.unpack(self.learned.theta)
        return self.likelihood.log_predictive(values, self.data.y[fresh], mean + self.data.offset[fresh], variance)

    def posterior(self, k: int) -> LatentPosterior:
        """Of all rows."""
        learned, total = self.learned, float(self.data.weight.sum())
        values, local = learned.problem.layout.unpack(learned.theta), learned.local
        parts = learned.spectrum, closed_form(learned.problem.kernel, values), learned.neighbours
        core = LocalPosterior(*parts, local.targets, local.weight, k, total, UNIT_NOISE, np.nan)
        finder = RowSites(self.inference, self.likelihood, values)
        member = Member(learned.problem.without_rows(), learned.theta, learned.problem.layout.size)
        return LatentPosterior(core, finder, (member,), None, total, np.nan)


def fit_latent_by_both(
    search: Search, rows: Rows, likelihood: RowLikelihood, inference: str, warm: WarmStart | None = None
) -> Fit:
    """By features or in closed form, or from neighbours, whichever predicts rows left out better."""
    if search.settings.expansion == "local":
        return _fit_neighbours(search, rows, likelihood, inference, warm)
    fit = fit_latent(search, rows, likelihood, inference, warm)
    return keep(search, fit, lambda _, found: _try_neighbours(found, rows, inference))


def _is_open(search: Search) -> bool:
    """Whether the choice is left to the search, and rows and variables are such that neighbours can serve."""
    return (
        search.settings.neighbours_are_open
        and search.rows.n_rows <= policy.MOST_LOCAL_ROWS
        and search.scaling.n_variables <= policy.MOST_CLASS_VARIABLES
    )


def _fit_neighbours(
    search: Search, rows: Rows, likelihood: RowLikelihood, inference: str, warm: WarmStart | None = None
) -> Fit:
    """Neighbours alone."""
    if search.settings.kernel is not None:
        require_closed_form(search.settings.kernel, "local")
    near = _learned(search, rows, likelihood, inference, warm)
    candidate = _candidate(search, near)
    return Fit(search, [candidate], _tuned(near), "neighbours need none", _posterior(search, near), [0])


def _try_neighbours(fit: Fit, rows: Rows, inference: str) -> Fit:
    """What features have come to, or neighbours where fresh rows clearly prefer these."""
    search = fit.search
    in_time = search.budget.allows(local_flops(search.rows.n_inputs))
    if not _is_open(search) or not in_time or fit.tuned.process.problem.is_closed:
        return fit
    if search.scaling.tails is not None:
        rows = rows.compressed(search.scaling.tails)
    near = _learned(search, rows, fit.tuned.process.problem.row_likelihood, inference)
    candidate, fresh = _candidate(search, near), near.learned.local.fresh
    by_near = near.log_density(search.settings.n_neighbors)
    by_features = _left_out_of_features(fit, near.data, rows, fresh)
    weight = near.data.weight[fresh]
    lead, total = by_near - by_features, float(weight.sum())
    mean = float(weight @ lead) / total
    search.progress.say(f"neighbours: {mean:+.4f} nats per row of {len(fresh)} left out, to features")
    error = np.sqrt(float(weight @ (lead - mean) ** 2) / total / total)
    features = replace(fit.ranking[0], log_density=float(weight @ by_features) / total)
    left_out = -candidate.log_density
    if mean > policy.CLEAR_LEAD * error:
        ranking, losses = [candidate, features, *fit.ranking[1:]], (left_out, *fit.left_out)
        posterior, tuned = _posterior(search, near), _tuned(near)
        return Fit(search, ranking, tuned, "neighbours need none", posterior, [0], losses)
    ranking, losses = [features, candidate, *fit.ranking[1:]], (fit.left_out[0], left_out, *fit.left_out[1:])
    return replace(fit, ranking=ranking, left_out=losses)


def _left_out_of_features(fit: Fit, data: Observations, rows: Rows, fresh: Integers) -> Array:
    """(fresh,) log densities of targets by the posterior of features, each row left out of it."""
    process = fit.tuned.process
    mean, variance = fit.posterior.mean_and_variance(rows.take(fresh).whole().x, process.problem.n_jobs)
    own = Observations(data.y[fresh], data.offset[fresh], data.weight[fresh])
    likelihood = process.problem.row_likelihood
    f, q = left_out_of(likelihood, process.values, own, (mean[:, 0], variance[:, 0]))
    return likelihood.log_predictive(process.values, own.y, f, q)


def _learned(
    search: Search, rows: Rows, likelihood: RowLikelihood, inference: str, warm: WarmStart | None = None
) -> _Near:
    """The kernel learned in stages, the sites of all rows found anew after each."""
    targets, weight = rows.targets()
    data, start = Observations(targets[:, 0], targets[:, 1], weight), likelihood.start()
    alone = np.zeros(len(weight)), np.ones(len(weight))
    observation, curvature = sites_apart(likelihood, start, data, alone)
    local = replace(local_rows(search, observation[:, None]), weight=curvature)
    near = _Near(_with_likelihood(search, begin_local(search, _plan(search), local), likelihood), data, inference)
    if warm is not None and warm[1].size == near.learned.theta.size:
        near = replace(near, learned=replace(near.learned, runs=(replace(near.learned.run, theta=warm[1]),)))
    most = rows.n_rows - 1
    for n_rows, k, max_iter in policy.LATENT_LOCAL_STAGES:
        near = _stage(search, near.with_sites(min(k, most)), n_rows, min(k, most), max_iter)
        if search.budget.is_over():
            break
    k = min(search.settings.n_neighbors, most)
    for _ in range(policy.LATENT_LOCAL_ROUNDS):
        near = near.with_sites(k)
    return near


def _plan(search: Search) -> Plan:
    """Of the kernel that was given, or the one that neighbours have in regression."""
    if search.settings.kernel is not None:
        return search.plan(search.settings.kernel)
    kernel = resolve(policy.LOCAL_KERNEL).set_params(nu=policy.LOCAL_SMOOTHNESS)
    return search.plan(kernel, search.settings.n_components or policy.LOCAL_COMPONENTS)


def _with_likelihood(search: Search, begun: LocalLearned, likelihood: RowLikelihood) -> LocalLearned:
    """With the parameters of the likelihood in place of those of normal noise."""
    problem = begun.problem
    values = problem.layout.unpack(begun.theta) | likelihood.start()
    of_kernel = problem.layout.parameters[: -len(problem.likelihood.parameters())]
    of_likelihood = constrained(likelihood.parameters(), likelihood.fixed(), None, search.scaling.units())
    layout = Layout((*of_kernel, *of_likelihood.parameters))
    theta = layout.clip(layout.pack({p.name: values[p.name] for p in layout.parameters}))
    problem = replace(problem, likelihood=likelihood, layout=layout, precision="double")
    return replace(begun, problem=problem, runs=(replace(begun.run, theta=theta),))


def _stage(search: Search, near: _Near, n_rows: int, k: int, max_iter: int) -> _Near:
    """Some iterations with the sites and the metric so far."""
    learned, settings = near.learned, search.settings
    problem, picked = learned.problem, learned.local.picked(n_rows)
    own = Observations(near.data.y[picked], near.data.offset[picked], near.data.weight[picked])
    local, layout, total = near.given(picked, k), problem.layout, float(own.weight.sum())
    max_iter = min(max_iter, settings.max_iter)
    title = f"{learned.plan.label}, {local.size} rows given the sites of {local.neighbours.shape[1]} neighbours"
    told = search.progress.stage(title, total, max_iter, 0.0, 0.0)
    spread = policy.SPREAD if isinstance(settings.lengthscale_spread, str) else settings.lengthscale_spread
    evaluate = search.checkpoint.evaluations(latent_conditional_nlml, problem, local, own)
    task = Task(evaluate, layout.bounds(), coordinates(layout), prior(layout, spread))
    tol = max(settings.tol, policy.RUNG_NATS * total)
    limits = Limits(max_iter, tol, budget=search.budget, report=told.iteration)
    run = minimise(task, learned.theta, limits)
    told.finished(run.nlml, run.n_iter, run.reason)
    return replace(near, learned=_with_run(learned, run))


def _with_run(learned: LocalLearned, run: Run) -> LocalLearned:
    runs = (run,) if learned.run.ending is NOT_BEGUN else (*learned.runs, run)
    return replace(learned, runs=runs)


def _posterior(search: Search, near: _Near) -> LatentPosterior:
    return near.posterior(search.settings.n_neighbors)


def _candidate(search: Search, near: _Near) -> Candidate:
    """Neighbours as a line of the ranking."""
    k, learned = search.settings.n_neighbors, near.learned
    weight = near.data.weight[learned.local.fresh]
    log_density = float(weight @ near.log_density(k) / weight.sum())
    return Candidate(
        learned.plan,
        learned.learned,
        None,
        compressed=search.compressed,
        n_neighbors=k,
        log_density=log_density,
    )


def _tuned(near: _Near) -> TunedProcess:
    """The latent function as the rest of the house knows a process."""
    problem, theta = near.learned.learned.problem, near.learned.theta
    function = latent_function_at(problem, theta)
    parts = problem, function.values, function.spectrum, function.computation, function.expansion
    return TunedProcess(Process(*parts, noise_variance=UNIT_NOISE, floored=False), theta, np.nan, None)
