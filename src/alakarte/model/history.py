"""Fitted attributes about the search, in nats of the user's y, and the warning where it fell short."""

import numpy as np

from alakarte.search.context import Fit
from alakarte.search.grow import Refit


def attributes(found: Fit, log_scale: float) -> dict:
    """Public attributes by name; `log_scale` is log std(y)."""
    learned = found.learned
    run = learned.run
    offset = learned.problem.rows.total * log_scale
    value, norm, seconds = (np.array(column) for column in zip(*run.trace, strict=True))
    n_components = found.settings.n_components
    return {
        "input_tails_": None if (tails := found.scaling.tails) is None else tails.edge * found.scaling.x_scale,
        "n_components_": n_components,
        "n_frequencies_": _frequencies(learned.problem, n_components),
        "n_learning_rows_": learned.problem.rows.n_rows,
        "n_iter_": run.n_iter,
        "n_evaluations_": sum(one.n_evaluations for one in [t.learned for t in found.ranking] or [learned]),
        "trace_": {"value": -value - offset, "gradient_norm": norm, "seconds": seconds},
        "stop_reason_": run.reason,
        "converged_": run.converged and not run.n_failed,
        "starts_": [
            {
                "log_marginal_likelihood": -r.value - learned.screened_total * log_scale,
                "theta": r.theta,
                "n_iter": r.n_iter,
                "stop_reason": r.reason,
            }
            for r in learned.screened
        ],
        "ranking_": [
            {
                "kernel": one.settings.kernel.name,
                "n_components": one.settings.n_components,
                "drawn_in": one.drawn_in,
                "n_basis": one.at.n_basis,
                "log_marginal_likelihood": -one.at.value - one.at.model.problem.rows.total * log_scale,
                "n_parameters": one.learned.problem.layout.size,
                "weight": float(rank == 0),  # until they are averaged
            }
            for rank, one in enumerate(found.ranking)
        ],
    }


def posterior_attributes(final: Refit, n_components: int) -> dict:
    """Those that change where rows come and go."""
    return {
        "n_posterior_frequencies_": _frequencies(final.model.problem, n_components),
        "growth_reason_": final.reason,
        "n_basis_": final.n_basis,
    }


def _frequencies(problem, n_components: int) -> int:
    """Of each component; none of a closed form."""
    return 0 if problem.form == "exact" else problem.draws.shape.n_frequencies // n_components


def warning(found: Fit, estimator) -> str | None:
    """What the user must know: failed evaluations, an interruption, a search cut short by `max_iter`."""
    run = found.learned.run
    planned = run.converged or run.reason.startswith("max_time")
    if run.reason.startswith("max_iter"):  # a menu and a last stage of few iterations mean it
        planned = bool(found.ranking) or len(found.learned.runs) > 1
    if planned and not run.n_failed:
        return None
    return (
        f"The fit stopped early: {run.reason}. The best point so far is kept; raise max_iter (now "
        f"{estimator.max_iter}) or tol (now {estimator.tol:g} nats) if you need more."
    )
