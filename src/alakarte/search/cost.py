"""Every count of operations, in flops: what choices are made by, and what the user is told beforehand.

In: sizes. Out: flops of a piece of work, or the size that flops allow.
"""

import numpy as np

import alakarte.search.policy as policy
from alakarte.posteriors.smooth_and_rough import DRAWS
from alakarte.process.design_matrix import KEPT_BYTES

_FACTORS = 6  # Cholesky factors while noise and amplitude are tuned
_COPIES = 4  # of D×D numbers at the same time: two lanes, the scaled Gram, its factor
_MULTIPLE = 64  # columns are counted in these
_MOST_ITERATIONS = 36  # that a run mostly takes, whatever its limit
_SMALL_FACTORS = 3  # seconds of a flop in small factors, times those in large ones
_SCANNED = 200  # flops that the place of a row among the nearest takes
_STEP_FLOPS = 2.2e7  # what a step takes besides its evaluation


def expected_flops(max_iter: int, flops: float) -> float:
    """Of a run with this limit and so many flops for each evaluation, as a rule."""
    return min(max_iter, _MOST_ITERATIONS) * (flops + _STEP_FLOPS)


def evaluation_flops(n_rows: int, n_basis: int) -> float:
    """Of a value and gradient: three products of rows and columns, and the features."""
    return 3.6 * n_rows * n_basis * min(n_rows, n_basis)


def closed_flops(n_rows: int, n_inputs: int, n_components: int) -> float:
    """Of a value and gradient without an expansion: the inverse, and pairs of rows for each component."""
    return float(n_rows) ** 3 + float(n_rows) ** 2 * n_components * (8 * n_inputs + 60)


def local_flops(n_inputs: int) -> float:
    """Of learning by neighbours: a factor and its pairs for each row of each evaluation, slower than large products."""
    per_row = [(rows * steps, k**3 + k**2 * (4 * n_inputs + 30.0)) for rows, k, steps in policy.LOCAL_STAGES]
    return _SMALL_FACTORS * sum(evaluations * flops for evaluations, flops in per_row)


def scan_flops(n_rows: int) -> float:
    """Of learning classes by neighbours along directions, two views of them; neighbours by a look at all rows."""
    m, asked = policy.CLASS_DIRECTIONS, policy.LOCAL_ROWS + 2 * policy.FRESH_ROWS
    return local_flops(m) + 2.0 * asked * n_rows * (2 * m + _SCANNED)


def posterior_flops(n_rows: int, n_basis: float) -> float:
    """Of one posterior: the Gram and some Cholesky factors."""
    k = min(n_rows, n_basis)
    return float(n_rows) * n_basis * k + _FACTORS * float(k) ** 3 / 3


def left_out_flops(n_rows: int, n_basis: int, n_targets: int) -> float:
    """Of what features leave of each row: its mean, and draws for its variance."""
    return 2.0 * n_rows * n_basis * (n_targets + DRAWS)


def comparing_flops(n_rows: int, columns: int, *, closed: bool = False) -> float:
    """Of the posterior of a candidate at the columns where they are compared, or of a factor in closed form."""
    return float(n_rows) ** 3 / 3 if closed else posterior_flops(n_rows, columns)


def free_flops(n_rows: int, n_inputs: int) -> float:
    """Of the whole attempt with free frequencies."""
    return (policy.FREE_ITERATIONS + 2) * evaluation_flops(n_rows, 2 * free_frequencies(n_rows, n_inputs))


def free_frequencies(n_rows: int, n_inputs: int) -> int:
    """Frequencies to set free, 0 where the rows are too few or too many."""
    least, most = policy.FREE_FREQUENCIES
    affordable = min(most, n_rows // (policy.ROWS_TO_LEARN * n_inputs))
    return affordable if affordable >= least and n_rows <= policy.FREE_ROWS else 0


def learning_columns(n_rows: int) -> int:
    """Columns that a mixture learns with: as many as an evaluation may cost."""
    affordable = (columns for columns, flops in policy.LEARNING_COLUMNS if evaluation_flops(n_rows, columns) <= flops)
    return next(affordable, 2 * policy.LEARNING_FREQUENCIES)


def compare_columns(n_rows: int) -> int:
    """Columns at which kernels are compared and growth begins: those learned with or more, but no more than 4,096."""
    affordable = min(np.log2(policy.COMPARE_FLOPS / n_rows) / 2, np.log2(4 * n_rows))
    columns = int(np.clip(2 ** int(affordable), *policy.COMPARE_COLUMNS))
    return min(max(columns, learning_columns(n_rows)), policy.MOST_COLUMNS)


def most_columns(n_rows: int, *, patient: bool = False) -> int:
    """Columns that flops and memory allow; with `patient`, four times the memory, and a clock in place of flops."""
    columns = np.sqrt(policy.GROWTH_BYTES * (4 if patient else 1) / (8 * _COPIES))
    while not patient and columns > _MULTIPLE and posterior_flops(n_rows, columns) > policy.GROWTH_FLOPS:
        columns *= 0.95
    return max(_MULTIPLE, int(columns) // _MULTIPLE * _MULTIPLE)


def latent_columns(n_rows: int) -> int:
    """Columns of a posterior whose sites take some passes, each with twice the work of a posterior."""
    columns = most_columns(n_rows)
    while columns > _MULTIPLE and 2 * policy.LATENT_STEPS * n_rows * float(columns) ** 2 > policy.GROWTH_FLOPS:
        columns = int(0.95 * columns)
    return max(_MULTIPLE, columns // _MULTIPLE * _MULTIPLE)


def latent_flops(n_rows: int, n_basis: float) -> float:
    """Of the sites of all rows, found from nothing: a system and the variances of rows in each of some steps."""
    return 4.0 * policy.LATENT_STEPS * n_rows * n_basis * min(n_rows, n_basis)


def class_columns(n_rows: int, n_classes: int) -> int:
    """Columns of the posterior of several classes: passes over a matrix of rows and columns that is kept in memory."""
    by_flops = policy.GROWTH_FLOPS / (policy.CLASS_PASSES * 2.0 * n_rows * n_classes)
    columns = min(by_flops, KEPT_BYTES / (4.0 * n_rows), policy.MOST_COLUMNS)
    return max(compare_columns(n_rows), int(columns) // _MULTIPLE * _MULTIPLE)


def posterior_bytes(n_basis: int) -> float:
    """Of the symmetric matrices of one posterior."""
    return 8.0 * _COPIES * n_basis**2
