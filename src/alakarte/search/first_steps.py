"""A few steps from every start: in closed form where the kernel has one, also before a long run with features.

In: a plan, its problem on few rows, and starts. Out: a `Run` for each. Few frequencies of many inputs fit their own
draws, and lead steps to optima that are none; on few rows the closed form is no dearer. What it has found is then
valued, with noise and common amplitude tuned, by the columns that the long run begins with.
"""

from dataclasses import replace

import numpy as np

from alakarte.errors import NUMERICAL_ERRORS
from alakarte.process.computation import Computation
from alakarte.process.noise_and_gain import tune
from alakarte.process.problem import Problem, process_at
from alakarte.process.sums import statistics
from alakarte.search.context import Search
from alakarte.search.optimise import Run
from alakarte.search.plan import Plan
from alakarte.search.run_stage import short_stage
from alakarte.search.starts import Start


def first_steps(search: Search, plan: Plan, problem: Problem, starts: list[Start]) -> list[Run]:
    """Short runs from the starts; fewer where time is over."""
    max_iter = plan.settings.max_iter_restart
    if problem.is_closed or not plan.begins_closed_form:
        return short_stage(search, plan, problem, starts, max_iter)
    closed = replace(problem, computation=Computation.CLOSED)
    return [_by_columns(problem, run) for run in short_stage(search, plan, closed, starts, max_iter)]


def _by_columns(problem: Problem, run: Run) -> Run:
    """The same with the noise, amplitude and evidence that the problem's columns have there."""
    try:
        process = process_at(problem, run.theta)
        weights = process.computation is Computation.WEIGHTS
        tuned = tune(
            process, run.theta, statistics(problem.rows, process.features, problem.n_jobs) if weights else None
        )
    except NUMERICAL_ERRORS:
        return replace(run, nlml=np.inf)
    return replace(run, theta=tuned.theta, nlml=tuned.nlml)
