"""Error against time, one panel per set; needs matplotlib.

In: lines. Out: an SVG file. Methods differ by marker as well as colour, so that they print in black; a fit with a limit
of time has a hollow marker and its limit beside it.
"""

from pathlib import Path

from bench.drawing import axes, plain_numbers, pyplot, save
from bench.large.cells import SETS
from bench.large.peers import METHODS

STYLE = {
    "alakarte": ("o", "#1f4e9c"),
    "svgp": ("X", "#7b3f98"),
    "xgpr": ("s", "#2d7d46"),
    "lightgbm": ("D", "#c0392b"),
    "xgboost": ("^", "#d98c00"),
    "histogram_boosting": ("v", "#8c6d31"),
}


def plot(lines, path: Path) -> Path:
    """Fold 0 of the sets that have several lines."""
    plt = pyplot()
    first = [line for line in lines if line["fold"] == 0]
    names = [name for name in SETS if sum(line["set"] == name for line in first) > 1]
    seconds = [line["seconds"] for line in first if line["set"] in names]
    limits = min(seconds) / 2, max(seconds) * 3
    figure, [panels] = axes(plt, 1, len(names), 3.0, 2.8)
    for panel, name in zip(panels, names, strict=True):
        for line in first:
            if line["set"] == name:
                _point(panel, line)
        panel.set(title=name, xlabel="seconds to fit", xscale="log", xlim=limits)
        panel.set_ylim(0, 1.12 * panel.get_ylim()[1])
        plain_numbers(panel, "x", [10**power for power in range(7) if limits[0] < 10**power < limits[1]])
    panels[0].set_ylabel("RMSE / std(y)")
    handles = [panels[0].plot([], [], label=method.replace("_", " "), **_style(method))[0] for method in METHODS]
    figure.legend(handles=handles, loc="outside right center", fontsize=8, frameon=False)
    return save(plt, figure, path)


def _style(method: str) -> dict:
    marker, colour = STYLE[method]
    return {"marker": marker, "color": colour, "markersize": 7, "linestyle": "none"}


def _point(panel, line: dict) -> None:
    """One fit."""
    at = line["seconds"], line["rmse_over_std"]
    if line["max_time"]:
        panel.plot(*at, **_style(line["method"]), fillstyle="none")
        text = f"≤ {line['max_time']:g} s"
        panel.annotate(text, at, (0, -14), textcoords="offset points", fontsize=8, ha="center")
    else:
        panel.plot(*at, **_style(line["method"]))
