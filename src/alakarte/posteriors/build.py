"""From a process at its learned theta to the posterior that is cheapest to keep.

In: a `Process` on all rows, its sums where they are known. Out: one of the posteriors of this room.
"""

from alakarte.posteriors.base import Posterior
from alakarte.posteriors.low_rank import low_rank_posterior
from alakarte.posteriors.reach import reach_of
from alakarte.posteriors.rows import row_posterior
from alakarte.posteriors.weights import weight_posterior
from alakarte.process.computation import Computation
from alakarte.process.objective import row_space, weight_space
from alakarte.process.problem import Process
from alakarte.process.sums import residual_energy, statistics
from alakarte.records import Statistics


def build_posterior(process: Process, nlml: float | None, sums: Statistics | None = None) -> Posterior:
    """The posterior of a process; nlml of its rows (None: by residuals) and `sums`, its statistics, where known."""
    rows, n_jobs = process.problem.rows, process.problem.n_jobs
    computation = process.problem.kept_computation(rows.n_rows)
    if computation is Computation.CLOSED:
        return row_posterior(process, row_space(process))
    if computation is Computation.ROWS:
        return low_rank_posterior(process, row_space(process).nlml if nlml is None else nlml)
    sums = sums or statistics(rows, process.features, n_jobs)
    solved = weight_space(process, sums)
    if nlml is None:  # more accurate than the difference of sums
        nlml = solved.value(residual_energy(rows, process.features, solved.weight_mean, n_jobs))
    return weight_posterior(process.features, sums, solved, nlml, reach_of(process))
