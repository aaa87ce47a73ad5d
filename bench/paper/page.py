"""The page docs/results.md, from the lines of finished runs and the remarks beside this file.

In: lines. Out: Markdown.
"""

from pathlib import Path

from bench.paper.table import (
    cost_table,
    coverage_table,
    grid,
    means,
    milliseconds_per_test_row,
    over_std,
    plain_table,
    rmse_table,
    run_table,
    summary,
)

REMARKS = Path(__file__).parent / "remarks.md"
HEAD = """\
# The paper's table beside ours

`python -m bench.paper table --out docs/results.md` makes this page of the result lines in `bench/results/paper.tsv`,
one per run; `python -m bench.paper run --mode paper auto sweep fastfood` makes those.
[How to run it](../bench/README.md)."""
RMSE = """\
## RMSE in each set's own units

Ours, mean ± standard deviation over folds, above the paper's. **Bold: does not hold**, which is to say that our mean
exceeds the paper's mean + its standard deviation + half a unit of its last digit; `auto`, the library's defaults (below
it the kernel with the best evidence): exceeds the best of the paper's row + 2 % + half a unit."""
RUNS = """\
## What was run

literal: the paper's starts and iterations on all rows, the long run of at most 150 ended where ten of them gain less
than 0.1 nats; progressive: starts on 1,000 rows, the long run on all of up to 8,000 rows or else (at most 80
iterations) on 4,000, or four per parameter, and then a few on as many as 4e11 flops allow, each for as long as ten gain
more than they cost; the posterior on all rows. Folds: of the methods with fewest and most. A result line says how many
threads it had (empty: two)."""
FIGURES = """\
## Figures

`python -m bench.paper figures` draws them from the same lines."""
SWEEPS = """\
![RMSE against Q and m](figures/paper_sweeps.svg)

RMSE against the number of components and of frequencies; methods without components have Qm frequencies. Errors
beyond 2.5 times the least are cut off."""
COSTS = """\
![Accuracy and costs, set by set](figures/paper_relative.svg)

![Accuracy against training time and memory](figures/paper_tradeoff.svg)

![Rank against training time and memory](figures/paper_ranks.svg)

Accuracy is 1/RMSE, for means one over the mean error; an error below a thousandth of std(y) counts as that, and more
than ten times rbf's accuracy is drawn as ten. rbf and ard are by Fastfood here, on all sets; times are CPU seconds, on
the folds that a method and rbf have both."""


def report(lines) -> str:
    """The whole page."""
    found = means(lines)
    tables = {
        "RMSE over std(y), the paper's below": grid(found, over_std),
        "Log density of test rows, of standardised y (the paper has none)": plain_table(
            found, "log_density_standardised", 2
        ),
        "Coverage of 95 % intervals": plain_table(found, "coverage", 3),
        "Coverage of the defaults' 95 % intervals, all folds together": coverage_table(found),
        "CPU seconds per fit": plain_table(found, "cpu_seconds", 1),
        "CPU milliseconds per test row, mean and standard deviation": grid(found, milliseconds_per_test_row),
        "Peak memory of a fit beyond the data, MB": plain_table(found, "peak_mb", 0),
        "Evaluations of the evidence": plain_table(found, "evaluations", 0),
    }
    blocks = [
        HEAD,
        REMARKS.read_text(encoding="utf-8").strip(),
        RMSE,
        "\n".join(rmse_table(found)),
        "\n".join(summary(found)),
        *(f"## {title}\n\n" + "\n".join(table) for title, table in tables.items()),
        RUNS,
        "\n".join(run_table(found)),
        FIGURES,
        "\n".join(cost_table(lines)),
        SWEEPS if any(line["mode"] == "sweep" for line in lines) else "",
        COSTS,
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"
