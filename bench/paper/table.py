"""Our tables beside the paper's, from the lines of finished runs; nothing is computed anew.

In: lines. Out: rows of Markdown. A cell holds when our mean is at most the paper's mean + its standard deviation + half
a unit of its last digit; `auto`, the library's own choice, when it is at most the best of the row + 2 % + half a unit.
"""

from collections import defaultdict

import numpy as np

from bench.paper.cells import schedule
from bench.paper.published import METHODS, NO_SIGNAL, PAPER
from bench.paper.relative import beside_rbf, complete, log_mean

COLUMNS = (*METHODS, "auto")


def means(lines) -> dict[tuple[str, str], dict]:
    """(set, method) → arrays over folds of every figure, for the paper's protocol and `auto`."""
    found = defaultdict(lambda: defaultdict(list))
    for line in sorted(lines, key=lambda line: line["fold"]):
        if line["mode"] in ("paper", "auto"):
            for name, value in line.items():
                found[line["set"], line["method"]][name].append(value)
    return found


def limit(name: str, method: str) -> float:
    """The largest mean RMSE that holds."""
    return PAPER[name].auto_limit if method == "auto" else PAPER[name].figures[method].limit


def holds(name: str, method: str, rmse) -> bool:
    """Whether the mean over folds is within the limit."""
    return bool(np.mean(rmse) <= limit(name, method))


def sets_of(found) -> list[str]:
    """Sets with lines, in the order of the paper."""
    present = {name for name, _ in found}
    return [name for name in PAPER if name in present]


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def grid(found, cell) -> list[str]:
    """A row per set, a column per method, each with the text of `cell(set, method, values)`."""
    lines = ["| set | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name in sets_of(found):
        row = [cell(name, method, found[name, method]) if (name, method) in found else "" for method in COLUMNS]
        lines.append(f"| {name} | " + " | ".join(row) + " |")
    return lines


def rmse_table(found) -> list[str]:
    """Our mean ± standard deviation over folds, the paper's below, bold where the cell does not hold."""

    def cell(name, method, values):
        ours = _number(np.mean(values["rmse"]))
        if len(values["fold"]) > 1:
            ours += f" ± {_number(np.std(values['rmse']))}"
        if not holds(name, method, values["rmse"]):
            ours = f"**{ours}**"
        if method == "auto":
            return f"{ours}<br>{values['chosen'][0] if len(set(values['chosen'])) == 1 else 'various'}"
        paper = PAPER[name].figures[method]
        return f"{ours}<br>{paper.mean:g} ± {paper.sd:g}"

    return grid(found, cell)


def plain_table(found, figure: str, decimals: int) -> list[str]:
    """Mean over folds of one figure."""
    return grid(found, lambda name, method, values: f"{np.mean(values[figure]):.{decimals}f}")


def over_std(name, method, values) -> str:
    """Our mean over std(y), the paper's below."""
    ours = np.mean(values["rmse_over_std"])
    if method == "auto":
        return f"{ours:.3f}"
    return f"{ours:.3f}<br>{PAPER[name].figures[method].mean * ours / np.mean(values['rmse']):.3f}"


def milliseconds_per_test_row(name, method, values) -> str:
    """CPU milliseconds per test row."""
    return f"{1e3 * np.mean(np.divide(values['test_cpu_seconds'], values['n_test'])):.3f}"


def summary(found) -> list[str]:
    """How many cells hold, method by method."""
    lines = ["| method | cells that hold | of |", "|---|---|---|"]
    total = [0, 0]
    for method in COLUMNS:
        names = [name for name in sets_of(found) if (name, method) in found]
        if method == "auto":
            names = [name for name in names if name not in NO_SIGNAL]
        good = [holds(name, method, found[name, method]["rmse"]) for name in names]
        lines.append(f"| {method}{' (sets with signal)' if method == 'auto' else ''} | {sum(good)} | {len(good)} |")
        if method not in ("rbf", "auto"):
            total = [total[0] + sum(good), total[1] + len(good)]
    if total[1]:
        share = total[0] / total[1]
        lines.append(f"| all but rbf and auto | {total[0]} ({share:.0%}) | {total[1]} |")
    return lines


def _span(numbers) -> str:
    """From the least to the most."""
    return str(min(numbers)) if min(numbers) == max(numbers) else f"{min(numbers)}–{max(numbers)}"


def run_table(found) -> list[str]:
    """Folds, schedule and CPU seconds of every set: a run may wait for others."""
    lines = [
        "| set | rows | schedule | folds | CPU seconds per fit | folds, auto | CPU seconds, auto |",
        "|---" * 7 + "|",
    ]
    for name in sets_of(found):
        mine = [found[name, method] for method in METHODS if (name, method) in found]
        one = next(found[name, method] for method in COLUMNS if (name, method) in found)
        row = [name, str(one["n_train"][0] + one["n_test"][0]), "", "", "", "", ""]
        if mine:
            seconds = np.mean([s for values in mine for s in values["cpu_seconds"]])
            row[2:5] = schedule(name), _span([len(v["fold"]) for v in mine]), f"{seconds:.1f}"
        if (name, "auto") in found:
            auto = found[name, "auto"]
            row[5:] = str(len(auto["fold"])), f"{np.mean(auto['cpu_seconds']):.1f}"
        lines.append("| " + " | ".join(row) + " |")
    return lines


def coverage_table(found) -> list[str]:
    """The defaults' 95 % intervals on the test rows of all folds together, with two standard errors."""
    rows = ["| set | test rows | coverage | ± | .93 to .97 |", "|---" * 5 + "|"]
    for name in sets_of(found):
        if (name, "auto") in found:
            values = found[name, "auto"]
            n = sum(values["n_test"])
            coverage = np.average(values["coverage"], weights=values["n_test"])
            error = 2 * np.sqrt(max(coverage * (1 - coverage), 1 / n) / n)
            held = "yes" if 0.93 - error <= coverage <= 0.97 + error else "**no**"
            rows.append(f"| {name} | {n} | {coverage:.3f} | {error:.3f} | {held} |")
    return rows


def cost_table(lines) -> list[str]:
    """Geometric means over the sets that have all methods, of accuracy and costs beside Fastfood-ard."""
    ratios = beside_rbf(lines)
    names = complete(ratios)
    if not names:
        return []
    found = [
        f"Beside Fastfood-ard, geometric means over {len(names)} sets with all methods:",
        "",
        "| | " + " | ".join(METHODS) + " |",
        "|---" * (len(METHODS) + 1) + "|",
    ]
    rows = {"accuracy": "rmse_over_std", "training time": "cpu_seconds", "test time": "test_cpu_seconds"}
    for label, figure in (rows | {"memory": "peak_mb"}).items():
        of = ratios[figure]
        mean = [log_mean([of[name, method] / of[name, "ard"] for name in names]) for method in METHODS]
        row = [f"{1 / value if label == 'accuracy' else value:.2f}" for value in mean]
        found.append(f"| {label} | " + " | ".join(row) + " |")
    return found
