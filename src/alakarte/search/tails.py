"""Whether to compress the tails of inputs: the best kernel takes the same further steps with and without.

In: kernels learned on some rows. Out: the same search and kernels, or those on compressed inputs.
"""

import alakarte.search.policy as policy
from alakarte.search.context import Search
from alakarte.search.learn import Learned, climb
from alakarte.search.plan import Plan


def draw_in_tails(search: Search, learned: list[tuple[Plan, Learned]]) -> tuple[Search, list[tuple[Plan, Learned]]]:
    """The kernels after further steps on compressed inputs, if the evidence of the best is clearly better by that."""
    compressed = None if search.budget.is_over() else search.with_compressed_tails()
    if compressed is None:
        return search, learned
    search.progress.say("some inputs lie far out: a few steps with their tails compressed")
    best = min(learned, key=lambda pair: pair[1].nlml_per_row)
    without, within = _further(search, *best), _further(compressed, *best)
    gain = (without.nlml_per_row - within.nlml_per_row) * search.rows.total
    if not gain > max(policy.CLEARLY, policy.CLEARLY_PER_ROW * search.rows.total):  # NaN is no gain
        return search, [(plan, without if kernel is best[1] else kernel) for plan, kernel in learned]
    moved = [(plan, within if kernel is best[1] else _further(compressed, plan, kernel)) for plan, kernel in learned]
    return compressed, moved


def _further(search: Search, plan: Plan, learned: Learned) -> Learned:
    """A few steps on the rows of the last stage."""
    stage = plan.priced(learned.problem.rows.n_rows, policy.TRIAL_ITERATIONS)
    return climb(search, plan, learned, stage)
