"""Kernels that were compared, by what decided between them."""

from typing import Any

import numpy as np

from alakarte.display.canvas import PALE, SHADES, Display, bare, fitted_model
from alakarte.errors import Unavailable

# what a line of the ranking is judged by, in the order of its say: name, axis, sign
_JUDGED_BY = (
    ("left_out_log_loss", "log loss of rows left out,\nabove the best (nats per row)", 1.0),
    ("left_out_log_density", "log density of rows left out,\nbelow the best (nats per row)", -1.0),
    ("log_marginal_likelihood", "log evidence less ½ per parameter,\nbelow the best (nats)", -1.0),
)


class RankingDisplay(Display):
    """How far each kernel is behind the best, with its weight in predictions.

    Parameters
    ----------
    ranking : list of dict
        `ranking_` of an estimator.

    Examples
    --------
    >>> from alakarte.display import RankingDisplay
    >>> place = {"kernel": "ard", "n_components": 1, "left_out_log_loss": 0.3, "weight": 1.0}
    >>> RankingDisplay([place]).behind
    [0.0]
    """

    def __init__(self, ranking: Any):
        self.ranking = list(ranking)
        if not self.ranking:
            raise Unavailable(
                "The kernel was given by name, so none were compared: fit with kernel='auto' for a ranking."
            )
        self.behind, self.unit = _behind(self.ranking)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> "RankingDisplay":
        """Draw the ranking of a fitted estimator."""
        return cls(fitted_model(estimator).ranking).plot(ax)

    def plot(self, ax: Any = None) -> "RankingDisplay":
        """Draw a bar for each kernel; returns the display."""
        ax = self._on(ax, high=1.3 + 0.3 * len(self.ranking))
        places = np.arange(len(self.ranking))
        known = np.nan_to_num(self.behind, nan=0.0)
        kept = [place["weight"] > 0 for place in self.ranking]
        bars = ax.barh(places, known, color=[SHADES[0] if k else PALE for k in kept], edgecolor=SHADES[0])
        for bar, value, place in zip(bars, self.behind, self.ranking, strict=True):
            text = "not compared" if np.isnan(value) else f"{value:.3g}"
            text += f", weight {place['weight']:.2f}" if place["weight"] > 0 else ""
            ax.annotate(text, (bar.get_width(), bar.get_y() + bar.get_height() / 2), (4, 0), va="center",
                        textcoords="offset points", fontsize="small")  # fmt: skip
        ax.set_yticks(places, [_name(place) for place in self.ranking])
        ax.invert_yaxis()
        ax.set_xlim(0, max(float(known.max()) * 1.8, 1e-3))
        if not known.any():
            ax.set_xticks([0.0])
        else:
            ax.locator_params(axis="x", nbins=4)  # numbers of six digits side by side
        ax.set_xlabel(self.unit)
        bare(ax)
        return self


def _name(place: dict[str, Any]) -> str:
    name = str(place["kernel"]) + (f", Q = {place['n_components']}" if place["n_components"] > 1 else "")
    return name + (f",\nfixed at {place['fixed']}" if place.get("fixed") else "")


def _behind(ranking: list[dict[str, Any]]) -> tuple[list[float], str]:
    """Of each kernel, how far it is behind the best, and the unit."""
    for key, unit, sign in _JUDGED_BY:
        values = np.array([np.nan if place.get(key) is None else float(place[key]) for place in ranking])
        if key == "log_marginal_likelihood":
            values = values - 0.5 * np.array([place.get("n_parameters", 0) for place in ranking])
        if not np.isnan(values).all():
            return (sign * values - np.nanmin(sign * values)).tolist(), unit
    return [float("nan")] * len(ranking), "not compared"
