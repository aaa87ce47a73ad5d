"""From a process at its learned theta to the posterior that is cheapest to keep.

In: a `Process` on all rows, its sums where they are known. Out: one of the posteriors of this room.
"""

from alakarte.posteriors.base import Posterior
from alakarte.posteriors.low_rank import low_rank_posterior
from alakarte.posteriors.rows import row_posterior
from alakarte.posteriors.weights import weight_posterior
from alakarte.process.computation import Computation
from alakarte.process.objective import row_space, weight_space
from alakarte.process.problem import Process
from alakarte.process.sums import statistics
from alakarte.records import Statistics


def build_posterior(process: Process, nlml: float, sums: Statistics | None = None) -> Posterior:
    """The posterior of a process whose rows have this nlml; `sums` are its statistics, where known."""
    rows = process.problem.rows
    computation = process.problem.kept_computation(rows.n_rows)
    if computation is Computation.CLOSED:
        return row_posterior(process, row_space(process))
    if computation is Computation.ROWS:
        return low_rank_posterior(process, nlml)
    sums = sums or statistics(rows, process.features, process.problem.n_jobs)
    return weight_posterior(process.features, sums, weight_space(process, sums), nlml)
