"""The file of the paper's result lines: which fields it has, and lines by their cells.

In: lines. Out: `bench/results/paper.tsv`. Settings are not in a line: they follow from its cell and from the protocol
that is stated above it, by `bench.paper.cells.settings`.
"""

from pathlib import Path

from bench.paper.cells import Cell

LINES = Path(__file__).parents[1] / "results" / "paper.tsv"
CELL = tuple(Cell.__dataclass_fields__)
# the fields of a line, with the digits that are kept
COLUMNS = dict.fromkeys(CELL) | {
    "rmse": 6,
    "rmse_over_std": 5,
    "log_density_standardised": 5,
    "coverage": 5,
    "log_evidence": 6,
    "n_train": None,
    "n_test": None,
    "seconds": 3,
    "cpu_seconds": 4,
    "test_cpu_seconds": 4,
    "peak_mb": 4,
    "evaluations": None,
    "columns": None,
    "chosen": None,  # the kernel with the best evidence, where the library chose
    "threads": None,  # as many as there are cores if empty
}
SHARED = ("versions", "protocol")


def key(line: dict) -> tuple:
    """That of the line's cell."""
    return tuple(line[name] for name in CELL)


def finished(lines) -> dict[tuple, dict]:
    """Lines by the key of their cell."""
    return {key(line): line for line in lines}
