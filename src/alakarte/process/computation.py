"""The one place that chooses how a process is computed and kept.

In: numbers of rows and columns, flops, what a kernel can do. Out: `Computation`, or whether to do without an expansion.
"""

from enum import Enum


class Computation(Enum):
    """How the evidence is computed, and what a posterior keeps."""

    WEIGHTS = "weights"  # of the columns of an expansion, D×D; memory does not grow with the rows
    ROWS = "rows"  # of the rows, n×n, for an expansion of more columns than rows
    CLOSED = "closed"  # of the rows, n×n, by the kernel itself


def without_expansion(*, asked: bool, possible: bool, flops: float, most_flops: float) -> bool:
    """Whether to use a closed form: where it is asked for, or possible and no dearer than `most_flops`."""
    return asked or (possible and flops <= most_flops)


def evidence_computation(n_rows: int, n_basis: int) -> Computation:
    """How the evidence of an expansion is computed: compare D, not Qm [E20]."""
    return Computation.ROWS if n_rows < n_basis else Computation.WEIGHTS


def kept_computation(n_rows: int, n_basis: int) -> Computation:
    """How a posterior of an expansion is kept: sums over rows serve later rows, where D allows."""
    return Computation.WEIGHTS if n_basis <= 2 * n_rows else Computation.ROWS
