"""Frequencies of the learned kernel along one input: a density where there is one, else a cloud of point masses."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from alakarte.display.canvas import Display, bare, fitted_model, line_style, places_of, short
from alakarte.records import Array


class SpectrumDisplay(Display):
    """How much of the variance each frequency of an input carries.

    Kernels are symmetric, so frequencies ≥ 0 are shown. Of closed forms (rbf, ard, Matérn, gm, mm) it is their density;
    of others (pwl, sums with it) a histogram of the frequencies that the expansion has.

    Parameters
    ----------
    frequencies : (k, F)
        Frequencies of k inputs ≥ 0, in cycles per unit of each.
    weights : (F,)
        Share of the variance of each.
    names : sequence of str
    density : sequence of callables or None
        For each input, density (points,) of frequencies (points,) in cycles per unit.
    is_cloud : bool
        Whether frequencies are learned one by one (ssgpr, fsgbard, fsard): each is drawn.

    Examples
    --------
    >>> from alakarte.display import SpectrumDisplay
    >>> SpectrumDisplay([[0.1, 0.3]], [0.5, 0.5], ["t"]).frequencies.shape
    (1, 2)
    """

    def __init__(self, frequencies: Any, weights: Any, names: Any, density: Any = None, is_cloud: bool = False):
        self.frequencies: Array = np.atleast_2d(np.asarray(frequencies, dtype=float))
        self.weights: Array = np.asarray(weights, dtype=float)
        self.names = list(names)
        self.density = density
        self.is_cloud = is_cloud

    @classmethod
    def from_estimator(cls, estimator: Any, *, features: Any = None, ax: Any = None) -> "SpectrumDisplay":
        """Draw the spectrum along some inputs, by name or place; the two most relevant if None."""
        model = fitted_model(estimator)
        kernel, names = model.kernel, model.input_names
        places = places_of(names, features, kernel.relevance(), 2)
        frequencies, weights = kernel.weighted_frequencies()
        columns = places if model.scaling.variables is None else model.scaling.variables.first[places]
        cycles = np.abs(frequencies[:, columns].T) / (2 * np.pi)
        density = None
        if kernel.marginal_density(int(columns[0]), np.zeros(1)) is not None:
            density = [_in_cycles(partial(kernel.marginal_density, int(column))) for column in columns]
        named = [names[j] for j in places]
        return cls(cycles, weights, named, density, kernel.kernel.learns_frequencies).plot(ax)

    def plot(self, ax: Any = None) -> "SpectrumDisplay":
        """Draw a line, or a cloud, for each input; returns the display."""
        ax = self._on(ax)
        several = len(self.names) > 1
        units = [_largest(each, self.weights) if several else 1.0 for each in self.frequencies]
        for k, (frequencies, unit, name) in enumerate(zip(self.frequencies, units, self.names, strict=True)):
            label = f"{short(name)}, largest {unit:.3g} cycles per unit" if several else short(name)
            if self.density is None:
                self._draw(ax, frequencies / unit, line_style(k), label)
            else:
                points = np.linspace(0, 1.2 * _largest(frequencies, self.weights), 300)
                ax.plot(points / unit, self.density[k](points) * unit, label=label, **line_style(k))
        own = f"frequency along {short(self.names[0])} (cycles per unit)"
        ax.set_xlabel("frequency, as a share of the largest" if several else own)
        ax.set_ylabel("share of the variance" if self.is_cloud else "density of the variance")
        ax.set_xlim(left=0)
        ax.set_ylim(bottom=0)
        if several:
            ax.legend(fontsize="small")
        bare(ax)
        return self

    def _draw(self, ax: Any, frequencies: Array, style: dict[str, Any], label: str) -> None:
        if self.is_cloud:
            marker = "o" if style["linestyle"] == "-" else "x"
            ax.plot(frequencies, self.weights, marker, color=style["color"], markersize=4, alpha=0.7, label=label)
            return
        top = max(_largest(frequencies, self.weights), np.finfo(float).tiny * 1e6)
        edges = np.linspace(0, top, 21)
        density, _ = np.histogram(np.minimum(frequencies, top), edges, weights=self.weights)
        smooth = np.convolve(np.pad(density, 1, mode="edge"), [0.25, 0.5, 0.25], mode="valid")
        ax.plot((edges[1:] + edges[:-1]) / 2, smooth / (edges[1] * self.weights.sum()), label=label, **style)


def _in_cycles(density: Callable[[Array], Array | None]) -> Callable[[Array], Array]:
    """A density of cycles from one of radians."""
    return lambda cycles: 2 * np.pi * np.asarray(density(2 * np.pi * cycles))


def _largest(frequencies: Array, weights: Array) -> float:
    """Below which lie 98 % of the variance; 1 where all are zero."""
    order = np.argsort(frequencies)
    share = np.cumsum(weights[order])
    top = float(frequencies[order][min(np.searchsorted(share, 0.98 * share[-1]), order.size - 1)])
    return top if top > 0 else 1.0
