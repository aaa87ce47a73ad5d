"""The evidence of several kernels on all rows, in one pass over them: every block is read and standardised once.

In: learned kernels. Out: `Candidate`s, with noise and common amplitude tuned to fresh frequencies: a kernel that has
fitted those it was learned with, and not the rows, loses by it. Closed forms have no columns, and stay as they are.
"""

import time

import numpy as np

import alakarte.search.policy as policy
from alakarte.execution.budget import Budget
from alakarte.process.computation import Computation
from alakarte.process.noise_and_gain import TunedProcess, tune
from alakarte.process.objective import row_space
from alakarte.process.problem import Problem, process_at
from alakarte.process.sums import statistics_of_each
from alakarte.records import Array
from alakarte.search.candidates import Candidate
from alakarte.search.context import Search
from alakarte.search.cost import posterior_flops
from alakarte.search.learn import Learned
from alakarte.search.plan import Plan
from alakarte.search.prune import pruned


def compare(search: Search, learned: list[tuple[Plan, Learned]], columns: int = 0) -> list[Candidate]:
    """Their processes on all rows, at `columns` or the common number of them."""
    columns = columns or search.compare_columns
    learned = [pruned(plan, kernel) for plan, kernel in learned]
    problems = [_on_all_rows(search, plan, kernel, columns) for plan, kernel in learned]
    processes = _processes(search, problems, [kernel for _, kernel in learned])
    candidates = [
        Candidate(plan, kernel, process, compressed=search.compressed)
        for (plan, kernel), process in zip(learned, processes, strict=True)
    ]
    for candidate in candidates:
        evidence = search.progress.log_evidence(candidate.tuned.nlml, search.rows.total)
        closed = candidate.tuned.process.expansion is None
        size = "exact" if closed else f"with {candidate.tuned.n_basis} columns"
        search.progress.say(f"{candidate.plan.label}: log evidence {evidence:.1f} {size} on all rows")
    return candidates


def _on_all_rows(search: Search, plan: Plan, learned: Learned, columns: int) -> Problem:
    """The problem on all rows, with fresh frequencies where they are not its parameters."""
    problem = learned.problem.on(search.rows)
    if plan.kernel.learns_frequencies or (problem.is_closed and plan.keeps_closed_form):
        return problem
    return with_columns(problem, columns, search.stream("compare", plan, columns))


def with_columns(problem: Problem, columns: int, rng: np.random.Generator) -> Problem:
    """The same problem with fresh frequencies, evenly over its components: so many columns."""
    return problem.with_columns(columns, rng)


def _processes(search: Search, problems: list[Problem], learned: list[Learned]) -> list[TunedProcess]:
    """A tuned process each, in one pass over the rows; a closed form as it is."""
    pairs = list(zip(problems, [kernel.run.theta for kernel in learned], strict=True))
    keep = len(problems) == 1 or search.rows.n_rows <= policy.FEW_ROWS  # else several factors would fill the memory
    tuned: list[TunedProcess | None] = [
        as_learned(problem, theta, keep=keep) if problem.is_closed else None for problem, theta in pairs
    ]
    left = [pair for pair, process in zip(pairs, tuned, strict=True) if process is None]
    fresh = iter(tune_each([problem for problem, _ in left], [theta for _, theta in left], search.budget))
    return [process or next(fresh) for process in tuned]


def tune_each(problems: list[Problem], thetas: list[Array], budget: Budget) -> list[TunedProcess]:
    """Noise and common amplitude of several problems on the same rows, in one pass over them."""
    began = time.perf_counter()
    processes = [process_at(problem, theta) for problem, theta in zip(problems, thetas, strict=True)]
    in_weight_space = [process for process in processes if process.computation is Computation.WEIGHTS]
    sums = {}
    if in_weight_space:
        problem = in_weight_space[0].problem
        of_each = statistics_of_each(problem.rows, [process.features for process in in_weight_space], problem.n_jobs)
        sums = {id(process): statistics for process, statistics in zip(in_weight_space, of_each, strict=True)}
    tuned = [tune(process, theta, sums.get(id(process))) for process, theta in zip(processes, thetas, strict=True)]
    work = sum(posterior_flops(each.process.problem.rows.n_rows, each.n_basis) for each in tuned)
    if tuned:
        budget.observe(work, time.perf_counter() - began)
    return tuned


def tune_one(problem: Problem, theta: Array, budget: Budget) -> TunedProcess:
    """One pass over the rows, then noise and common amplitude."""
    return tune_each([problem], [theta], budget)[0]


def as_learned(problem: Problem, theta: Array, *, keep: bool = True) -> TunedProcess:
    """The closed form at theta on all rows, nothing tuned; with its factor, if that is to be kept for a posterior."""
    process = process_at(problem, theta)
    solved = row_space(process)
    return TunedProcess(process, theta, solved.nlml, None, solved if keep else None)
