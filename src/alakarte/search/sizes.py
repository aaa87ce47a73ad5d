"""How many components and frequencies, where the user leaves it open: by the rows and the kernel's own parameters.

A component that few rows stand behind over-fits the evidence itself, and its intervals are too narrow: hence a least
number of rows a parameter. `python -m bench.defaults` shows what that changes.
"""

import numpy as np

from alakarte.kernels.base import Kernel
from alakarte.records import Shape

ROWS_PER_PARAMETER = 2
MORE_ROWS_PER_PARAMETER = 12  # to try more components
FIRST_COMPONENTS = 4  # at most, to begin with
MANY_ROWS_PER_PARAMETER = 60  # from here on twice as many at once
MOST_COMPONENTS = 32
ALL_FREQUENCIES = 128
# Columns that a mixture learns with, and the flops that an evaluation may cost for that.
LEARNING = ((16384, 1e9), (8192, 2e9), (4096, 3e9), (2048, 4e9), (1024, 1.5e10), (512, 1.5e10))
# Of an evaluation of a closed form. Up to CLOSED_FLOPS kernels are learned with it on all rows, up to KEPT_FLOPS on as
# many as those allow; the posterior has all: so many rows are no dearer than as many columns.
CLOSED_FLOPS = 5e9
KEPT_FLOPS = 16 * CLOSED_FLOPS
TASTE_FLOPS = 5e10
TASTE_COLUMNS = (512, 2048)
MOST_COLUMNS = 4096  # of few rows: `partial_fit` may bring many, and then a D×D matrix


def choose_sizes(kernel: Kernel, n_components, n_frequencies, n_rows: int, n_inputs: int) -> tuple[int, int]:
    """Components and frequencies of each; numbers that are given stay."""
    if n_components is None:
        n_components = 1
        if kernel.has_components:
            n_components = max(1, min(FIRST_COMPONENTS, most_components(kernel, n_rows, n_inputs)))
            if most_components(kernel, n_rows, n_inputs, MANY_ROWS_PER_PARAMETER) >= 2 * FIRST_COMPONENTS:
                n_components = 2 * FIRST_COMPONENTS
    if n_frequencies is None:
        columns = learning_columns(n_rows) if kernel.has_components else 0
        frequencies = max(ALL_FREQUENCIES, columns // columns_each(kernel.parameters(Shape(n_inputs, (1,)))))
        n_frequencies = max(1, frequencies // n_components)
    return n_components, n_frequencies


def columns_each(parameters) -> int:
    """Columns of a frequency: two waves, or four products of them around a centre."""
    return 4 if any(p.name == "centre" for p in parameters) else 2


def most_components(kernel: Kernel, n_rows: int, n_inputs: int, rows_each: int = ROWS_PER_PARAMETER) -> int:
    """Components that the rows can bear, 0 if not even one."""
    parameters = sum(p.size for p in kernel.parameters(Shape(n_inputs, (1,))))
    return min(MOST_COMPONENTS, n_rows // (rows_each * parameters))


def evaluation_flops(n_rows: int, n_basis: int) -> float:
    """Of a value and gradient: three products of rows and columns, and the features."""
    return 3.6 * n_rows * n_basis * min(n_rows, n_basis)


def closed_flops(n_rows: int, n_inputs: int, n_components: int) -> float:
    """Of a value and gradient without an expansion: the inverse, and pairs of rows for each component."""
    return float(n_rows) ** 3 + float(n_rows) ** 2 * n_components * (8 * n_inputs + 60)


def closed_rows(n_rows: int, n_inputs: int, n_components: int) -> int:
    """Rows to learn from without an expansion: all, or as many as CLOSED_FLOPS allow."""
    if closed_flops(n_rows, n_inputs, n_components) <= CLOSED_FLOPS:
        return n_rows
    cubic = [1, n_components * (8 * n_inputs + 60), 0, -CLOSED_FLOPS]
    return int(max(np.roots(cubic).real))  # the only positive one


def learning_columns(n_rows: int) -> int:
    """With few frequencies a mixture fits those that it has, not the spectrum that they stand for."""
    affordable = (columns for columns, flops in LEARNING if evaluation_flops(n_rows, columns) <= flops)
    return next(affordable, 2 * ALL_FREQUENCIES)


def taste_columns(n_rows: int) -> int:
    """Columns at which kernels are compared and growth begins: those learned with or more, but no more than 4,096."""
    affordable = min(np.log2(TASTE_FLOPS / n_rows) / 2, np.log2(4 * n_rows))
    return min(max(int(np.clip(2 ** int(affordable), *TASTE_COLUMNS)), learning_columns(n_rows)), MOST_COLUMNS)
