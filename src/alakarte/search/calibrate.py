"""Whether intervals are honest: rows left out tell, beforehand, how observations spread about their predictions.

In: a search and the posterior that it ends with. Out: `Calibration`. Closed forms leave out every row; features some of
those that come last in the random order, which kernels have learned from least.
"""

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Block
from alakarte.posteriors.average import Average
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.calibration import UNCALIBRATED, Calibration, calibration
from alakarte.posteriors.rows import RowPosterior
from alakarte.search.candidates import Candidate
from alakarte.search.context import Search


def calibrate(search: Search, best: Candidate, posterior: Posterior) -> Calibration:
    """By rows left out of the posterior; nothing where no noise was learned, or where there is no time."""
    layout, likelihood = best.learned.problem.layout, best.learned.problem.likelihood
    is_free = all(layout.is_free(parameter.name) for parameter in likelihood.parameters())
    is_learned = is_free and search.settings.max_iter > 0
    n_rows = min(search.rows.n_rows, max(posterior.size, policy.LEFT_OUT_ROWS))
    if not (is_learned and search.budget.allows(n_rows * float(posterior.size) ** 2)):
        return UNCALIBRATED
    block = _rows_to_leave_out(search, posterior)
    mean, variance = posterior.leave_one_out(block, search.settings.n_jobs)
    z = (block.y - mean) / np.sqrt(variance + posterior.noise_variance)
    dofs = (
        policy.DOFS if search.scaling.transform is None else ()
    )  # y might have no mean, were its logarithm's tails heavy
    return calibration(z, block.weight, best.n_parameters, dofs)


def _rows_to_leave_out(search: Search, posterior: Posterior) -> Block:
    """All rows of a closed form, else the last ones."""
    if isinstance(posterior, Average | RowPosterior):
        return posterior.rows.whole()
    return search.rows.take(np.sort(search.subsets.order[-policy.LEFT_OUT_ROWS :])).whole()
