"""The one place that chooses in which form a process is computed and kept.

In: numbers of rows and columns, flops, what a kernel can do. Out: `Form`, or whether to do without an expansion.
"""

from enum import Enum


class Form(Enum):
    """How the evidence is computed, and what a posterior keeps."""

    WEIGHTS = "weights"  # of the columns of an expansion, D×D; memory does not grow with the rows
    ROWS = "rows"  # of the rows, n×n, for an expansion of more columns than rows
    CLOSED = "closed"  # of the rows, n×n, by the kernel itself


def without_expansion(*, asked: bool, possible: bool, flops: float, most_flops: float) -> bool:
    """Whether to use a closed form: where it is asked for, or possible and no dearer than `most_flops`."""
    return asked or (possible and flops <= most_flops)


def evidence_form(n_rows: int, n_basis: int) -> Form:
    """The form that the evidence of an expansion is computed in: compare D, not Qm [E20]."""
    return Form.ROWS if n_rows < n_basis else Form.WEIGHTS


def kept_form(n_rows: int, n_basis: int) -> Form:
    """The form that a posterior of an expansion is kept in: sums over rows serve later rows, where D allows."""
    return Form.WEIGHTS if n_basis <= 2 * n_rows else Form.ROWS
