"""A kernel, its noise and a link learned by the log probability of the labels of rows given their neighbours.

In: a view of rows whose targets are labels (n, 1), the shares of the classes. Out: `LearnedVotes`. Stages as for
regression (search/local.py); kernels are compared after the first of them, by rows that nothing was learned from, and
the link is fitted once more to such rows, with as many neighbours as predictions have.
"""

from dataclasses import dataclass, replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.kernels.base import Kernel
from alakarte.kernels.registry import resolve
from alakarte.likelihoods.votes import (
    LINK_BOUNDS,
    LINK_START,
    Link,
    link_prior,
    log_probability,
    log_probability_pullback,
)
from alakarte.parameters import Layout
from alakarte.posteriors.local import stored_weight
from alakarte.posteriors.votes import VotesPosterior
from alakarte.process.prior import Penalty, prior
from alakarte.process.votes import conditional_log_loss, conditional_votes
from alakarte.records import Array, Integers
from alakarte.search.coordinates import Coordinates
from alakarte.search.learn import WarmStart
from alakarte.search.local import LocalLearned, LocalRows, begin_local
from alakarte.search.optimise import Limits, Run, Task, minimise
from alakarte.search.stopping import NOT_BEGUN
from alakarte.search.views import View, warm_along


@dataclass(frozen=True)
class LearnedVotes:
    """What was learned of kernel and noise, and of the link."""

    view: View
    learned: LocalLearned
    link: Array  # (3,)
    shares: Array  # (K,)
    fresh: Integers  # rows that nothing was learned from

    @property
    def labels(self) -> Integers:
        """(n,) of all rows."""
        return self.learned.local.targets[:, 0].astype(np.int64)

    def log_probability(self, k: int) -> Array:
        """(fresh, K) of the classes of fresh rows, given their k nearest others."""
        votes, variance = self._votes(k)
        return log_probability(votes, variance, Link(*self.link), self.shares)

    def log_loss(self, k: int) -> float:
        """Per unit of weight, of fresh rows given their k nearest others."""
        log_p, weight = self.log_probability(k), self.fresh_weight
        return -float(weight @ log_p[np.arange(len(log_p)), self.labels[self.fresh]] / weight.sum())

    @property
    def fresh_weight(self) -> Array:
        """(fresh,)."""
        weight = self.learned.local.weight
        return np.ones(len(self.fresh)) if weight is None else weight[self.fresh]

    def _votes(self, k: int) -> tuple[Array, Array]:
        """Votes (rows, K) and variance (rows,) of fresh rows."""
        learned = self.learned
        return conditional_votes(learned.problem, learned.conditionals(self.fresh, k), self.shares, learned.theta)

    def with_link(self, k: int) -> "LearnedVotes":
        """With the link that suits k neighbours, by fresh rows."""
        votes, variance = self._votes(k)
        observed = self.labels[self.fresh], self.fresh_weight

        def function(link: Array) -> tuple[float, Array]:
            found = log_probability_pullback(votes, variance, Link(*link), self.shares, observed)
            nats, slope = link_prior(link, policy.LINK_SPREAD)
            return nats - found.value, slope - found.link

        task = Task(function, LINK_BOUNDS, Coordinates(np.full(3, np.inf)))
        return replace(self, link=minimise(task, self.link, Limits(policy.LINK_ITERATIONS, 0.0)).theta)

    def posterior(self, k: int) -> VotesPosterior:
        """Of all rows that it was learned among."""
        core = self.learned.posterior(k)
        directions = None if self.view.along is None else self.view.along.directions
        return VotesPosterior(core, self.link, self.shares, core.total, np.nan, core.noise_variance, directions)


def learn_votes(view: View, shares: Array, warm: WarmStart | None = None) -> LearnedVotes:
    """The kernel that was given, or the best of the menu."""
    k = view.search.settings.n_neighbors
    first, last = policy.CLASS_LOCAL_STAGES[:-1], policy.CLASS_LOCAL_STAGES[-1:]
    begun = _begin(view, _kernels(view)[0], shares, warm_along(view, warm))
    contenders = [begun, *(_begin(view, kernel, shares, None) for kernel in _kernels(view)[1:])]
    contenders = [_staged(each, first) for each in contenders]
    losses = [each.log_loss(first[-1][1]) for each in contenders] if len(contenders) > 1 else [0.0]
    learned = _staged(contenders[int(np.argmin(losses))], last)
    return learned.with_link(min(k, learned.learned.local.n_rows - 1))


def glance(view: View, shares: Array) -> float:
    """The log loss of rows that nothing was learned from after the first stage of the first kernel."""
    first = policy.CLASS_LOCAL_STAGES[:1]
    return _staged(_begin(view, _kernels(view)[0], shares, None), first).log_loss(first[0][1])


def _kernels(view: View) -> list[Kernel]:
    """The one that was given, or those of the menu."""
    given = view.search.settings.kernel
    kernels = [given] if given is not None else [resolve(name) for name in policy.CLASS_LOCAL_MENU]
    return [_of_variance_one(kernel) for kernel in kernels]


def _of_variance_one(kernel: Kernel) -> Kernel:
    """The kernel with its amplitude fixed, where it has one alone: noise is measured by it."""
    if kernel.has_components or "amplitude" in (kernel.fixed or {}):
        return kernel
    return kernel.__class__(**(kernel.get_params(deep=False) | {"fixed": (kernel.fixed or {}) | {"amplitude": 1.0}}))


def _begin(view: View, kernel: Kernel, shares: Array, warm: WarmStart | None) -> LearnedVotes:
    """A kernel at its start."""
    search = view.search
    labels, weight = search.rows.targets()
    order = search.streams("votes", "rows").permutation(search.rows.n_rows)[: policy.LOCAL_ROWS + policy.FRESH_ROWS]
    local = LocalRows(search.rows, labels, stored_weight(weight), order, alike=view.alike)
    n_fresh = min(policy.FRESH_ROWS, len(order) // 3)
    begun = begin_local(search, search.plan(kernel), local, warm)
    return LearnedVotes(view, begun, LINK_START, shares, order[:n_fresh])


def _staged(votes: LearnedVotes, stages: tuple[tuple[int, int, int], ...]) -> LearnedVotes:
    """After stages of (rows, neighbours, iterations), as many as there is time for."""
    for n_rows, k, max_iter in stages:
        if not votes.view.search.budget.is_over():
            votes = _stage(votes, n_rows, k, max_iter)
    return votes


def _stage(votes: LearnedVotes, n_rows: int, k: int, max_iter: int) -> LearnedVotes:
    """Some iterations with the neighbours of the metric so far."""
    learned, search = votes.learned, votes.view.search
    settings = search.settings
    problem, n_fresh = learned.problem, len(votes.fresh)
    near = learned.conditionals(np.sort(learned.local.order[n_fresh : n_fresh + n_rows]), k)
    total, max_iter = float(near.own_weight.sum()), min(max_iter, settings.max_iter)
    title = f"classes, {learned.plan.label}, {near.size} rows given {near.neighbours.shape[1]} neighbours"
    told = search.progress.stage(title, total, max_iter, 0.0, 0.0)
    spread = policy.SPREAD if isinstance(settings.lengthscale_spread, str) else settings.lengthscale_spread
    task = Task(
        search.checkpoint.evaluations(conditional_log_loss, problem, near, votes.shares),
        _bounds(problem.layout),
        Coordinates(np.append(problem.layout.slow(), np.full(3, np.inf))),
        _of_both(prior(problem.layout, spread)),
    )
    tol = max(settings.tol, policy.RUNG_NATS * total)
    limits = Limits(max_iter, tol, budget=search.budget, report=told.iteration)
    run = minimise(task, np.append(learned.theta, votes.link), limits)
    told.finished(run.nlml, run.n_iter, run.reason)
    return replace(votes, learned=_with_run(learned, replace(run, theta=run.theta[:-3])), link=run.theta[-3:])


def _with_run(learned: LocalLearned, run: Run) -> LocalLearned:
    runs = (run,) if learned.run.ending is NOT_BEGUN else (*learned.runs, run)
    return replace(learned, runs=runs)


def _bounds(layout: Layout) -> tuple[Array, Array]:
    """Of theta and the link; length-scales so short that no row has neighbours are of no use."""
    lower, upper = layout.bounds()
    if layout.is_free("log_lengthscale"):
        places = layout.places("log_lengthscale")
        lower[places] = np.minimum(np.maximum(lower[places], np.log(policy.SHORTEST)), upper[places])
    return np.append(lower, LINK_BOUNDS[0]), np.append(upper, LINK_BOUNDS[1])


def _of_both(penalty: Penalty | None) -> Penalty:
    """The prior of theta and of the link."""

    def of_both(point: Array) -> tuple[float, Array]:
        nats, slope = link_prior(point[-3:], policy.LINK_SPREAD)
        of_theta, slope_of_theta = (0.0, np.zeros(point.size - 3)) if penalty is None else penalty(point[:-3])
        return of_theta + nats, np.append(slope_of_theta, slope)

    return of_both
