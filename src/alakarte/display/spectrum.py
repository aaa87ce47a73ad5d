"""Frequencies of the learned kernel: a density along inputs where there is one, else a histogram, or a cloud."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from alakarte.display.canvas import (
    REFERENCE,
    SHADES,
    Display,
    bare,
    fitted_model,
    line_style,
    places_of,
    short,
    short_ones,
)
from alakarte.records import Array

POINTS = 300  # of a density
LEAST = 1e-3  # of a density, against its smallest hill, that is shown where hills differ in height
OF_HILL = 0.02  # of a hill's frequency: points so near to it are drawn


class SpectrumDisplay(Display):
    """How much of the variance each frequency of an input carries.

    Kernels are symmetric, so frequencies ≥ 0 are shown. Of closed forms (rbf, ard, Matérn, gm, mm) it is their density,
    up to the highest of the waves in `periods_`; of others (pwl, sums with it) a histogram of the frequencies that the
    expansion has. Frequencies that were learned one by one (ssgpr, fsgbard, fsard) are a cloud over two inputs.

    Parameters
    ----------
    frequencies : (k, F)
        Frequencies of k inputs, in cycles per unit of each.
    weights : (F,)
        Share of the variance of each.
    names : sequence of str
    density : sequence of callables or None
        For each input, density (points,) of frequencies (points,) in cycles per unit.
    is_cloud : bool
        Whether frequencies are learned one by one: each is drawn.
    waves : sequence of (waves,) or None
        For each input, frequencies in cycles per unit that must be seen, however small their share.

    Examples
    --------
    >>> from alakarte.display import SpectrumDisplay
    >>> SpectrumDisplay([[0.1, 0.3]], [0.5, 0.5], ["t"]).frequencies.shape
    (1, 2)
    """

    def __init__(
        self,
        frequencies: Any,
        weights: Any,
        names: Any,
        density: Any = None,
        is_cloud: bool = False,
        *,
        waves: Any = None,
    ):
        self.frequencies: Array = np.atleast_2d(np.asarray(frequencies, dtype=float))
        self.weights: Array = np.asarray(weights, dtype=float)
        self.names = list(names)
        self.density = density
        self.is_cloud = is_cloud
        self.waves = [np.asarray(each, dtype=float) for each in waves or [[]] * len(self.names)]

    @classmethod
    def from_estimator(cls, estimator: Any, *, features: Any = None, ax: Any = None) -> "SpectrumDisplay":
        """Draw the spectrum along some inputs, by name or place; the two most relevant if None."""
        model = fitted_model(estimator)
        kernel, names = model.kernel, model.input_names
        places = places_of(names, features, kernel.relevance(), 2)
        frequencies, weights = kernel.weighted_frequencies()
        columns = places if model.scaling.variables is None else model.scaling.variables.first[places]
        cycles = frequencies[:, columns].T / (2 * np.pi)
        density = None
        if kernel.marginal_density(int(columns[0]), np.zeros(1)) is not None:
            density = [_in_cycles(partial(kernel.marginal_density, int(column))) for column in columns]
        named = [names[j] for j in places]
        waves = [[1 / wave["period"][name] for wave in model.periods if name in wave["period"]] for name in named]
        return cls(cycles, weights, named, density, kernel.kernel.learns_frequencies, waves=waves).plot(ax)

    def plot(self, ax: Any = None) -> "SpectrumDisplay":
        """Draw a line for each input, or a cloud; returns the display."""
        ax = self._on(ax)
        if self.is_cloud and len(self.names) == 2:
            return self._plot_cloud(ax)
        several, names = len(self.names) > 1, short_ones(self.names)
        units = [self._highest(k) if several else 1.0 for k in range(len(names))]
        for k, (unit, name) in enumerate(zip(units, names, strict=True)):
            label = f"{name}, highest {unit:.3g} per unit" if several else name
            x, y = self._line(k)
            ax.plot(x / unit, y * unit, label=label, **line_style(k))
            if self.is_cloud:
                each, low = np.abs(self.frequencies[k]) / unit, np.zeros(self.weights.size)
                ax.plot(each, low, "|", color=SHADES[0], transform=ax.get_xaxis_transform(), markersize=12)
        own = f"frequency along {short(self.names[0], 32)}\n(cycles per unit)"
        ax.set_xlabel("frequency, as a share of the highest (cycles per unit)" if several else own)
        ax.set_ylabel("density of the variance")
        ax.set_xlim(left=0)
        if any(each.size for each in self.waves) and self.density is not None:
            self._show_hills(ax, units)
        else:
            ax.set_ylim(bottom=0)
        if several:
            ax.legend(fontsize="small")
        bare(ax)
        return self

    def _plot_cloud(self, ax: Any) -> "SpectrumDisplay":
        """Frequencies over two inputs, each as the one of ± ω whose first is positive."""
        first, second = self.frequencies * np.where(self.frequencies[0] < 0, -1.0, 1.0)
        size = 40 * self.weights / max(float(self.weights.max()), np.finfo(float).tiny)
        ax.scatter(first, second, np.maximum(size, 4), color=SHADES[0], alpha=0.6, linewidths=0)
        ax.axhline(0, color=REFERENCE, linewidth=0.8)
        ax.set_xlabel(f"frequency along {short(self.names[0], 32)}\n(cycles per unit)")
        ax.set_ylabel(f"along {short(self.names[1], 30)}")
        ax.set_xlim(left=0)
        bare(ax)
        return self

    def _highest(self, k: int) -> float:
        """Below which lie 98 % of the variance, and all waves."""
        return float(max(_largest(np.abs(self.frequencies[k]), self.weights), *self.waves[k], 0.0))

    def _line(self, k: int) -> tuple[Array, Array]:
        """Frequencies (points,) along the k-th input, and their density."""
        if self.density is None:
            return _histogram(np.abs(self.frequencies[k]), self.weights)
        near = np.outer(self.waves[k], 1 + OF_HILL * np.linspace(-1, 1, 101)).ravel()
        x = np.unique([*np.linspace(0, 1.2 * self._highest(k), POINTS), *near])
        return x, self.density[k](x)

    def _show_hills(self, ax: Any, units: list[float]) -> None:
        """Logarithms where a wave has a hill far below the trend's."""
        heights = [self.density[k](waves) * units[k] for k, waves in enumerate(self.waves) if waves.size]
        lowest = min(float(each.min()) for each in heights)
        highest = max(float(line.get_ydata().max()) for line in ax.lines)
        if 0 < lowest < 0.1 * highest:
            ax.set_yscale("log")
            ax.set_ylim(LEAST * lowest, 3 * highest)
        else:
            ax.set_ylim(bottom=0)


def _in_cycles(density: Callable[[Array], Array | None]) -> Callable[[Array], Array]:
    """A density of cycles from one of radians."""
    return lambda cycles: 2 * np.pi * np.asarray(density(2 * np.pi * cycles))


def _histogram(frequencies: Array, weights: Array) -> tuple[Array, Array]:
    """Middles of bins (bins,) up to the largest, and the smoothed density there."""
    top = max(_largest(frequencies, weights), np.finfo(float).tiny * 1e6)
    edges = np.linspace(0, top, 41)
    density, _ = np.histogram(frequencies, edges, weights=weights)
    smooth = np.convolve(np.pad(density, 1, mode="edge"), [0.25, 0.5, 0.25], mode="valid")
    return (edges[1:] + edges[:-1]) / 2, smooth / (edges[1] * weights.sum())


def _largest(frequencies: Array, weights: Array) -> float:
    """Below which lie 98 % of the variance; 1 where all are zero."""
    order = np.argsort(frequencies)
    share = np.cumsum(weights[order])
    top = float(frequencies[order][min(np.searchsorted(share, 0.98 * share[-1]), order.size - 1)])
    return top if top > 0 else 1.0
