"""Whether to compress the tails of inputs: the best kernel takes the same further steps with and without.

In: kernels learned on some rows. Out: the same search and kernels, or those on compressed inputs.
"""

from functools import partial

import alakarte.search.policy as policy
from alakarte.execution.threads import run_together
from alakarte.posteriors.build import build_posterior
from alakarte.process.problem import process_at
from alakarte.search.context import Search
from alakarte.search.learn import Learned, climb, side_by_side
from alakarte.search.plan import Plan


def draw_in_tails(search: Search, learned: list[tuple[Plan, Learned]]) -> tuple[Search, list[tuple[Plan, Learned]]]:
    """The kernels after further steps on compressed inputs, if the best is better by that."""
    compressed = None if search.budget.is_over() else search.with_compressed_tails()
    if compressed is None:
        return search, learned
    search.progress.say("some inputs lie far out: a few steps with their tails compressed")
    best = min(learned, key=lambda pair: pair[1].nlml_per_row)
    without, within = _further([(search, *best), (compressed, *best)])
    if not _is_better(within, without, search.rows.total):
        return search, [(plan, without if kernel is best[1] else kernel) for plan, kernel in learned]
    others = iter(_further([(compressed, *each) for each in learned if each is not best]))
    return compressed, [(plan, within if kernel is best[1] else next(others)) for plan, kernel in learned]


def _is_better(within: Learned, without: Learned, total: float) -> bool:
    """Whether compressed inputs are: by the evidence, or, where that is not clear, by the error of rows left out.

    Few rows lie far out. What a kernel says of them may cost little evidence, and be most of the squared error.
    """
    gain = (without.nlml_per_row - within.nlml_per_row) * total
    clearly = max(policy.CLEARLY, policy.CLEARLY_PER_ROW * total)
    if not abs(gain) <= clearly:  # NaN is no gain
        return gain > clearly
    return _left_out_error(within) < _left_out_error(without)


def _left_out_error(learned: Learned) -> float:
    """The squared error of the rows of the last stage, each left out, summed over targets."""
    problem, block = learned.problem, learned.problem.rows.whole()
    posterior = build_posterior(process_at(problem, learned.run.theta), learned.run.nlml)
    mean, _ = posterior.leave_one_out(block, problem.n_jobs)
    return float(block.weight @ ((block.y - mean) ** 2).sum(axis=1))


def _further(contestants: list[tuple[Search, Plan, Learned]]) -> list[Learned]:
    """A few steps of each on the rows of the last stage."""

    def one(search: Search, plan: Plan, learned: Learned) -> Learned:
        return climb(search, plan, learned, plan.priced(learned.problem.rows.n_rows, policy.TRIAL_ITERATIONS))

    if not contestants:
        return []
    search = contestants[0][0]
    at_once = side_by_side(search, [learned for *_, learned in contestants])
    return run_together([partial(one, *each) for each in contestants], at_once, search.budget.interrupt)
