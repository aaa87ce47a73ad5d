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


def history(fit: Fit) -> History:
    """What is kept of how a fit went."""
    best, scaling = fit.best, fit.search.scaling
    run, problem = best.learned.run, best.learned.problem
    chosen, interrupted = fit.search.settings.kernel is None, fit.search.budget.interrupted
    nlml, norm, seconds = (np.array(column) for column in zip(*run.trace, strict=True))
    return History(
        n_components=best.plan.n_components,
        n_frequencies=0 if problem.is_closed else problem.draws.shape.n_frequencies // best.plan.n_components,
        n_learning_rows=problem.rows.n_rows,
        n_iter=run.n_iter,
        n_evaluations=sum(candidate.learned.n_evaluations for candidate in fit.ranking),
        trace={
            "value": np.array([scaling.log_evidence(value, problem.rows.total) for value in nlml]),
            "gradient_norm": norm,
            "seconds": seconds,
        },
        stop_reason="interrupted" if interrupted else _stop_reason(fit),
        converged=run.ending.converged and not run.n_failed and not interrupted,
        starts=_starts(fit),
        ranking=[_place(fit, candidate) for candidate in fit.ranking] if chosen else [],
        averaged=tuple(fit.averaged),
    )


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


def _place(fit: Fit, candidate: Candidate) -> dict[str, Any]:
    """A line of the ranking."""
    tuned = candidate.tuned
    total = tuned.process.problem.rows.total
    return {
        "kernel": candidate.plan.kernel.name,
        "n_components": candidate.plan.n_components,
        "compressed": candidate.compressed,
        "n_basis": tuned.n_basis,
        "log_marginal_likelihood": fit.search.scaling.log_evidence(tuned.nlml, total),
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
