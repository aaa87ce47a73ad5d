"""Neighbours beside features: alone, or on what features leave of each row; kept where fresh rows prefer them.

In: a ranking, the process of its best on all rows, its posterior. Out: the same, or one with neighbours. All are judged
by the log density of the same fresh rows: features by leaving each out, neighbours by rows that they were not learned
from. What has no hope after a glance is learned no further. `fit_neighbours` is the recipe without features.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

import alakarte.search.policy as policy
from alakarte.errors import Unavailable
from alakarte.kernels.registry import resolve
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.smooth_and_rough import left_out, left_out_residuals, smooth_and_rough
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.problem import process_at, require_closed_form
from alakarte.records import Array
from alakarte.search.candidates import Candidate, menu
from alakarte.search.context import Search
from alakarte.search.cost import left_out_flops, local_flops
from alakarte.search.learn import WarmStart
from alakarte.search.local import LocalLearned, LocalRows, begin_local, learn_local, local_rows, with_enough_noise
from alakarte.search.plan import Plan

State: TypeAlias = tuple[list[Candidate], TunedProcess, Posterior]
Stages: TypeAlias = tuple[tuple[int, int, int], ...]  # rows, neighbours, iterations


@dataclass(frozen=True)
class Judged:
    """A candidate with its process and posterior, the log density (rows,) of each fresh row, and their weights."""

    candidate: Candidate
    tuned: TunedProcess
    posterior: Posterior
    log_density: Array
    weight: Array

    def mean(self, values: Array) -> float:
        """Of values (rows,) of the fresh rows."""
        return float(np.average(values, weights=self.weight))

    def clearly_beats(self, other: "Judged") -> bool:
        """Whether its lead is more than twice its standard error."""
        lead = self.log_density - other.log_density
        variance = self.mean((lead - self.mean(lead)) ** 2)
        return bool(self.mean(lead) > policy.CLEAR_LEAD * np.sqrt(variance / self.weight.sum()))


# --- without features


def fit_neighbours(search: Search, warm: WarmStart | None = None) -> State:
    """The kernel that was given, or that of neighbours."""
    if search.rows.n_rows > policy.MOST_LOCAL_ROWS:
        raise Unavailable(
            f"expansion='local' searches among all rows, at most {policy.MOST_LOCAL_ROWS:,}; these are "
            f"{search.rows.n_rows:,}: use expansion='fastfood', or fewer rows."
        )
    given = search.settings.kernel
    if given is not None:
        require_closed_form(given, "local")
    plan = _local_plan(search) if given is None else search.plan(given)
    begun = begin_local(search, plan, local_rows(search), warm)
    judged = _judged(search, learn_local(search, begun, policy.LOCAL_STAGES))
    return [judged.candidate], judged.tuned, judged.posterior


def _local_plan(search: Search) -> Plan:
    """Of the kernel that neighbours have alone, unless another is given."""
    kernel = resolve(policy.LOCAL_KERNEL).set_params(nu=policy.LOCAL_SMOOTHNESS)
    return search.plan(kernel, search.settings.n_components or policy.LOCAL_COMPONENTS)


def _judged(search: Search, learned: LocalLearned) -> Judged:
    """Neighbours alone, judged by fresh rows."""
    k = search.settings.n_neighbors
    learned = with_enough_noise(search.budget, learned, k)
    theta = learned.theta
    log_density, weight = learned.log_density(learned.local.fresh, k), learned.local.fresh_weight
    candidate = Candidate(
        learned.plan,
        learned.learned,
        None,
        compressed=search.compressed,
        n_neighbors=k,
        log_density=float(np.average(log_density, weights=weight)),
    )
    tuned = TunedProcess(process_at(learned.problem, theta), theta, np.nan, None)
    return Judged(candidate, tuned, learned.posterior(k), log_density, weight)


# --- beside features


def time_for_neighbours(search: Search) -> float:
    """Seconds of `max_time` that features leave for neighbours; none where these would take too many."""
    if not _is_open(search) or search.budget.max_time is None:
        return 0.0
    seconds = search.budget.first_seconds(local_flops(search.rows.n_inputs))
    most = policy.TIME_FOR_NEIGHBOURS * search.budget.max_time
    return min(policy.NEIGHBOUR_RUNS * seconds, most) if seconds <= most else 0.0


def _is_open(search: Search) -> bool:
    """Whether the choice is left to the search, and rows are more than closed forms bear and not too many."""
    return (
        search.settings.neighbours_are_open
        and not menu(search)[0].keeps_closed_form
        and search.rows.n_rows <= policy.MOST_LOCAL_ROWS
    )


def try_neighbours(search: Search, state: State) -> State:
    """The state with neighbours, alone or on what features leave, where fresh rows clearly prefer that."""
    ranking, tuned, posterior = state
    if not _is_open(search) or search.budget.is_over():
        return state
    local = local_rows(search)
    fresh = local.rows.take(local.fresh).whole()
    left = left_out(posterior, fresh.x, fresh.y, fresh.weight)
    log_density = _normal_log_density(left[:, :-1], posterior.noise_variance) + _log_stretch(left)
    candidate = replace(ranking[0], log_density=float(np.average(log_density, weights=fresh.weight)))
    features = Judged(candidate, tuned, posterior, log_density, fresh.weight)
    judged = [features, *_judged_beside(search, local, features, left)]
    for each in judged[1:]:
        search.progress.say(f"{each.candidate.label}: {each.candidate.log_density:.4f} nats per row left out")
    ahead = [each for each in judged[1:] if each.clearly_beats(features)]
    best = max(ahead, key=lambda each: each.mean(each.log_density), default=features)
    others = sorted((each for each in judged if each is not best), key=lambda each: -each.candidate.log_density)
    return [best.candidate, *(each.candidate for each in others), *ranking[1:]], best.tuned, best.posterior


def _judged_beside(search: Search, local: LocalRows, features: Judged, left: Array) -> list[Judged]:
    """Neighbours of what features leave, and alone: those of them that have hope after a glance.

    `left` (rows, T + 1) is what features leave of the fresh rows.
    """
    glance, rest_of_stages = policy.LOCAL_STAGES[: policy.LOCAL_GLANCES], policy.LOCAL_STAGES[policy.LOCAL_GLANCES :]
    begun = begin_local(search, _local_plan(search), local)
    alone = _further(search, Attempt(begun, features.log_density), features, glance)
    rest, gain = None, 0.0
    if search.budget.allows(left_out_flops(search.rows.n_rows, features.posterior.n_basis, search.rows.n_targets)):
        begun = _begin_with_the_rest(search, features.posterior)
        noise = _normal_log_density(begun.local.targets[local.fresh], features.posterior.noise_variance)
        rest = _further(search, Attempt(begun, noise), features, glance)
        gain = rest.lead
    search.progress.say(f"to features: neighbours {alone.lead:+.4f} nats per row at first, beside them {gain:+.4f}")
    if search.budget.is_over():
        return []
    least = max(alone.reach, gain) - policy.LOCAL_HOPE
    judged = []
    if rest is not None and gain > max(least, policy.TOGETHER_HOPE):
        judged.append(_together(search, rest.learned, features, left))
    if alone.reach > max(least, 0.0):
        alone = _further(search, alone, features, rest_of_stages, least=0.0)
        judged += [_judged(search, alone.learned)] if alone.reach > 0 else []
    return judged


@dataclass(frozen=True)
class Attempt:
    """A kernel on its way through the stages, and by how many nats per row it led features after each of them."""

    learned: LocalLearned
    bar: Array  # (rows,) log density of the fresh rows by features alone
    leads: tuple[float, ...] = ()

    @property
    def lead(self) -> float:
        """After the last stage."""
        return self.leads[-1]

    @property
    def reach(self) -> float:
        """The lead, were as much gained once more: what few inputs matter to is found slowly."""
        before = self.leads[-2] if len(self.leads) > 1 else self.lead
        return self.lead + max(self.lead - before, 0.0)


def _further(search: Search, attempt: Attempt, features: Judged, stages: Stages, *, least: float = -np.inf) -> Attempt:
    """Stage by stage, for as long as it reaches beyond `least`, and time allows."""
    for stage in stages:
        if attempt.leads and (search.budget.is_over() or attempt.reach <= least):
            break
        learned = learn_local(search, attempt.learned, (stage,))
        lead = learned.log_density(learned.local.fresh, policy.LOCAL_STAGES[-1][1]) - attempt.bar
        cut = features.mean(np.maximum(lead, -policy.WORST_ROW))
        attempt = replace(attempt, learned=learned, leads=(*attempt.leads, cut))
    return attempt


def _normal_log_density(z: Array, variance: float) -> Array:
    """(rows,) of z (rows, T), were it noise of this variance."""
    return np.asarray(-0.5 * (np.log(2 * np.pi * variance) + z**2 / variance).sum(axis=1))


def _begin_with_the_rest(search: Search, posterior: Posterior) -> LocalLearned:
    """Neighbours of what features leave of each row, as if it were left out."""
    kernel = resolve(policy.REST_KERNEL).set_params(nu=policy.REST_SMOOTHNESS)
    left = left_out_residuals(posterior, search.rows, search.settings.n_jobs)
    return begin_local(search, search.plan(kernel), local_rows(search, left))


def _together(search: Search, begun: LocalLearned, features: Judged, left: Array) -> Judged:
    """Neighbours of what features leave of each row, learned to the end."""
    k = search.settings.n_neighbors
    rough = with_enough_noise(search.budget, learn_local(search, begun, policy.LOCAL_STAGES[policy.LOCAL_GLANCES :]), k)
    log_density = rough.log_density(rough.local.fresh, k) + _log_stretch(left)
    both = smooth_and_rough(features.posterior, rough.posterior(k), search.rows.targets()[0])
    mean = features.mean(log_density)
    candidate = replace(features.candidate, rough=rough.learned, n_neighbors=k, log_density=mean)
    return Judged(candidate, features.tuned, both, log_density, features.weight)


def _log_stretch(left: Array) -> Array:
    """(rows,) what the log density of y has beyond that of z, for all targets, from `left_out` (rows, T + 1)."""
    return np.asarray((left.shape[1] - 1) * left[:, -1])
