"""Classes by features, from neighbours, or by both: what predicts rows that were left out, each alone.

In: a `Search`, rows with their labels, the recipe by features. Out: `Fit`. Neighbours are learned first; some rows,
which they have not learned from but by being neighbours, judge them by their nearest others. A trial on few rows
(search/class_trial.py) tells whether there is hope for features; where there is, these are made of all rows, and judged
by the same ones, each left out of their posterior. Nothing is learned from fewer rows than there are.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.errors import Unavailable
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.left_out_classes import left_out_log_probabilities
from alakarte.posteriors.stacked import LEAST_PROBABILITY, StackedPosterior
from alakarte.posteriors.votes import VotesPosterior
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.problem import process_at, require_closed_form
from alakarte.records import Array, Integers
from alakarte.search.candidates import Candidate
from alakarte.search.class_trial import Trial, expected_loss
from alakarte.search.context import Search, in_random_order
from alakarte.search.cost import class_columns, local_flops, scan_flops
from alakarte.search.fit import Fit
from alakarte.search.learn import WarmStart
from alakarte.search.stack import Held, Stack, stack
from alakarte.search.views import View, of_inputs, sees_directions, views
from alakarte.search.votes import LearnedVotes, glance, learn_votes

ByFeatures: TypeAlias = Callable[[Search, Rows, WarmStart | None], Fit]


@dataclass(frozen=True)
class _Near:
    """Neighbours, and how well they predict the rows that judge."""

    search: Search
    learned: LearnedVotes
    posterior: VotesPosterior
    rows: Rows  # labels first among their targets
    judges: Integers  # (judges,) places of these rows, ascending
    log_near: Array  # (judges, K) of their classes, each from its nearest others

    def judged_with(self, posterior: LatentPosterior, search: Search) -> Stack:
        """Features, found by a search, against neighbours."""
        rows = self.rows if search.scaling.tails is None else self.rows.compressed(search.scaling.tails)
        log_features = left_out_log_probabilities(posterior, rows, self.judges, search.settings.n_jobs)
        log_features = np.maximum(log_features, np.log(LEAST_PROBABILITY))
        log_shares = np.log(self.learned.shares.size * self.learned.shares)
        return stack(Held(log_features, self.log_near, log_shares, *self.judged()))

    def judged(self) -> tuple[Integers, Array]:
        """Labels and weights of the rows that judge."""
        block = self.rows.take(self.judges).whole()
        return block.y[:, 0].astype(np.int64), block.weight

    def loss(self) -> float:
        """Log loss of the rows that judge."""
        labels, weight = self.judged()
        return -float(weight @ self.log_near[np.arange(len(labels)), labels] / weight.sum())


def fit_by_both(search: Search, rows: Rows, by_features: ByFeatures, warm: WarmStart | None = None) -> Fit:
    """Learn classes; `rows`: labels first among their targets."""
    if search.settings.expansion == "local":
        near = _learned(search, rows, warm)
        assert near is not None, "what was asked for is there whatever it is worth"
        return _alone(near, None)
    if not _is_open(search):
        return by_features(search, rows, warm)
    if (near := _learned(search, rows, None)) is None:
        return by_features(search, rows, warm)
    search.progress.say(f"neighbours: log loss {near.loss():.4f} of {len(near.judges)} rows left out")
    try:
        if search.budget.is_over() or not _has_hope(near):
            return _alone(near, None)
        return _chosen(near, by_features(search, rows, warm))
    except KeyboardInterrupt:
        search.budget.interrupted = True
        return _alone(near, None)


def _is_open(search: Search) -> bool:
    """Whether the choice is left to the search, and rows and variables are such that neighbours can serve."""
    return (
        search.settings.neighbours_are_open
        and policy.LEAST_CLASS_ROWS <= search.rows.n_rows <= policy.MOST_LOCAL_ROWS
        and (search.scaling.n_variables <= policy.MOST_CLASS_VARIABLES or sees_directions(search))
        and _is_in_time(search)
    )


def _is_in_time(search: Search) -> bool:
    """Whether neighbours can be learned in their part of `max_time`."""
    budget = search.budget
    if budget.max_time is None:
        return True
    flops = local_flops(search.rows.n_inputs)
    if sees_directions(search):
        flops = scan_flops(search.rows.n_rows)
    return budget.first_seconds(flops) <= policy.TIME_FOR_NEIGHBOURS * budget.max_time


def _learned(search: Search, rows: Rows, warm: WarmStart | None) -> _Near | None:
    """Neighbours among all rows; None where few directions of many inputs say too little, and features are open."""
    _check(search)
    labels, weight = rows.targets()
    labelled, streams = rows.with_targets(labels[:, :1], weight), search.streams.within("near")
    shares = _shares(labels[:, 0].astype(np.int64), weight, max(search.scaling.y_mean.size, 2))
    of_labels = replace(search, subsets=in_random_order(search.settings, labelled, streams), streams=streams)
    with search.budget.part(1.0 if search.settings.expansion == "local" else policy.TIME_FOR_NEIGHBOURS):
        view, loss = _best_view(views(of_labels, warm), shares)
        if search.settings.expansion != "local" and loss > -policy.VIEW_HOPE * float(shares @ np.log(shares)):
            search.progress.say(f"neighbours: log loss {loss:.4f} along directions at first, without hope")
            return None
        learned = learn_votes(view, shares, warm)
    k, order = search.settings.n_neighbors, np.argsort(learned.fresh)
    log_near = learned.log_probability(min(k, search.rows.n_rows - 1))[order]
    return _Near(search, learned, learned.posterior(k), rows, learned.fresh[order], log_near)


def _best_view(seen: list[View], shares: Array) -> tuple[View, float]:
    """What predicts rows left out best after a glance, and their log loss; 0 where there is one view, of all inputs."""
    if seen[0].along is None:
        return seen[0], 0.0
    losses = [glance(view, shares) for view in seen]
    best = int(np.argmin(losses))
    return seen[best], losses[best]


def _check(search: Search) -> None:
    """An error that says so, where rows are too few or too many, or a kernel has no closed form."""
    if search.rows.n_rows < policy.FEWEST_CLASS_ROWS:
        raise Unavailable(
            f"expansion='local' learns from rows given their neighbours, at least {policy.FEWEST_CLASS_ROWS} that "
            f"differ; these are {search.rows.n_rows}: use expansion='auto'."
        )
    if search.rows.n_rows > policy.MOST_LOCAL_ROWS:
        raise Unavailable(
            f"expansion='local' searches among all rows, at most {policy.MOST_LOCAL_ROWS:,}; these are "
            f"{search.rows.n_rows:,}: use expansion='fastfood', or fewer rows."
        )
    if search.settings.kernel is not None:
        require_closed_form(search.settings.kernel, "local")


def _shares(labels: Integers, weight: Array, n_classes: int) -> Array:
    """(K,) of the classes, half a row of each added."""
    counts = np.bincount(labels, weight, n_classes) + 0.5
    return np.asarray(counts / counts.sum())


def _has_hope(near: _Near) -> bool:
    """Whether features may come near to what neighbours do, as far as few rows tell."""
    search, n_trial, core = near.search, policy.CLASS_TRIAL_ROWS, near.posterior.core
    others = np.setdiff1d(np.arange(core.n_basis), near.judges)
    picked = search.streams("near", "trial").permutation(others)[:n_trial]
    points, shares = core.neighbours.points, near.posterior.shares
    trial = Trial(
        points[picked],
        core.targets[picked, 0].astype(np.int64),
        points[near.judges],
        near.judged()[0],
        np.log(shares) - np.log(shares).mean(),
    )
    guess = expected_loss(trial, _rows_of_features(near), search.settings.n_jobs)
    search.progress.say(f"features: log loss {guess:.4f} expected of all rows by {n_trial}")
    return guess < policy.CLASS_HOPE * near.loss()


def _rows_of_features(near: _Near) -> int:
    """How many rows in closed form features are worth: all, or where they have few frequencies per input, as these."""
    n_rows, n_frequencies = (
        near.search.rows.n_rows,
        class_columns(near.search.rows.n_rows, near.posterior.n_targets) // 2,
    )
    if near.learned.view.along is None or n_frequencies >= policy.FREQUENCIES_PER_INPUT * near.search.rows.n_inputs:
        return n_rows
    return min(n_rows, n_frequencies)


def _chosen(near: _Near, fit: Fit) -> Fit:
    """What predicts the rows left out best."""
    assert isinstance(fit.posterior, LatentPosterior)
    judged = near.judged_with(fit.posterior, fit.search)
    near.search.progress.say(
        f"rows left out: log loss {judged.features:.4f} by features, {judged.near:.4f} from neighbours, "
        f"{judged.both:.4f} by both"
    )
    if not judged.gains and judged.near <= judged.features:
        return _alone(near, judged, fit)
    return _with_features(near, judged, fit)


def _alone(near: _Near, judged: Stack | None, fit: Fit | None = None) -> Fit:
    """Neighbours; what is known of features goes with them."""
    ranking = [_candidate(near)]
    problem, theta = ranking[0].learned.problem, ranking[0].learned.run.theta
    tuned = TunedProcess(process_at(problem, theta), theta, np.nan, None)
    if fit is not None and judged is not None:
        ranking += [replace(fit.ranking[0], log_density=-judged.features), *fit.ranking[1:]]
    left_out = () if fit is None or not fit.left_out else (np.nan, *fit.left_out)
    return Fit(near.search, ranking, tuned, "neighbours need none", near.posterior, [0], left_out)


def _candidate(near: _Near) -> Candidate:
    """Neighbours as a line of the ranking."""
    plan, learned = of_inputs(near.search, near.learned.view, near.learned.learned)
    k, n_tied = near.search.settings.n_neighbors, learned.problem.layout.size - near.learned.learned.theta.size
    return Candidate(plan, learned, None, n_neighbors=k, n_tied=n_tied, log_density=-near.loss())


def _with_features(near: _Near, judged: Stack, fit: Fit) -> Fit:
    """Features, alone or stacked with neighbours."""
    best, candidate = replace(fit.ranking[0], log_density=-judged.features), _candidate(near)
    if not judged.gains:
        return replace(fit, ranking=[best, *fit.ranking[1:], candidate], left_out=_longer(fit.left_out, np.nan))
    both = replace(best, rough=candidate.learned, n_tied=candidate.n_tied, log_density=-judged.both)
    both = replace(both, n_neighbors=candidate.n_neighbors)
    features = fit.posterior
    assert isinstance(features, LatentPosterior)
    base, tails = near.search.scaling.y_mean, fit.search.scaling.tails
    numbers = {"total": features.total, "nlml": features.nlml}
    posterior = StackedPosterior(features, near.posterior, judged.weights, base, tails, **numbers)
    ranking = [both, *fit.ranking[1:], best, candidate]
    left_out = _longer(fit.left_out, *fit.left_out[:1], np.nan)
    return replace(fit, ranking=ranking, posterior=posterior, left_out=left_out, averaged=[0])


def _longer(left_out: tuple[float, ...], *more: float) -> tuple[float, ...]:
    """Log losses for further lines of the ranking, where there are any."""
    return (*left_out, *more) if left_out else ()
