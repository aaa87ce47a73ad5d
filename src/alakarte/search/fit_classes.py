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
from alakarte.search.fixed_kernels import fixed_candidates
from alakarte.search.learn import WarmStart


@dataclass(frozen=True)
class Contestant:
    """A kernel with the amplitude that predicts best, and how well."""

    candidate: Candidate
    problem: Problem  # on all rows, as the surrogate has it
    theta: Array
    left_out: Array  # (n,) log probability of the labels of rows left out
    log_loss: float  # per unit of weight of these


def fit_classes(search: Search, rows: Rows, base: Array, warm: WarmStart | None = None) -> Fit:
    """Choose kernels by regression, their amplitude by rows left out; `rows`: labels; `base` (K,): log base rates."""
    search, ranking = choose(search, warm)
    if search.scaling.tails is not None:
        rows = rows.compressed(search.scaling.tails)
    candidates = ranking[: policy.LATENT_CONTENDERS]
    if search.settings.kernel is None:
        candidates = [*candidates, *fixed_candidates(search, ranking[0])]
    weighed = _weighed(search, rows, _tuned(search, rows, base, candidates))
    contestants = [contestant for contestant, _ in weighed]
    members = [_member(search, rows, contestant, weight) for contestant, weight in weighed if weight > 0]
    averaged = list(range(len(members)))
    finder, n_jobs = ClassSites(base), search.settings.n_jobs
    search.progress.say(f"probabilities of {base.size} classes from {rows.n_rows} rows")
    found = [finder.find(member.problem.on(rows).with_jobs(n_jobs), member.theta) for member in members]
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
    """Candidates with the amplitude that predicts rows left out, the best first."""
    targets, budget = Subsets(rows, search.subsets.order), search.budget
    some = targets.first(policy.CLASS_ROWS)
    labels = labels_of(some, base)
    out: list[Contestant] = []
    for candidate in candidates:
        if out and budget.is_over():
            break
        try:
            out.append(_contestant(search, candidate, some, labels))
        except KeyboardInterrupt:
            if not out:  # nothing to keep
                raise
            budget.interrupted = True
    return sorted(out, key=lambda contestant: contestant.log_loss)


def _contestant(search: Search, candidate: Candidate, some: Rows, labels: Labels) -> Contestant:
    """A candidate with the amplitude that predicts rows left out."""
    problem, theta = candidate.learned.problem, candidate.learned.run.theta
    if candidate.compared is not None:
        problem, theta = candidate.tuned.process.problem, candidate.tuned.theta
    if not problem.is_closed and candidate.plan.growing:
        columns = compare_columns(search.rows.n_rows)
        problem = with_columns(problem, columns, search.stream("compare", candidate.plan, columns))
    gained = best_gain(folds(process_at(problem.on(some), theta), labels), labels)
    values = problem.layout.unpack(theta)
    louder = values | {"log_amplitude": values["log_amplitude"] + gained.log_gain}
    left_out = gained.log_probability(labels)
    log_loss = -float(labels.weight @ left_out) / float(labels.weight.sum())
    search.progress.say(f"{candidate.plan.kernel.name}: log loss {log_loss:.4f} of rows left out")
    return Contestant(candidate, problem, problem.layout.pack(louder), left_out, log_loss)


def _weighed(search: Search, rows: Rows, contestants: list[Contestant]) -> list[tuple[Contestant, float]]:
    """Kernels with their weights, those that have one first: of few rows in closed form, what predicts best; or one."""
    closed = all(contestant.problem.is_closed for contestant in contestants)
    if not closed or search.settings.kernel is not None or search.budget.is_over():
        return [(contestant, float(rank == 0)) for rank, contestant in enumerate(contestants)]
    weight = Subsets(rows, search.subsets.order).first(policy.CLASS_ROWS).targets()[1]
    shares = stacked_weights(np.column_stack([contestant.left_out for contestant in contestants]), weight)
    weighed = [
        (contestant, float(share) if share >= policy.LEAST_WEIGHT else 0.0)
        for contestant, share in zip(contestants, shares, strict=True)
    ]
    return sorted(weighed, key=lambda pair: pair[1] == 0)


def _member(search: Search, rows: Rows, contestant: Contestant, weight: float) -> Member:
    """A kernel as the posterior has it: by features with as many columns as time and memory are spent on."""
    problem, plan = contestant.problem.without_rows(), contestant.candidate.plan
    if not problem.is_closed and plan.growing:
        columns = class_columns(rows.n_rows, search.rows.n_targets)
        problem = with_columns(problem, columns, search.streams("grow", columns))
    return Member(problem, contestant.theta, problem.layout.size, float(weight))


def _place(contestant: Contestant) -> Candidate:
    """A line of the ranking."""
    learned = contestant.candidate.learned
    learned = replace(learned, run=replace(learned.run, theta=contestant.theta))
    return replace(contestant.candidate, learned=learned, compared=None)
