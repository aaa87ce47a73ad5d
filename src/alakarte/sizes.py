"""How many components and frequencies, where the user leaves it open: by the rows and the kernel's own parameters.

A component that few rows stand behind over-fits the evidence itself, and its intervals are too narrow: hence a least
number of rows a parameter. `python -m bench.defaults` shows what that changes.
"""

from alakarte.kernels.base import Kernel
from alakarte.records import Shape

ROWS_PER_PARAMETER = 12
MOST_COMPONENTS = 4
ALL_FREQUENCIES = 128


def choose_sizes(kernel: Kernel, n_components, n_frequencies, n_rows: int, n_inputs: int) -> tuple[int, int]:
    """Components and frequencies of each; numbers that are given stay."""
    if n_components is None:
        n_components = 1
        if kernel.has_components:
            parameters = sum(p.size for p in kernel.parameters(Shape(n_inputs, (1,))))
            n_components = max(1, min(MOST_COMPONENTS, n_rows // (ROWS_PER_PARAMETER * parameters)))
    if n_frequencies is None:
        n_frequencies = max(1, ALL_FREQUENCIES // n_components)
    return n_components, n_frequencies
