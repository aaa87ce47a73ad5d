"""Whether targets are learned as they are, as logarithms, or by a power: the evidence decides, on few rows.

In: a table that was read. Out: the name of a transform, or None. Each is tried with a short fit of one kernel in closed
form; evidences of y, not of what it became, are compared: those of a transform have its Jacobian. Rows are the same
whatever the seed.
"""

from dataclasses import replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.table import Checked, OnCluster
from alakarte.data.target_transform import LOG, YEO_JOHNSON, can_have
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.execution.randomness import Streams
from alakarte.kernels.ard import ARD
from alakarte.search.context import Search, in_random_order
from alakarte.search.fit import fit
from alakarte.search.settings import Settings

_SEED = 0


def choose_transform(checked: Checked | OnCluster, settings: Settings, budget: Budget) -> str | None:
    """The transform by which some rows are likeliest, None where none is clearly better than y itself."""
    streams = Streams(_SEED).within("transform")
    some = checked.some(policy.TRANSFORM_ROWS, streams("rows"))
    names: tuple[str | None, ...] = (None, YEO_JOHNSON)
    if can_have(LOG, *checked.targets()):
        names = (*names, LOG)
    with budget.part(policy.TIME_TO_TRANSFORM):
        evidence = {name: _evidence(some, name, settings, budget) for name in names}
    best = max(evidence, key=lambda name: evidence[name])
    clear = policy.CLEAR_TRANSFORM * np.sqrt(some.weight.sum() * some.target.shape[1])
    return best if evidence[best] > evidence[None] + clear else None


def _evidence(some: Checked, name: str | None, settings: Settings, budget: Budget) -> float:
    """Log evidence in nats of y of a short fit."""
    short = replace(
        settings,
        kernel=ARD(),
        n_components=None,
        n_frequencies=None,
        expansion="auto",
        n_restarts=1,
        max_iter=policy.TRANSFORM_ITERATIONS,
        max_iter_restart=policy.TRANSFORM_ITERATIONS,
        n_learning_rows=None,
        n_neighbors=0,
    )
    table, streams = some.table(settings.likelihood.scaling, name), Streams(_SEED).within("transform")
    subsets = in_random_order(short, table.rows, streams)
    search = Search(short, subsets, table.scaling, streams, Progress(0, table.scaling.log_evidence), budget)
    posterior = fit(search).posterior
    return table.scaling.log_evidence(posterior.nlml, posterior.total)
