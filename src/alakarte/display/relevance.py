"""Bars of relevance: how much the learned function varies along each input."""

from typing import Any

import numpy as np

from alakarte.display.canvas import MOST_BARS, SHADES, Display, bare, fitted_model, short_ones
from alakarte.records import Array


class RelevanceDisplay(Display):
    """Relevance of inputs, the largest first.

    Parameters
    ----------
    relevance : (inputs,)
        Sums to one.
    names : sequence of str
    max_inputs : int
        Bars that are drawn; what is left of the others is one bar.

    Examples
    --------
    >>> from alakarte.display import RelevanceDisplay
    >>> RelevanceDisplay([0.2, 0.8], ["age", "dose"]).names
    ['age', 'dose']
    """

    def __init__(self, relevance: Any, names: Any, max_inputs: int = MOST_BARS):
        self.relevance: Array = np.asarray(relevance, dtype=float)
        self.names = list(names)
        self.max_inputs = max_inputs

    @classmethod
    def from_estimator(cls, estimator: Any, *, max_inputs: int = MOST_BARS, ax: Any = None) -> "RelevanceDisplay":
        """Draw the relevance of a fitted estimator's inputs."""
        model = fitted_model(estimator)
        return cls(model.kernel.relevance(), model.input_names, max_inputs).plot(ax)

    def plot(self, ax: Any = None) -> "RelevanceDisplay":
        """Draw the bars; returns the display."""
        order = np.argsort(-self.relevance, kind="stable")
        shown, others = order[: self.max_inputs], order[self.max_inputs :]
        values = [float(self.relevance[j]) for j in shown]
        labels = short_ones([self.names[j] for j in shown])
        if others.size:
            values.append(float(self.relevance[others].sum()))
            labels.append(f"{others.size} others: {values[-1]:.2f}")
        ax = self._on(ax, high=1.1 + 0.24 * len(values))
        places = np.arange(len(values))
        longest = max(max(values[: shown.size], default=0.0) * 1.05, 1e-3)
        bars = ax.barh(places, np.minimum(values, longest), color=SHADES[0])
        if others.size:
            bars[-1].set(facecolor="none", edgecolor=SHADES[0], hatch="///")
        ax.set_yticks(places, labels)
        ax.invert_yaxis()
        ax.set_xlim(0, longest)  # the bar of all others may be cut: its label says how long
        ax.locator_params(axis="x", nbins=6)  # numbers of four digits side by side
        ax.set_xlabel("share of the variation (relevance)")
        bare(ax)
        return self
