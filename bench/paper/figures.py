"""The paper's figures, from the lines of finished runs: pip install matplotlib.

In: lines. Out: SVG files. Methods differ by marker and line style as well as colour, so that they print in black.
"""

from collections import defaultdict
from pathlib import Path

import numpy as np

from bench.paper.cells import SWEEP_M, SWEEP_Q
from bench.paper.published import METHODS, PAPER
from bench.paper.table import means

STYLE = {
    "rbf": ("o", ":", "0.55"),
    "ard": ("s", "--", "0.35"),
    "fsard": ("^", "-.", "#8c6d31"),
    "gm": ("D", "-", "#1f4e9c"),
    "pwl": ("v", "-", "#c0392b"),
    "fsgbard": ("P", "--", "#2d7d46"),
    "ssgpr": ("X", ":", "#7b3f98"),
    "auto": ("*", "-", "black"),
}
# name of a line's figure, label
COSTS = {"cpu_seconds": "training time", "test_cpu_seconds": "test time", "peak_mb": "memory"}


def _axes(plt, columns, width=3.6, height=3.2):
    figure, axes = plt.subplots(1, columns, figsize=(width * columns, height), layout="constrained", squeeze=False)
    for axis in axes[0]:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes[0]


def _style(method):
    marker, line, colour = STYLE[method]
    return {"marker": marker, "linestyle": line, "color": colour, "label": method, "markersize": 5}


def sweeps(plt, lines):
    """RMSE against the components at m = 32, and against the frequencies of each at Q = 2."""
    found = defaultdict(list)
    for line in lines:
        if line["mode"] == "sweep":
            found[line["set"], line["method"], line["Q"], line["m"]].append(line["rmse_over_std"])
    names = sorted({key[0] for key in found})
    figure, axes = _axes(plt, 2 * len(names))
    for i, name in enumerate(names):
        kinds = ((SWEEP_Q, 0, "components Q (m = 32)"), (SWEEP_M, 1, "frequencies m (Q = 2)"))
        for axis, (sizes, which, label) in zip(axes[2 * i : 2 * i + 2], kinds, strict=True):
            for method in METHODS:
                here = [size for size in sizes if (name, method, *size) in found]
                values = [np.mean(found[name, method, *size]) for size in here]
                axis.plot([size[which] for size in here], values, **_style(method))
            axis.set(xscale="log", yscale="log", xlabel=label, title=name)
            ticks = [size[which] for size in sizes]
            axis.set_xticks(ticks, ticks, minor=False)
            axis.set_xticks([], minor=True)
        axes[2 * i].set_ylabel("RMSE / std(y)")
    axes[-1].legend(fontsize=7, frameon=False)
    return figure


def relative(plt, lines):
    """Accuracy and costs beside Fastfood-rbf, on the sets where all methods use features."""
    found = means(lines)
    names = [name for name in PAPER if PAPER[name].group != "small" and (name, "rbf") in found]
    figure, axes = _axes(plt, 1 + len(COSTS), width=3.8)
    columns = {"rmse": "log2 accuracy"} | COSTS
    for axis, (quantity, label) in zip(axes, columns.items(), strict=True):
        for method in METHODS[1:]:
            here = [name for name in names if (name, method) in found]
            ratio = [np.mean(found[n, method][quantity]) / np.mean(found[n, "rbf"][quantity]) for n in here]
            value = -np.log2(ratio) if quantity == "rmse" else ratio
            axis.plot([names.index(name) for name in here], value, **_style(method))
        axis.axhline(0 if quantity == "rmse" else 1, color="0.8", linewidth=1, zorder=0)
        axis.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=7)
        axis.set(title=f"{label}, relative to rbf")
        if quantity != "rmse":
            axis.set_yscale("log")
    axes[0].legend(fontsize=7, frameon=False)
    return figure


def ranks(plt, lines):
    """Mean rank of the RMSE among the seven methods against training time and memory relative to rbf."""
    found = means(lines)
    names = [name for name in PAPER if all((name, method) in found for method in METHODS)]
    rmse = np.array([[np.mean(found[name, method]["rmse"]) for method in METHODS] for name in names])
    rank = (rmse[:, :, None] > rmse[:, None, :]).sum(axis=2) + 1.0 if len(names) else np.ones((1, len(METHODS)))
    figure, axes = _axes(plt, 2)
    for axis, quantity in zip(axes, ("cpu_seconds", "peak_mb"), strict=True):
        for j, method in enumerate(METHODS):
            ratio = [
                np.mean(found[name, method][quantity]) / max(np.mean(found[name, "rbf"][quantity]), 1e-3)
                for name in names
            ]
            cost = np.exp(np.mean(np.log(np.maximum(ratio, 1e-3)))) if names else 1.0
            style = _style(method) | {"linestyle": "none", "markersize": 8}
            axis.plot(cost, rank[:, j].mean(), **style)
            axis.annotate(method, (cost, rank[:, j].mean()), textcoords="offset points", xytext=(6, 4), fontsize=8)
        axis.set(xscale="log", xlabel=f"{COSTS[quantity]} relative to rbf", title=f"{len(names)} sets")
        axis.invert_yaxis()
    axes[0].set_ylabel("mean rank of the RMSE (1 is best)")
    return figure


FIGURES = {"sweeps": sweeps, "relative": relative, "ranks": ranks}


def draw(lines, folder: Path) -> list[Path]:
    """Write all figures that the lines allow."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "alakarte", "font.size": 9})
    folder.mkdir(parents=True, exist_ok=True)
    modes = {line["mode"] for line in lines}
    written = []
    for name, make in FIGURES.items():
        if ("sweep" if name == "sweeps" else "paper") not in modes:
            continue
        figure = make(plt, lines)
        written.append(folder / f"paper_{name}.svg")
        figure.savefig(written[-1], metadata={"Date": None})
        plt.close(figure)
    return written
