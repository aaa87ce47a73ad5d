"""The paper's figures, from the lines of finished runs; needs matplotlib.

In: lines. Out: SVG files. Methods differ by marker and line style as well as colour, so that they print in black. Costs
are CPU seconds and memory beyond the data, of the same folds as those of rbf by Fastfood, beside which they are given.
"""

from collections import defaultdict
from pathlib import Path

import numpy as np

from bench.drawing import axes, plain_numbers, pyplot, save
from bench.paper.cells import SWEEP_M, SWEEP_Q
from bench.paper.published import METHODS, PAPER
from bench.paper.relative import beside_rbf, complete, log_mean

STYLE = {
    "rbf": ("o", ":", "0.55"),
    "ard": ("s", "--", "0.35"),
    "fsard": ("^", "-.", "#8c6d31"),
    "gm": ("D", "-", "#1f4e9c"),
    "pwl": ("v", "-", "#c0392b"),
    "fsgbard": ("P", "--", "#2d7d46"),
    "ssgpr": ("X", ":", "#7b3f98"),
}
SWEEP_SPAN = 2.5  # times the least error: worse is cut off
MOST_ACCURATE = 10  # times as accurate as rbf: more is drawn there
TICKS = [digit * 10.0**power for power in range(-4, 2) for digit in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)]
# name of a line's figure, label
COSTS = {"cpu_seconds": "training time", "test_cpu_seconds": "test time", "peak_mb": "memory"}


def _style(method, **more):
    marker, line, colour = STYLE[method]
    return {"marker": marker, "linestyle": line, "color": colour, "label": method, "markersize": 5} | more


def sweeps(plt, lines):
    """RMSE against the components at m = 32, and against the frequencies of each at Q = 2."""
    found = defaultdict(list)
    for line in lines:
        if line["mode"] == "sweep":
            found[line["set"], line["method"], line["Q"], line["m"]].append(line["rmse_over_std"])
    names = sorted({key[0] for key in found})
    figure, panels = axes(plt, len(names), 2, 4.4)
    for name, (by_q, by_m) in zip(names, panels, strict=True):
        kinds = ((by_q, SWEEP_Q, 0, "components Q (m = 32)"), (by_m, SWEEP_M, 1, "frequencies m (Q = 2)"))
        for axis, sizes, which, label in kinds:
            for method in METHODS:
                here = [size for size in sizes if (name, method, *size) in found]
                values = [np.mean(found[name, method, *size]) for size in here]
                axis.plot([size[which] for size in here], values, **_style(method))
            axis.set(xscale="log", yscale="log", xlabel=label, title=name, ylabel="RMSE / std(y)")
            least = min(np.min(values) for key, values in found.items() if key[0] == name)
            axis.set_ylim(0.9 * least, min(axis.get_ylim()[1], SWEEP_SPAN * least))
            plain_numbers(axis, "x", [size[which] for size in sizes])
            plain_numbers(axis, "y", [tick for tick in TICKS if 0.9 * least < tick < axis.get_ylim()[1]])
    panels[0, 1].legend(fontsize=7, frameon=False)
    return figure


def relative(plt, lines):
    """Accuracy and costs beside Fastfood-rbf, set by set."""
    ratios = beside_rbf(lines)
    names = [name for name in PAPER if (name, "rbf") in ratios["rmse_over_std"]]
    figure, panels = axes(plt, 1, 1 + len(COSTS), 3.0, 1.2 + 0.24 * len(names))
    for axis, (quantity, label) in zip(panels[0], ({"rmse_over_std": "accuracy"} | COSTS).items(), strict=True):
        for method in METHODS[1:]:
            here = [name for name in names if (name, method) in ratios[quantity]]
            ratio = np.array([ratios[quantity][name, method] for name in here])
            value = np.minimum(1 / ratio, MOST_ACCURATE) if quantity == "rmse_over_std" else ratio
            axis.plot(value, [names.index(name) for name in here], **_style(method, linestyle="none"))
        axis.axvline(1, color="0.7", linewidth=1, zorder=0)
        axis.set(xscale="log", title=f"{label} / that of rbf", ylim=(len(names) - 0.5, -0.5))
        axis.set_yticks(range(len(names)), names if axis is panels[0, 0] else [""] * len(names))
        axis.grid(axis="y", color="0.92", linewidth=6, zorder=-1)
        plain_numbers(axis, "x", [0.5, 1, 2, 5, MOST_ACCURATE] if quantity == "rmse_over_std" else None)
    panels[0, -1].legend(fontsize=7, frameon=False, loc="upper right", bbox_to_anchor=(1.35, 1.0))
    return figure


def tradeoff(plt, lines):
    """Accuracy against training time and memory, all beside Fastfood-rbf: means of logarithms, and plain means."""
    ratios = beside_rbf(lines)
    names = complete(ratios)
    figure, panels = axes(plt, 2, 2)
    for row, (mean, word) in zip(panels, ((log_mean, "mean of logarithms"), (np.mean, "plain mean")), strict=True):
        for axis, quantity in zip(row, ("cpu_seconds", "peak_mb"), strict=True):
            for method in METHODS:
                cost, error = (
                    mean([ratios[name, method] for name in names])
                    for ratios in (ratios[quantity], ratios["rmse_over_std"])
                )
                axis.plot(cost, 1 / error, **_style(method, linestyle="none", markersize=8))
            axis.set(xlabel=f"{COSTS[quantity]} / that of rbf", title=word)
        row[0].set_ylabel(f"accuracy / that of rbf, {len(names)} sets")
    panels[0, 1].legend(fontsize=7, frameon=False)
    return figure


def ranks(plt, lines):
    """Mean rank of the RMSE among the seven methods against training time and memory beside Fastfood-rbf."""
    ratios = beside_rbf(lines)
    names = complete(ratios)
    rmse = np.array([[ratios["rmse_over_std"][name, method] for method in METHODS] for name in names])
    rank = 1 + (rmse[:, :, None] > rmse[:, None, :]).sum(axis=2)
    figure, panels = axes(plt, 1, 2)
    for axis, quantity in zip(panels[0], ("cpu_seconds", "peak_mb"), strict=True):
        for j, method in enumerate(METHODS):
            cost = log_mean([ratios[quantity][name, method] for name in names])
            axis.plot(cost, rank[:, j].mean(), **_style(method, linestyle="none", markersize=8))
        axis.set(xlabel=f"{COSTS[quantity]} / that of rbf", title=f"{len(names)} sets")
        axis.invert_yaxis()
    panels[0, 0].set_ylabel("mean rank of the RMSE (1 is best)")
    panels[0, 1].legend(fontsize=7, frameon=False)
    return figure


def draw(lines, folder: Path) -> list[Path]:
    """Write all figures that the lines allow."""
    plt = pyplot()
    folder.mkdir(parents=True, exist_ok=True)
    ratios = beside_rbf(lines)
    figures = {
        sweeps: any(line["mode"] == "sweep" for line in lines),
        relative: bool(ratios["rmse_over_std"]),
        tradeoff: bool(complete(ratios)),
        ranks: bool(complete(ratios)),
    }
    return [
        save(plt, make(plt, lines), folder / f"paper_{make.__name__}.svg")
        for make, possible in figures.items()
        if possible
    ]
