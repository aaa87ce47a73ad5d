"""From rows to a fitted process for several classes: kernels chosen by regression on indicators, then the mode of all.

In: a `Search` on indicators, and the rows with their labels. Out: `Fit`. The best kernels of the regression and a fixed
one get the common amplitude that predicts rows left out in two halves, and are ranked by that. Kernels of few rows are
averaged, of more the best is kept, with as many columns as time and memory are spent on.
"""

from dataclasses import dataclass, replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.subsets import Subsets
from alakarte.posteriors.class_sites import ClassSites, labels_of
from alakarte.posteriors.latent import Member, latent_posterior
from alakarte.posteriors.ranking import stacked_weights
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.problem import Problem, process_at
from alakarte.process.softmax import Labels
from alakarte.records import Array
from alakarte.search.candidates import Candidate
from alakarte.search.classes import best_gain, folds
from alakarte.search.compare import with_columns
from alakarte.search.context import Search
from alakarte.search.cost import class_columns, compare_columns
from alakarte.search.fit import Fit, choose
from alakarte.search.fixed_kernels import candidates_in_units, fixed_candidates
from alakarte.search.learn import WarmStart


@dataclass(frozen=True)
class Contestant:
    """A kernel with the amplitude that predicts best, and how well."""

    candidate: Candidate
    problem: Problem  # on all rows, as the surrogate has it
    theta: Array
    left_out: Array  # (n,) log probability of the labels of rows left out
    weight: Array  # (n,) of these
    share: float = 1.0  # in an average

    @property
    def log_loss(self) -> float:
        """Per unit of weight of rows left out: what kernels are ranked by."""
        return -float(self.weight @ self.left_out) / float(self.weight.sum())


def fit_classes(search: Search, rows: Rows, base: Array, warm: WarmStart | None = None) -> Fit:
    """Choose kernels by regression, their amplitude by rows left out; `rows`: labels; `base` (K,): log base rates."""
    with search.budget.without(search.time_kept_for_sites):
        search, ranking = choose(search, warm)
        if search.scaling.tails is not None:
            rows = rows.compressed(search.scaling.tails)
        candidates = ranking[: policy.LATENT_CONTENDERS]
        if search.settings.kernel is None:
            like = ranking[0]
            candidates = [*candidates, *fixed_candidates(search, like), *candidates_in_units(search, like)]
        contestants = _tuned(search, rows, base, candidates)
    averaged = list(range(_n_averaged(search, contestants)))
    members = [_member(search, rows, contestants[rank]) for rank in averaged]
    finder, n_jobs = ClassSites(base), search.settings.n_jobs
    search.progress.say(f"probabilities of {base.size} classes from {rows.n_rows} rows")
    rows = rows.remembered(search.checkpoint)
    found = [finder.find(member.problem.on(rows).with_jobs(n_jobs), member.theta) for member in members]
    with search.checkpoint.passes():
        posterior = latent_posterior(finder, tuple(members), rows, found, n_jobs)
    tuned = TunedProcess(
        process_at(members[0].problem.on(rows), members[0].theta), members[0].theta, found[0].nlml, None
    )
    places = [_place(contestant) for contestant in contestants]
    places[0] = replace(places[0], compared=tuned)
    reason = "the closed form needs none" if members[0].problem.is_closed else "as many as time and memory are spent on"
    left_out = tuple(contestant.log_loss for contestant in contestants)
    regression = contestants[0].candidate.learned
    return Fit(search, places, tuned, reason, posterior, averaged, left_out, regression)


def _tuned(search: Search, rows: Rows, base: Array, candidates: list[Candidate]) -> list[Contestant]:
    """Candidates with the amplitude that predicts rows left out, the best first: all on few rows, the best on more."""
    targets = Subsets(rows, search.subsets.order)
    first = _helpful(_on_rows(search, targets.first(policy.CLASS_FIRST_ROWS), base, candidates))
    if rows.n_rows <= policy.CLASS_FIRST_ROWS or search.budget.is_over():
        return first
    candidates = [contestant.candidate for contestant in first]
    return _helpful(_on_rows(search, targets.first(policy.CLASS_ROWS), base, candidates))


def _on_rows(search: Search, some: Rows, base: Array, candidates: list[Candidate]) -> list[Contestant]:
    """Candidates with the amplitude that predicts these rows."""
    labels = labels_of(some, base)
    out: list[Contestant] = []
    for candidate in candidates:
        if out and search.budget.is_over():
            break
        try:
            out.append(_contestant(search, candidate, some, labels))
        except KeyboardInterrupt:
            if not out:  # nothing to keep
                raise
            search.budget.interrupted = True
    return out


def _contestant(search: Search, candidate: Candidate, some: Rows, labels: Labels) -> Contestant:
    """A candidate with the amplitude that predicts rows left out."""
    problem, theta = candidate.learned.problem, candidate.learned.run.theta
    if candidate.compared is not None:
        problem, theta = candidate.tuned.process.problem, candidate.tuned.theta
    if not problem.is_closed and candidate.plan.growing:
        columns = search.columns_for_sites(compare_columns(search.rows.n_rows))
        problem = with_columns(problem, columns, search.stream("compare", candidate.plan, columns))
    gained = best_gain(folds(process_at(problem.on(some), theta), labels), labels)
    values = problem.layout.unpack(theta)
    louder = problem.layout.pack(values | {"log_amplitude": values["log_amplitude"] + gained.log_gain})
    contestant = Contestant(candidate, problem, louder, gained.log_probability(labels), labels.weight)
    search.progress.say(f"{candidate.title}: log loss {contestant.log_loss:.4f} of rows left out")
    return contestant


def _helpful(contestants: list[Contestant]) -> list[Contestant]:
    """Those with a weight in the mixture that predicts rows left out best, the best first."""
    left_out = np.column_stack([contestant.left_out for contestant in contestants])
    shares = stacked_weights(left_out, contestants[0].weight)
    helpful = [
        replace(contestant, share=float(share))
        for contestant, share in zip(contestants, shares, strict=True)
        if share >= policy.LEAST_WEIGHT
    ]
    return sorted(helpful, key=lambda contestant: contestant.log_loss)


def _n_averaged(search: Search, contestants: list[Contestant]) -> int:
    """How many of the best are averaged: of few rows in closed form all that help, else one."""
    closed = all(contestant.problem.is_closed for contestant in contestants)
    return 1 if not closed or search.budget.is_over() else len(contestants)


def _member(search: Search, rows: Rows, contestant: Contestant) -> Member:
    """A kernel as the posterior has it: by features with as many columns as time and memory are spent on."""
    problem, plan = contestant.problem.without_rows(), contestant.candidate.plan
    if not problem.is_closed and plan.growing:
        columns = search.columns_for_sites(class_columns(rows.n_rows, search.rows.n_targets))
        problem = with_columns(problem, columns, search.streams("grow", columns))
    return Member(problem, contestant.theta, problem.layout.size, contestant.share)


def _place(contestant: Contestant) -> Candidate:
    """A line of the ranking."""
    learned = contestant.candidate.learned
    learned = replace(learned, run=replace(learned.run, theta=contestant.theta))
    return replace(contestant.candidate, learned=learned, compared=None)
