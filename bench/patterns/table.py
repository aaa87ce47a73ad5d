"""The table made of the lines: means over seeds, the worst coverage, and whether a set shows what it must.

In: lines. Out: text.
"""

import numpy as np

from bench.patterns.sets import SETS

HEAD = ("set", "method", "seeds", "error", "at most", "density", "coverage", "worst", "at least", "CPU s", "shows")


def report(lines: list[dict]) -> str:
    """A row for each set and method."""
    rows = [HEAD]
    for name, known in SETS.items():
        of_set = [line for line in lines if line["set"] == name]
        for method in dict.fromkeys(line["method"] for line in of_set):
            rows.append(_row(name, method, known, [line for line in of_set if line["method"] == method]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _row(name, method, known, lines) -> tuple[str, ...]:
    error, density, seconds = (np.mean([line[key] for line in lines]) for key in ("error", "log_density", "seconds"))
    coverage = [line["coverage"] for line in lines]
    shows = error <= known.most_error and np.mean(coverage) >= known.least_coverage
    return (
        name,
        method,
        str(len(lines)),
        f"{error:.3f}",
        f"{known.most_error:g}",
        f"{density:.2f}",
        f"{np.mean(coverage):.2f}",
        f"{min(coverage):.2f}",
        f"{known.least_coverage:g}",
        f"{seconds:.1f}",
        "yes" if shows else "no",
    )
