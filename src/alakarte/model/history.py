"""How a fit went, in nats of the user's y: starts, trace, ranking, why it stopped; and the warning where it fell short.

In: a `Fit`. Out: `History`, plain values only.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from alakarte.records import Array
from alakarte.search.candidates import Candidate
from alakarte.search.fit import Fit
from alakarte.search.stopping import Ending, Stop


@dataclass(frozen=True)
class History:
    """What a user may read of the search."""

    n_components: int
    n_frequencies: int  # of each component, learned with; 0 for a closed form
    n_learning_rows: int
    n_iter: int
    n_evaluations: int
    trace: dict[str, Array]  # of the last run
    stop_reason: str
    converged: bool
    starts: list[dict[str, Any]]
    ranking: list[dict[str, Any]]  # empty where the kernel was given by name
    averaged: tuple[int, ...]  # ranks of the kernels in the posterior of the fit
    n_neighbors: int = 0  # that predictions are made from, beside features or alone
    left_out_log_density: float | None = None  # per row; None where neighbours were not tried


def history(fit: Fit) -> History:
    """What is kept of how a fit went."""
    best, scaling = fit.best, fit.search.scaling
    run, problem = best.learned.run, best.learned.problem
    chosen, interrupted = fit.search.settings.kernel is None, fit.search.budget.interrupted
    nlml, norm, seconds = np.array(run.trace).reshape(-1, 3).T
    return History(
        n_components=best.plan.n_components,
        n_frequencies=0 if problem.is_closed else problem.draws.shape.n_frequencies // best.plan.n_components,
        n_learning_rows=problem.rows.n_rows,
        n_iter=1 if best.fixed else run.n_iter,  # its one step is its evaluation: scikit-learn asks for one at least
        n_evaluations=sum(candidate.learned.n_evaluations for candidate in fit.ranking),
        trace={
            "value": np.array([scaling.log_evidence(value, problem.rows.total) for value in nlml]),
            "gradient_norm": norm,
            "seconds": seconds,
        },
        stop_reason="interrupted" if interrupted else _stop_reason(fit),
        converged=run.ending.converged and not run.n_failed and not interrupted,
        starts=_starts(fit),
        ranking=_ranking(fit) if chosen else [],
        averaged=tuple(fit.averaged),
        n_neighbors=best.n_neighbors,
        left_out_log_density=_left_out_log_density(fit, best),
    )


def _left_out_log_density(fit: Fit, candidate: Candidate) -> float | None:
    """Per row in nats of the user's y, where features and neighbours were compared."""
    log_density = candidate.log_density
    return None if np.isnan(log_density) else fit.search.scaling.log_evidence(-log_density, 1.0)


def _stop_reason(fit: Fit) -> str:
    """Of the last run; where a start was chosen and there was no time to go on from there, that is the reason."""
    learned, max_time = fit.best.learned, fit.search.budget.max_time
    if max_time is not None and learned.only_screened and learned.run.ending.stop is Stop.MAX_ITER:
        return Ending(Stop.MAX_TIME, converged=False, limit=max_time).text
    return learned.run.reason


def _starts(fit: Fit) -> list[dict[str, Any]]:
    """Evidence, end and reason of the short run from every start of the best kernel."""
    learned, scaling = fit.best.learned, fit.search.scaling
    return [
        {
            "log_marginal_likelihood": scaling.log_evidence(run.nlml, learned.screened_total),
            "theta": run.theta,
            "n_iter": run.n_iter,
            "stop_reason": run.reason,
        }
        for run in learned.screened
    ]


def _ranking(fit: Fit) -> list[dict[str, Any]]:
    """Lines of the ranking, with the log loss of rows left out where kernels are ranked by that."""
    places = [_place(fit, candidate) for candidate in fit.ranking]
    if _left_out_log_density(fit, fit.best) is not None:
        for place, candidate in zip(places, fit.ranking, strict=True):
            place["n_neighbors"] = candidate.n_neighbors
            place["left_out_log_density"] = _left_out_log_density(fit, candidate)
    if not fit.left_out:
        return places
    for place, log_loss in zip(places, fit.left_out, strict=True):
        del place["log_marginal_likelihood"]  # that of regression on indicators
        place["left_out_log_loss"] = log_loss
    return places


def _place(fit: Fit, candidate: Candidate) -> dict[str, Any]:
    """A line of the ranking; its evidence is that of all rows, or of those of its last stage."""
    problem, nlml, n_basis = candidate.learned.problem, candidate.learned.run.nlml, candidate.learned.problem.n_basis
    if candidate.compared is not None:
        problem, nlml = candidate.tuned.process.problem, candidate.tuned.nlml
        n_basis = candidate.tuned.n_basis
    elif problem.is_closed:
        n_basis = problem.rows.n_rows
    if candidate.n_neighbors and candidate.rough is None:
        nlml, n_basis = np.nan, fit.search.rows.n_rows  # neighbours have no evidence
    return {
        "kernel": candidate.label,
        "fixed": candidate.fixed,
        "n_components": candidate.plan.n_components,
        "compressed": candidate.compressed,
        "n_basis": n_basis,
        "log_marginal_likelihood": fit.search.scaling.log_evidence(nlml, problem.rows.total),
        "n_parameters": candidate.n_parameters,
    }


def shortfall(fit: Fit) -> str | None:
    """What the user must know: failed evaluations, a search cut short by `max_iter` or by the line search."""
    learned, settings = fit.best.learned, fit.search.settings
    run, stop = learned.run, learned.run.ending.stop
    short = not run.ending.converged and stop is not Stop.MAX_TIME
    if stop is Stop.MAX_ITER:  # several kernels and a last stage of few iterations mean it
        short = settings.kernel is not None and run.ending.limit >= settings.max_iter
    if not short and not run.n_failed:
        return None
    text = f"The fit stopped early: {run.reason}. The best point so far is kept"
    if stop is Stop.MAX_ITER and short:
        return f"{text}; raise max_iter (now {settings.max_iter}) or tol (now {settings.tol:g} nats) if you need more."
    return f"{text}; raise tol (now {settings.tol:g} nats), or noise_std if the data have noise, if that is not enough."
