"""What a fit will take, told before it begins: columns, flops and bytes, if all goes as it mostly does."""

from alakarte.search.candidates import menu
from alakarte.search.context import Search
from alakarte.search.cost import (
    comparing_flops,
    expected_flops,
    posterior_bytes,
    posterior_flops,
)
from alakarte.search.plan import Plan, Stage


def tell_estimate(search: Search) -> None:
    """Hand the estimate to the progress of the fit."""
    plans, n_rows = menu(search), search.rows.n_rows
    columns = max(plan.n_columns for plan in plans)
    closed = plans[0].keeps_closed_form
    work = len(plans) * comparing_flops(n_rows, search.compare_columns, closed=closed)
    work += sum(_learning_flops(plan) for plan in plans)
    if any(plan.growing and not plan.keeps_closed_form for plan in plans):
        work += plans[-1].refinement_flops(0)
        columns = search.most_columns
    elif any(plan.keeps_closed_form for plan in plans):
        columns = n_rows
    work += posterior_flops(n_rows, columns)
    search.progress.estimate(n_rows, columns, work, posterior_bytes(columns))


def _learning_flops(plan: Plan) -> float:
    """Of the first stages of a kernel; half of the kernels climb beyond the first rung."""
    n_parameters = sum(p.size for p in plan.kernel.parameters(plan.shape))
    closed = plan.learns_closed_form(n_parameters)
    screening, rungs = plan.screening_stage(), plan.rungs(n_parameters)

    def flops(stage: Stage) -> float:
        return expected_flops(stage.max_iter, plan.evaluation_flops(stage.n_rows, closed=closed))

    return plan.settings.n_restarts * flops(screening) + flops(rungs[0]) + 0.5 * sum(map(flops, rungs[1:]))
