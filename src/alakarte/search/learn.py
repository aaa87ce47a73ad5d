"""From rows to learned parameters: starts, short runs on few rows, then a long one on more. Paper, section 5.1.

In: a `Search` and the `Plan` of a kernel. Out: `Learned`. Reads no clock but for the trace; the same seed gives the
same bits for any number of threads, because every evaluation does.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.summary import SUMMARY_ROWS, summarise
from alakarte.errors import NUMERICAL_ERRORS
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml
from alakarte.process.problem import Problem, require_closed_form
from alakarte.records import Array, Draws
from alakarte.search.context import Search
from alakarte.search.first_steps import first_steps
from alakarte.search.optimise import Run
from alakarte.search.plan import Plan, Stage
from alakarte.search.run_stage import long_run, problem_flops, short_stage
from alakarte.search.set_up import set_up
from alakarte.search.starts import Start, make_starts, nested_starts, wave_start
from alakarte.search.stopping import NOT_BEGUN

WarmStart: TypeAlias = tuple[Draws, Array]  # draws and theta of an earlier fit of the same kernel


@dataclass(frozen=True)
class Learned:
    """The problem, its best theta, and how it was found."""

    problem: Problem  # on the rows of the last stage
    run: Run
    screened: list[Run]
    runs: list[Run]  # after the screening, `run` the last; the best of the screening before
    screened_total: float  # N of the rows that starts were screened on
    from_waves: Array | None = None  # the start from waves as it was, before any step

    @property
    def nlml_per_row(self) -> float:
        """On the rows of the last stage."""
        return self.run.nlml / self.problem.rows.total

    def valued_on(self, rows: Rows) -> "Learned":
        """The same theta on other rows, if it was learned from more."""
        if self.problem.rows.n_rows <= rows.n_rows:
            return self
        problem = self.problem.on(rows)
        return replace(self, problem=problem, run=replace(self.run, nlml=_value(problem, self.run.theta)))

    @property
    def only_screened(self) -> bool:
        """Whether a start was chosen and nothing more."""
        return any(self.run is run for run in self.screened)

    @property
    def n_evaluations(self) -> int:
        """All stages together."""
        return sum(run.n_evaluations for run in self.runs) + sum(
            run.n_evaluations for run in self.screened if run is not self.runs[0]
        )


def learn(search: Search, plan: Plan, warm: WarmStart | None = None) -> Learned:
    """The starts screened on few rows, the best learned on more."""
    learned = begin(search, plan, warm)
    for stage in plan.rungs(learned.problem.layout.size):
        try:
            learned = climb(search, plan, learned, stage)
        except KeyboardInterrupt:
            if not learned.runs:  # nothing to keep
                raise
            search.budget.interrupted = True
    return learned


def begin(search: Search, plan: Plan, warm: WarmStart | None = None, simpler: Learned | None = None) -> Learned:
    """The best start after a few steps on few rows, or the only start as it is.

    Where a `simpler` kernel has been learned, some of the starts come from that.
    """
    settings, streams = plan.settings, search.streams.within("learn", plan.kernel.name, plan.n_components)
    rows = search.subsets.first(plan.screening_stage().n_rows)
    problem = set_up(plan, rows, search.scaling, streams("draws"))
    if plan.learns_closed_form(problem.layout.size):
        require_closed_form(plan.kernel)
        problem = replace(problem, computation=Computation.CLOSED)
    if warm is not None and warm[1].size == problem.layout.size:
        if warm[0].shape == problem.draws.shape or plan.growing:
            problem = replace(problem, draws=warm[0])
        starts = [Start(problem.layout.clip(warm[1]))]
    else:
        block = search.subsets.first(min(SUMMARY_ROWS, rows.n_rows)).whole()
        summary = summarise(block.x, block.weight, streams("summary"))
        n_starts = 1 if settings.max_iter == 0 else settings.n_restarts
        starts = make_starts(problem, summary, n_starts, streams.within("starts"))
        if simpler is not None and n_starts > 1:
            nested = nested_starts(problem, starts[0], simpler.problem.layout.unpack(simpler.run.theta))
            nested = nested[: n_starts - 1]
            starts = starts[: n_starts - len(nested)] + nested
        if plan.waves is not None:
            starts = [wave_start(problem, plan.waves, starts[0]), *starts[1:]]
    problem = _with_free_centres(plan, problem)
    if len(starts) == 1 or settings.max_iter_restart == 0:
        run = Run(starts[0].theta, np.inf, 0, NOT_BEGUN, 0, [])
        return Learned(problem, run, [], [], rows.total)
    screened = first_steps(search, plan, problem, starts)
    best = min(screened, key=lambda run: run.objective)
    from_waves = None if plan.waves is None else starts[0].theta
    return Learned(problem, best, screened, [best], rows.total, from_waves)


def climb(search: Search, plan: Plan, learned: Learned, stage: Stage) -> Learned:
    """A long run on the rows of a stage, unless there is a result and no time for more."""
    rows = search.subsets.first(stage.n_rows)
    problem = _with_free_centres(plan, learned.problem.on(rows))
    if learned.runs and not search.budget.allows(problem_flops(problem)):
        return learned
    begun = _confirmed(problem, learned)
    trials = _trials(search, plan, problem, begun)
    best = min(trials, key=lambda run: run.objective) if trials else begun.run
    theta = best.theta
    if learned.runs and not trials:
        theta = _with_enough_noise(problem, theta, begun.nlml_per_row)
    if trials and stage.max_iter <= policy.TRIAL_ITERATIONS and np.isfinite(best.nlml):  # its steps have been taken
        return replace(learned, problem=problem, run=best, runs=trials)
    problem, run = long_run(search, plan, problem, theta, stage)
    if not learned.runs:
        return Learned(problem, run, [run], [run], rows.total)
    if not np.isfinite(run.nlml):  # no number in the long run: the result before it stands
        problem = learned.problem
        run = replace(run, theta=learned.run.theta, nlml=learned.run.nlml, penalty=learned.run.penalty)
    before = [] if learned.only_screened else learned.runs
    return replace(learned, problem=problem, run=run, runs=[*before, *trials, run])


def side_by_side(search: Search, kernels: list[Learned]) -> int:
    """How many of these may climb at once: one per thread where all are small, else one on all threads."""
    small = all(kernel.problem.is_closed for kernel in kernels) and search.rows.n_rows <= policy.FEW_ROWS
    return search.settings.n_jobs if small else 1


def _with_free_centres(plan: Plan, problem: Problem) -> Problem:
    """No parameter is slow where there are 12 rows per parameter, half of them in this stage [E22]."""
    needed = policy.ROWS_TO_SPARE * problem.layout.size
    if plan.n_rows < needed or problem.rows.n_rows < needed // 2:
        return problem
    return replace(problem, layout=problem.layout.hastened())


def _confirmed(problem: Problem, learned: Learned) -> Learned:
    """Without the starts that more rows refute, where the best is one of them and not all are.

    Few different targets reward noise of zero on few rows; with more noise then, what is left is noise alone.
    """
    if not learned.only_screened or not _is_refuted(problem, learned, learned.run):
        return learned
    kept = [run for run in learned.screened if not _is_refuted(problem, learned, run)]
    return replace(learned, run=min(kept, key=lambda run: run.objective), screened=kept) if kept else learned


def _is_refuted(problem: Problem, learned: Learned, run: Run) -> bool:
    """Whether more rows cost far more each than those that a start was screened on."""
    before, total = run.nlml / learned.screened_total, problem.rows.total
    return _value(problem, run.theta) > (before + policy.JUMP) * total


def _trials(search: Search, plan: Plan, problem: Problem, learned: Learned) -> list[Run]:
    """A few steps on twice the rows of two starts that the first steps may have ranked by chance; nothing else."""
    if not learned.only_screened or problem.rows.total < 2 * learned.screened_total:
        return []
    starts = _to_try(plan, problem, learned)
    if not starts:
        return []
    return short_stage(search, plan, problem, starts, min(policy.TRIAL_ITERATIONS, plan.settings.max_iter))


def _to_try(plan: Plan, problem: Problem, learned: Learned) -> list[Start]:
    """The best start beside waves of several inputs as they were found; the two best where neither is clearly ahead.

    In closed form of mixtures only: others find their optimum from any start. A few rows of an image are so far apart
    that steps on them lead bands astray.
    """
    if problem.is_closed and not plan.kernel.has_components:
        return []
    if problem.is_closed and plan.n_inputs > 1 and learned.from_waves is not None:
        return [Start(learned.from_waves), Start(learned.run.theta)]
    best = sorted(learned.screened, key=lambda run: run.objective)[:2]
    if len(best) < 2 or best[1].objective - best[0].objective > policy.NEAR * learned.screened_total:
        return []
    return [Start(run.theta) for run in best]


def _with_enough_noise(problem: Problem, theta: Array, before: float) -> Array:
    """Theta, with more noise where more rows show that few were fitted without; `before`: nlml per row."""
    total, layout, noise = problem.rows.total, problem.layout, problem.noise
    least = _value(problem, theta)
    if least <= (before + policy.JUMP) * total:
        return theta
    values = layout.unpack(theta)
    for variance in policy.MORE_NOISE:
        noisier = layout.clip(layout.pack(noise.with_noise_variance(values, variance)))
        value = _value(problem, noisier)
        if value < least:
            theta, least = noisier, value
    return theta


def _value(problem: Problem, theta: Array) -> float:
    """The nlml; infinite where there is no number."""
    try:
        value = nlml(problem, theta)
    except NUMERICAL_ERRORS:
        return np.inf
    return value if np.isfinite(value) else np.inf


def learn_further(
    search: Search, plan: Plan, learned: Learned, problem: Problem, theta: Array, stage: Stage
) -> Learned:
    """Go on from theta with another set of rows or frequencies, unless there is no time for that."""
    if not search.budget.allows(problem_flops(problem)):
        return learned
    problem, run = long_run(search, plan, problem, theta, stage)
    return replace(learned, problem=problem, run=run, runs=[*learned.runs, run])
