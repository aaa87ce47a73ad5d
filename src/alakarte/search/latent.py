"""From rows to a fitted process for a likelihood that is not normal: one latent function, sites for the rows.

In: a `Search` on numbers that regression can learn kernels from, and the rows with their targets. Out: `Fit`. The best
kernels of the regression, and fixed ones, are learned further under the likelihood on few rows; those that predict rows
left out go on to more. Kernels of few rows are averaged with the weights that predict rows left out best.
"""

from dataclasses import replace
from functools import partial

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.subsets import Subsets
from alakarte.execution.threads import run_together
from alakarte.likelihoods.bernoulli import Bernoulli
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.posteriors.latent import Member, latent_posterior
from alakarte.posteriors.ranking import stacked_weights
from alakarte.posteriors.row_sites import RowSites, working_regression
from alakarte.process.latent_objective import LatentEvidence
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.problem import Process
from alakarte.records import Array
from alakarte.search.candidates import Candidate
from alakarte.search.context import Search
from alakarte.search.fit import Fit, choose, keep
from alakarte.search.fixed_kernels import fixed_candidates
from alakarte.search.grow_latent import by_features
from alakarte.search.learn import WarmStart
from alakarte.search.learn_latent import Latent, LatentObjective, LatentStage, latent_problem, learn_latent, more_rows
from alakarte.search.odds import Odds, odds_of


def fit_latent(
    search: Search, rows: Rows, likelihood: RowLikelihood, inference: str, warm: WarmStart | None = None
) -> Fit:
    """Choose kernels by regression, learn them under the likelihood, average or keep the best; `rows`: targets."""
    with search.budget.without(search.time_kept_for_sites):
        search, ranking = _chosen(search, warm)
        if search.scaling.tails is not None:
            rows = rows.compressed(search.scaling.tails)
        targets = Subsets(rows, search.subsets.order)
        begun = [latent_problem(search, candidate, likelihood) for candidate in _contenders(search, ranking)]
        learned = _learned_in_stages(search, targets, begun, inference)
    return _finished(search, targets, learned, inference)


def _chosen(search: Search, warm: WarmStart | None) -> tuple[Search, list[Candidate]]:
    """Kernels by regression on some of the rows, unless the user asks for all, and the search on all of them."""
    if not search.settings.progressive or search.rows.n_rows <= policy.CHOICE_ROWS:
        return choose(search, warm)
    some = search.subsets.first(policy.CHOICE_ROWS)
    few, ranking = choose(replace(search, subsets=Subsets(some, np.arange(some.n_rows))), warm)
    n_rows, in_time = search.rows.n_rows, search.time_for_closed_form
    ranking = [replace(each, plan=replace(each.plan, n_rows=n_rows, time_for_closed_form=in_time)) for each in ranking]
    if few.scaling.tails is None:
        return search, ranking
    subsets = search.subsets.compressed(few.scaling.tails)
    return replace(search, subsets=subsets, scaling=few.scaling, streams=few.streams), ranking


def _contenders(search: Search, ranking: list[Candidate]) -> list[Candidate]:
    """The best kernels of the regression, and fixed ones that no labels have bent."""
    best = ranking[: policy.LATENT_CONTENDERS]
    return best if search.settings.kernel is not None else [*best, *fixed_candidates(search, ranking[0])]


def _learned_in_stages(search: Search, targets: Subsets, begun: list[Latent], inference: str) -> list[Latent]:
    """All on few rows; those that help to predict rows left out on more."""
    stage = LatentStage(targets.first(policy.LATENT_FIRST_ROWS), policy.LATENT_ITERATIONS, inference)
    helpful = _helpful(_side_by_side(search, begun, stage))
    limits = policy.LATENT_LAST_ITERATIONS, policy.LATENT_LAST_FLOPS
    n_rows = min(more_rows(targets.rows.n_rows, latent.problem, *limits) for latent in helpful)
    if search.budget.is_over() or n_rows <= stage.rows.n_rows:
        return helpful
    stage = LatentStage(targets.first(n_rows), policy.LATENT_LAST_ITERATIONS, inference)
    return sorted(_side_by_side(search, helpful, stage), key=lambda latent: latent.log_loss)


def _helpful(latents: list[Latent]) -> list[Latent]:
    """Those with a weight in the mixture that predicts rows left out best, the best first."""
    weight = latents[0].problem.rows.targets()[1]
    shares = stacked_weights(np.column_stack([latent.corrected for latent in latents]), weight)
    helpful = [
        replace(latent, weight=float(share))
        for latent, share in zip(latents, shares, strict=True)
        if share >= policy.LEAST_WEIGHT
    ]
    return sorted(helpful, key=lambda latent: latent.log_loss)


def _side_by_side(search: Search, latents: list[Latent], stage: LatentStage) -> list[Latent]:
    """Each kernel after a stage, one per thread; those that time or the user does not allow are left out."""
    n_jobs = search.settings.n_jobs
    side_by_side = n_jobs if len(latents) > 1 else 1
    learned: dict[int, Latent] = {}

    def one(index: int) -> None:
        if not learned or not search.budget.is_over():
            problem = latents[index].problem.with_jobs(n_jobs if side_by_side == 1 else 1)
            learned[index] = learn_latent(search, replace(latents[index], problem=problem), stage)

    try:
        run_together([partial(one, index) for index in range(len(latents))], side_by_side)
    except KeyboardInterrupt:
        search.budget.interrupted = True
        if not learned:  # nothing to keep
            raise
    return [replace(latent, problem=latent.problem.with_jobs(n_jobs)) for _, latent in sorted(learned.items())]


def _finished(search: Search, targets: Subsets, learned: list[Latent], inference: str) -> Fit:
    """The posterior on all rows, and the record of how it came about."""
    rows, best = targets.rows, learned[0]
    if best.problem.is_closed and best.candidate.plan.keeps_closed_form:
        learned, averaged = _in_closed_form(search, rows, learned, inference)
        reason = "the closed form needs none"
    else:
        best = by_features(search, _learned_further(search, targets, best, inference), rows, inference)
        learned, averaged = [best, *learned[1:]], [0]
        reason = "as many as time is spent on"
    best, kept = learned[0], [learned[rank] for rank in averaged]
    members = tuple(Member(each.problem, each.run.theta, each.n_parameters, each.weight) for each in kept)
    working = [working_regression(each.evidence) for each in kept]
    finder = RowSites(inference, best.problem.row_likelihood, best.evidence.function.values)
    with search.checkpoint.passes():
        kept_rows = rows.remembered(search.checkpoint)
        posterior = latent_posterior(finder, members, kept_rows, working, search.settings.n_jobs)
    if isinstance(finder.likelihood, Bernoulli):
        odds = keep(search, Odds(), lambda search, _: odds_of(search, kept))
        posterior = replace(posterior, **odds._asdict())
    ranking = [_as_candidate(latent) for latent in learned]
    tuned = _as_tuned(best.evidence, best.run.theta)
    ranking[0] = replace(ranking[0], compared=tuned)
    left_out = tuple(latent.log_loss for latent in learned)
    return Fit(search, ranking, tuned, reason, posterior, averaged, left_out, regression=best.candidate.learned)


def _learned_further(search: Search, targets: Subsets, best: Latent, inference: str) -> Latent:
    """The best kernel after some steps on as many rows as the last stage of a fit may cost."""
    limits = policy.LAST_ITERATIONS, min(policy.LAST_FLOPS, policy.TIME_FOR_LAST * search.budget.flops_left())
    n_rows = more_rows(targets.rows.n_rows, best.problem, *limits)
    if n_rows <= best.problem.rows.n_rows or search.budget.is_over():
        return best
    return learn_latent(search, best, LatentStage(targets.first(n_rows), policy.LAST_ITERATIONS, inference))


def _in_closed_form(
    search: Search, rows: Rows, learned: list[Latent], inference: str
) -> tuple[list[Latent], list[int]]:
    """Kernels on all rows, the best first, and the ranks of those to average: the best alone where rows are many."""
    few = rows.n_rows <= policy.FEW_ROWS and search.settings.kernel is None and not search.budget.is_over()
    n_complete = len(learned) if few else 1
    complete = [_completed(latent, rows, inference) for latent in learned[:n_complete]]
    complete = _helpful(complete)
    dropped = [latent for latent in learned if all(latent.candidate is not kept.candidate for kept in complete)]
    return [*complete, *dropped], list(range(len(complete)))


def _completed(latent: Latent, rows: Rows, inference: str) -> Latent:
    """The kernel with the evidence of all rows; as it is, where the last stage had them."""
    if latent.problem.rows is rows:
        return latent
    problem = latent.problem.on(rows)
    return replace(latent, problem=problem, found=LatentObjective(problem, inference).at(latent.run.theta))


def _as_tuned(found: LatentEvidence, theta: Array) -> TunedProcess:
    """The latent function at theta as the rest of the house knows a process."""
    function = found.function
    parts = function.values, function.spectrum, function.computation, function.expansion
    process = Process(function.problem, *parts, noise_variance=1.0, floored=False)
    return TunedProcess(process, theta, found.nlml, None)


def _as_candidate(latent: Latent) -> Candidate:
    """A line of the ranking: the evidence of the rows of its last stage."""
    run = replace(latent.run, nlml=latent.evidence.nlml)
    learned = replace(latent.candidate.learned, problem=latent.problem, run=run)
    return replace(latent.candidate, learned=learned, compared=None)
