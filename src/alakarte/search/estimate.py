"""What a fit will take, told before it begins: columns, flops and bytes, if all stages run their full length."""

from alakarte.search.candidates import menu
from alakarte.search.context import Search
from alakarte.search.cost import comparing_flops, most_columns, posterior_bytes, posterior_flops
from alakarte.search.plan import Plan


def tell_estimate(search: Search) -> None:
    """Hand the estimate to the progress of the fit."""
    plans, n_rows = menu(search), search.rows.n_rows
    columns = max(plan.shape.n_frequencies * plan.kernel.columns_per_frequency for plan in plans)
    closed = plans[0].keeps_closed_form
    work = comparing_flops(n_rows, len(plans), closed=closed) + sum(_learning_flops(plan) for plan in plans)
    if any(plan.growing and not plan.keeps_closed_form for plan in plans):
        work += plans[-1].refinement_flops(0)
        columns = most_columns(n_rows, patient=search.budget.patient)
    elif any(plan.keeps_closed_form for plan in plans):
        columns = n_rows
    work += posterior_flops(n_rows, columns)
    search.progress.estimate(n_rows, columns, work, posterior_bytes(columns))


def _learning_flops(plan: Plan) -> float:
    """Of the first stages of a kernel."""
    n_parameters = sum(p.size for p in plan.kernel.parameters(plan.shape))
    closed = plan.learns_closed_form(n_parameters)
    screening, rungs = plan.screening_stage(), plan.rungs(n_parameters)
    first = plan.settings.n_restarts * screening.max_iter * plan.evaluation_flops(screening.n_rows, closed=closed)
    return first + sum(rung.max_iter * plan.evaluation_flops(rung.n_rows, closed=closed) for rung in rungs)
