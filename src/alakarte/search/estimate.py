"""What a fit will take, told before it begins: columns, flops and bytes, if all goes as it mostly does."""

import alakarte.search.policy as policy
from alakarte.search.candidates import menu
from alakarte.search.context import Search
from alakarte.search.cost import (
    comparing_flops,
    evaluation_flops,
    expected_flops,
    local_flops,
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
    work += sum(_learning_flops(plan, len(plans)) for plan in plans)
    if any(plan.growing and not plan.keeps_closed_form for plan in plans):
        work += _refining_flops(plans[-1]) + (local_flops(search.rows.n_inputs) if len(plans) > 1 else 0.0)
        columns = search.most_columns
    elif any(plan.keeps_closed_form for plan in plans):
        columns = n_rows
    work += posterior_flops(n_rows, columns)
    search.progress.estimate(n_rows, columns, work, posterior_bytes(columns))


def _learning_flops(plan: Plan, n_plans: int) -> float:
    """Of the first stages of a kernel; half of them climb beyond the first rung, of many rows about one."""
    n_parameters = sum(p.size for p in plan.kernel.parameters(plan.shape))
    closed = plan.learns_closed_form(n_parameters)
    screening, rungs = plan.screening_stage(), plan.rungs(n_parameters)
    alone = plan.n_rows > policy.FEW_ROWS and n_plans > 1

    def flops(stage: Stage) -> float:
        closed_here = closed or (plan.begins_closed_form and stage is screening)
        return expected_flops(stage.max_iter, plan.evaluation_flops(stage.n_rows, closed=closed_here))

    later = 1 / n_plans if alone else 0.5
    parts = [1.0] + [later] * (len(rungs) - 1)
    work = plan.settings.n_restarts * flops(screening)
    if alone:
        parts[-1] = later
        if len(rungs) == 1 and plan.kernel.has_components:  # a few steps from the two best starts
            work += 2 * flops(Stage(rungs[0].n_rows, policy.TRIAL_ITERATIONS, 0.0))
    return work + sum(part * flops(stage) for part, stage in zip(parts, rungs, strict=True))


def _refining_flops(plan: Plan) -> float:
    """Of further steps: with more frequencies where the long run sees all rows, on more rows else."""
    columns, stage = plan.n_columns, plan.last_stage(plan.n_columns)
    if stage is None:
        columns, stage = policy.SECOND_COLUMNS, plan.second_stage()
    return expected_flops(stage.max_iter, evaluation_flops(stage.n_rows, columns))
