"""Axes to draw on, and what all pictures share: shades that print in grey, names cut to length, no empty frame.

The only file that imports matplotlib, where a picture is first drawn. In: an axis of the user's, or none. Out: axes.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from alakarte.errors import InvalidInput, Unavailable
from alakarte.model.fitted import FittedModel
from alakarte.records import Array

# By lightness first, by hue second, and each with a dash of its own: told apart in grey too.
SHADES = ("#1b3a6b", "#c05a1c", "#4f9d8a", "#9a7fc0", "#b0a23a", "#7a7a7a")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
BAND, POINTS, REFERENCE = "#8fa8cf", "#444444", "#666666"
LONGEST_NAME = 24  # characters on an axis
MOST_BARS = 20


class Display(ABC):
    """A picture: numbers, and how to draw them."""

    ax_: Any
    figure_: Any

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw on an axis, a new one if None; returns the display, with `ax_` and `figure_`."""

    def _on(self, ax: Any, *, wide: float = 5.2, high: float = 3.6) -> Any:
        """The axis to draw on, kept as `ax_` with its figure."""
        self.ax_ = new_axis(wide, high) if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_


def new_axis(wide: float, high: float) -> Any:
    """An axis of a figure of its own, in inches, or the error that matplotlib is not there."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise Unavailable('Pictures need the package matplotlib: pip install "alakarte[plot]".') from None
    return plt.subplots(figsize=(wide, high), layout="constrained")[1]


def line_style(k: int) -> dict[str, Any]:
    """Colour and dash of the k-th line."""
    return {"color": SHADES[k % len(SHADES)], "linestyle": DASHES[k % len(DASHES)]}


def fitted_model(estimator: Any) -> FittedModel:
    """The model of a fitted estimator, or scikit-learn's error."""
    check_is_fitted(estimator)
    model = vars(estimator).get("model_")
    if not isinstance(model, FittedModel):
        raise InvalidInput(f"{type(estimator).__name__} is no fitted estimator of alakarte; give the last step itself.")
    return model


def target_name(estimator: Any, given: str | None) -> str:
    """That of the user, of the table that the model was fitted on, or y."""
    schema = vars(estimator).get("schema_")
    return given or (str(schema.target) if schema is not None else "y")


def short(name: str, longest: int = LONGEST_NAME) -> str:
    """A name of at most so many characters; signs that would begin a formula are taken as they are."""
    cut = name if len(name) <= longest else f"{name[: longest - 7]}…{name[-6:]}"
    return cut.replace("$", r"\$")


def places_of(names: Sequence[str], wanted: Sequence[int | str] | None, relevance: Array, most: int) -> list[int]:
    """Inputs by place or name; the most relevant ones if None."""
    if wanted is None:
        return [int(j) for j in np.argsort(-relevance, kind="stable")[:most]]
    return [_place(names, each) for each in wanted]


def _place(names: Sequence[str], wanted: int | str) -> int:
    if isinstance(wanted, str) and wanted in names:
        return list(names).index(wanted)
    if not isinstance(wanted, str) and 0 <= wanted < len(names):
        return int(wanted)
    raise InvalidInput(
        f"features has {wanted!r}: the model has {', '.join(map(str, names))[:200]}; give these, or places."
    )


def bare(ax: Any) -> None:
    """Without the frame's upper and right side."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
