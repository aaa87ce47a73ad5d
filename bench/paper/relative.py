"""Errors and costs beside Fastfood-rbf, as the paper compares them, from the lines of finished runs.

In: lines. Out: ratios. Only runs with features are compared: the table's exact rbf and ard of small sets are left out
for those of `--mode fastfood`.
"""

from collections import defaultdict

import numpy as np

from bench.paper.published import METHODS, PAPER

# What is less counts as so much: errors beyond the digits of the data, times that a clock cannot tell.
LEAST = {"rmse_over_std": 1e-3, "cpu_seconds": 1e-2, "test_cpu_seconds": 1e-3, "peak_mb": 1.0}


def beside_rbf(lines) -> dict[str, dict[tuple[str, str], float]]:
    """Figure → (set, method) → its mean over that of Fastfood-rbf, on the folds that both have, all with features."""
    runs = defaultdict(dict)
    for line in lines:
        small = PAPER[line["set"]].group == "small" and line["method"] in ("rbf", "ard")
        if line["mode"] == ("fastfood" if small else "paper"):
            runs[line["set"], line["method"]][line["fold"]] = line
    ratios = {name: {} for name in LEAST}
    for (name, method), mine in runs.items():
        base = runs.get((name, "rbf"), {})
        if folds := sorted(mine.keys() & base.keys()):
            for figure, least in LEAST.items():
                mean = [max(np.mean([one[k][figure] for k in folds]), least) for one in (mine, base)]
                ratios[figure][name, method] = mean[0] / mean[1]
    return ratios


def complete(ratios) -> list[str]:
    """Sets with all seven methods."""
    return [name for name in PAPER if all((name, method) in ratios["rmse_over_std"] for method in METHODS)]


def log_mean(values) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(values))))
