"""The table of docs/large.md from the lines of finished runs; nothing is computed anew.

In: lines. Out: Markdown, means over folds, and the coverage of all test rows together.
"""

import numpy as np

from bench.large.cells import SETS

# name of a line's figure → decimals
FIGURES = {
    "rmse": 4,
    "rmse_over_std": 4,
    "log_density_standardised": 3,
    "coverage": 3,
    "seconds": 0,
    "peak_mb": 0,
}


def table(lines) -> str:
    """All lines as Markdown, means over folds."""
    groups = {}
    for line in sorted(lines, key=lambda line: (SETS.index(line["set"]), line["method"] != "alakarte")):
        groups.setdefault((line["set"], line["method"], line["max_time"]), []).append(line)
    rows = [
        "| set | method | RMSE, own units | over std | log density | coverage | seconds | MB |",
        "|---" * 8 + "|",
    ]
    for (name, method, max_time), group in groups.items():
        label = method.replace("_", " ") + (f", {max_time:g} s" if max_time else "")
        label += f", {len(group)} folds" if len(group) > 1 else ""
        means = (f"{np.mean([line[figure] for line in group]):.{digits}f}" for figure, digits in FIGURES.items())
        rows.append(f"| {name} | {label} | " + " | ".join(means) + " |")
    return "\n".join(rows)


def pooled(lines) -> str:
    """Coverage over all test rows of the library's default fits."""
    ours = [line for line in lines if line["method"] == "alakarte" and not line["max_time"]]
    rows = np.array([line["n_test"] for line in ours], dtype=float)
    covered = np.array([line["coverage"] for line in ours])
    if not ours:
        return "no default fits yet"
    return f"coverage of 95 % intervals, pooled over {int(rows.sum())} test rows: {rows @ covered / rows.sum():.4f}"
