"""What near-copies contribute: errors and coverage by the distance to the nearest training row.

In: inputs of training and test rows; residuals, standard deviations. Out: the text of a result line, and the table made
of such lines. Distances are those of standardised inputs.
"""

import numpy as np
from scipy.spatial import cKDTree

from alakarte.metrics import half_width
from bench.scores import rmse

MOST_ROWS = 20_000  # test rows whose nearest row is looked up


def distances(x_train, x_test):
    """(rows,) from each test row to the nearest training row."""
    mean, std = x_train.mean(axis=0), x_train.std(axis=0)
    std = np.where(std > 0, std, 1.0)
    return cKDTree((x_train - mean) / std).query((x_test - mean) / std, workers=-1)[0]


def some_rows(n: int):
    """All of n rows, or so many at random."""
    return np.sort(np.random.default_rng(0).permutation(n)[:MOST_ROWS])


def quarters(distance, error, spread, dof: float) -> str:
    """The part of rows at distance 0; RMSE / coverage of each quarter, the nearest first.

    Errors and spreads are in std(y) of the training rows.
    """
    covered = np.abs(error) <= half_width(0.95, dof) * spread
    parts = np.array_split(np.argsort(distance, kind="stable"), 4)
    figures = (f"{rmse(error[part]):.4g}/{covered[part].mean():.3f}" for part in parts)
    return f"{np.mean(distance == 0):.3f} " + " ".join(figures)


def table(lines) -> str:
    """All lines of fold 0 without a limit of time that have such figures, as Markdown."""
    rows = ["| set | method | at distance 0 | nearest quarter | second | third | farthest |", "|---" * 7 + "|"]
    for line in lines:
        if line.get("quarters") and line["fold"] == 0 and not line["max_time"]:
            copies, *parts = line["quarters"].split()
            cells = " | ".join(part.replace("/", " / ") for part in parts)
            method = line["method"].replace("_", " ")
            rows.append(f"| {line['set']} | {method} | {100 * float(copies):.1f} % | {cells} |")
    return "\n".join(rows)
