"""Functions of four kernels' priors and their correlation: the picture of docs/guide/kernels.md; needs matplotlib.

python -m bench.studies.kernel_pictures       draws docs/figures/kernels.svg
"""

from pathlib import Path

import numpy as np

from bench.drawing import axes, pyplot, save

FIGURE = Path("docs/figures/kernels.svg")
X = np.linspace(0, 4, 241)


def kernels():
    """Titles, and correlations of a distance; at settings that show the character of each."""

    def smooth(r):
        return np.exp(-0.5 * (r / 0.5) ** 2)

    def rough(r):
        scaled = np.sqrt(3) * r / 0.5
        return (1 + scaled) * np.exp(-scaled)

    def scales(r):
        return 0.85 * np.exp(-0.5 * (r / 1.5) ** 2) + 0.15 * np.exp(-0.5 * (r / 0.12) ** 2)

    def waves(r):
        return np.exp(-0.5 * (r / 1.8) ** 2) * np.cos(2 * np.pi * r)

    return {
        "rbf, ard: smooth": smooth,
        "matern32: rough": rough,
        "pwl: several scales": scales,
        "gm, mm: waves": waves,
    }


def functions(correlation, n, rng):
    """Functions (points, n) of the prior with this correlation."""
    spread, vectors = np.linalg.eigh(correlation(np.abs(X[:, None] - X)))
    return vectors @ (np.sqrt(np.maximum(spread, 0))[:, None] * rng.standard_normal((len(X), n)))


def draw(path=FIGURE):
    """Two rows of panels: functions, and the correlation by distance."""
    plt = pyplot()
    figure, panels = axes(plt, 2, 4, 2.3, 1.8)
    shades = ("#1f3b73", "#4a77b4", "#8fb1d6", "#b5452c")
    for (title, correlation), (top, bottom) in zip(kernels().items(), panels.T, strict=True):
        for function, shade in zip(functions(correlation, 4, np.random.default_rng(2)).T, shades, strict=True):
            top.plot(X, function, color=shade, linewidth=1.2)
        top.set(title=title, ylim=(-3.2, 3.2), xticks=[], yticks=[])
        bottom.plot(X, correlation(X), color=shades[0])
        bottom.axhline(0, color="0.6", linewidth=0.6)
        bottom.set(xlabel="distance", ylim=(-1.1, 1.1), xticks=range(5), yticks=(-1, 0, 1))
    panels[0, 0].set_ylabel("four functions")
    panels[1, 0].set_ylabel("correlation")
    return save(plt, figure, path)


if __name__ == "__main__":
    print(draw())
