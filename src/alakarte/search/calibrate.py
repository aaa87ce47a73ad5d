"""Whether intervals are honest: rows left out tell, beforehand, how observations spread about their predictions.

In: a search and the posterior that it ends with. Out: the posterior, one that doubts far neighbours where it has any,
and its `Calibration`. Closed forms leave out every row; features some of those that come last in the random order,
which kernels have learned from least.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Block
from alakarte.posteriors.average import Average
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.calibration import UNCALIBRATED, Calibration, calibration
from alakarte.posteriors.doubt import can_doubt, with_doubt
from alakarte.posteriors.local import LocalPosterior
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.smooth_and_rough import SmoothAndRough
from alakarte.records import Integers
from alakarte.search.candidates import Candidate
from alakarte.search.context import Search


def calibrate(search: Search, best: Candidate, posterior: Posterior) -> tuple[Posterior, Calibration]:
    """By rows left out of the posterior; as it was where no noise was learned, or where there is no time."""
    layout, likelihood = best.learned.problem.layout, best.learned.problem.likelihood
    is_free = all(layout.is_free(parameter.name) for parameter in likelihood.parameters())
    is_learned = is_free and search.settings.max_iter > 0
    n_rows = min(search.rows.n_rows, max(posterior.size, policy.LEFT_OUT_ROWS))
    if not (is_learned and search.budget.allows(n_rows * float(posterior.size) ** 2)):
        return posterior, UNCALIBRATED
    # y might have no mean, were the tails of its logarithm heavy
    dofs = policy.DOFS if search.scaling.transform is None else ()
    posterior = _doubted(search, posterior, dofs)
    block = _rows_to_leave_out(search, posterior)
    mean, variance = posterior.leave_one_out(block, search.settings.n_jobs)
    z = (block.y - mean) / np.sqrt(variance + posterior.noise_variance)
    return posterior, calibration(z, block.weight, best.n_parameters, dofs)


def _doubted(search: Search, posterior: Posterior, dofs: Sequence[float]) -> Posterior:
    """Neighbours, where predictions have them, with less belief in those that are far."""
    near = posterior.rough if isinstance(posterior, SmoothAndRough) else posterior
    if not (isinstance(near, LocalPosterior) and can_doubt(near)):
        return posterior
    near = with_doubt(near, _last_rows(search), dofs, search.settings.n_jobs)
    return replace(posterior, rough=near) if isinstance(posterior, SmoothAndRough) else near


def _rows_to_leave_out(search: Search, posterior: Posterior) -> Block:
    """All rows of a closed form, else the last ones."""
    if isinstance(posterior, Average | RowPosterior):
        return posterior.rows.whole()
    return search.rows.take(_last_rows(search)).whole()


def _last_rows(search: Search) -> Integers:
    """(rows,) those that kernels have learned from least."""
    return np.sort(search.subsets.order[-policy.LEFT_OUT_ROWS :])
