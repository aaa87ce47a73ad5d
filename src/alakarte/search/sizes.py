"""How many components and frequencies, where the user leaves it open: by the rows and the kernel's own parameters.

In: a kernel, the size of the table. Out: numbers. `python -m bench.studies.defaults` shows what other numbers change.
"""

import alakarte.search.policy as policy
from alakarte.kernels.base import Kernel
from alakarte.records import Shape, Waves
from alakarte.search.cost import learning_columns


def choose_sizes(
    kernel: Kernel, n_components: int | None, n_frequencies: int | None, n_rows: int, n_inputs: int
) -> tuple[int, int]:
    """Components and frequencies of each; numbers that are given stay."""
    if n_components is None:
        n_components = first_components(kernel, n_rows, n_inputs) if kernel.has_components else 1
    if n_frequencies is None:
        columns = learning_columns(n_rows) if kernel.has_components else 0
        frequencies = max(policy.LEARNING_FREQUENCIES, columns // kernel.columns_per_frequency)
        n_frequencies = max(1, frequencies // n_components)
    return n_components, n_frequencies


def sizes_for_waves(
    kernel: Kernel, waves: Waves | None, given: tuple[int | None, int | None], sizes: tuple[int, int]
) -> tuple[int, int]:
    """The same where rows show waves: a component for each band, two for what is smooth; a frequency for each line."""
    n_components, n_frequencies = sizes
    if waves is None:
        return sizes
    if kernel.has_components and given[0] is None:
        total = n_components * n_frequencies
        n_components = len(waves.variance) + len(waves.smooth_variance)
        n_frequencies = n_frequencies if given[1] is not None else max(1, total // n_components)
    if kernel.learns_frequencies and given[1] is None:
        n_components, n_frequencies = 1, len(waves.lines) + policy.MOST_FREQUENCIES
    return n_components, n_frequencies


def first_components(kernel: Kernel, n_rows: int, n_inputs: int) -> int:
    """Components to begin with."""
    if most_components(kernel, n_rows, n_inputs, policy.ROWS_IN_PLENTY) >= 2 * policy.FIRST_COMPONENTS:
        return 2 * policy.FIRST_COMPONENTS
    return max(1, min(policy.FIRST_COMPONENTS, most_components(kernel, n_rows, n_inputs, policy.ROWS_TO_BEAR)))


def most_components(kernel: Kernel, n_rows: int, n_inputs: int, rows_per_parameter: int) -> int:
    """Components that the rows can bear, 0 if not even one."""
    parameters = sum(p.size for p in kernel.parameters(Shape(n_inputs, (1,))))
    return min(policy.MOST_COMPONENTS, n_rows // (rows_per_parameter * parameters))
