"""Components that contribute nothing are dropped.

In: a plan and what was learned. Out: the same with fewer components.
"""

from dataclasses import replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.parameters import Layout
from alakarte.search.learn import Learned
from alakarte.search.plan import Plan


def pruned(plan: Plan, learned: Learned) -> tuple[Plan, Learned]:
    """Without the components whose part of the variance has vanished, and their frequencies."""
    problem, kernel = learned.problem, plan.kernel
    given = plan.settings.n_components is not None or kernel.fixed or kernel.bounds or kernel.periods is not None
    if given or not plan.growing or not kernel.has_components:
        return plan, learned
    values, Q = problem.layout.unpack(learned.run.theta), problem.draws.shape.n_components
    variance = np.exp(2 * values["log_amplitude"])
    keep = variance >= policy.VANISHED * variance.sum()
    if keep.all():
        return plan, learned
    draws = problem.draws.of_components(keep)
    of_kernel = [problem.layout.learned_like(p) for p in kernel.parameters(draws.shape)]
    of_likelihood = problem.layout.parameters[len(of_kernel) :]
    layout = Layout((*of_kernel, *of_likelihood))
    theta = layout.pack({name: v[keep] if np.shape(v)[:1] == (Q,) else v for name, v in values.items()})
    problem = replace(problem, layout=layout, draws=draws)
    learned = replace(learned, problem=problem, run=replace(learned.run, theta=theta))
    return replace(plan, n_components=int(keep.sum())), learned
