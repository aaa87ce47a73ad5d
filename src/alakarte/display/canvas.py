"""Axes to draw on, and what all pictures share: shades that print in grey, names cut to length, no empty frame.

The only file that imports matplotlib, where a picture is first drawn. In: an axis of the user's, or none. Out: axes,
or a drawing of its own that becomes SVG, whatever style and window system the user has set.
"""

import io
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from alakarte.display.words import cut, cut_apart
from alakarte.errors import InvalidInput, Unavailable
from alakarte.model.fitted import FittedModel
from alakarte.records import Array

# By lightness first, by hue second, and each with a dash of its own: told apart in grey too.
SHADES = ("#1b3a6b", "#c05a1c", "#4f9d8a", "#9a7fc0", "#b0a23a", "#7a7a7a")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
BAND, POINTS, REFERENCE = "#8fa8cf", "#444444", "#666666"
PALE, SAMPLES = "#c9d2e0", "#7d8fb3"
LONGEST_NAME = 24  # characters of a name among others
LONGEST_ALONE = 40  # of one below an axis
MOST_BARS = 20
_OF_SVG: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "alakarte", "font.size": 9.0, "hatch.linewidth": 0.7}


class Display(ABC):
    """A picture: numbers, and how to draw them."""

    ax_: Any
    figure_: Any
    height_: float  # in inches, that suits what is drawn

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw on an axis, a new one if None; returns the display, with `ax_` and `figure_`."""

    def _on(self, ax: Any, *, wide: float = 5.2, high: float = 3.6) -> Any:
        """The axis to draw on, kept as `ax_` with its figure."""
        self.height_ = high
        self.ax_ = new_axis(wide, high) if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_


def new_axis(wide: float, high: float) -> Any:
    """An axis of a figure of its own, in inches, or the error that matplotlib is not there."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise _missing() from None
    return plt.subplots(figsize=(wide, high), layout="constrained")[1]


def svg(plot: Callable[[Any], Display], wide: float) -> str:
    """The SVG of a display, so many inches wide and as high as it likes: `plot` gets an axis and returns the display.

    Text stays text. No window is opened, and pictures that the user has open are not touched.
    """
    try:
        import matplotlib
        from matplotlib import style
        from matplotlib.figure import Figure
    except ImportError:
        raise _missing() from None
    file = io.StringIO()
    with style.context("default"), matplotlib.rc_context(_OF_SVG), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # whoever shows the text has its own letters
        figure = Figure(figsize=(wide, 3.6), layout="constrained")
        display = plot(figure.subplots())
        figure.set_size_inches(wide, display.height_)
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()


def _missing() -> Unavailable:
    return Unavailable('Pictures need the package matplotlib: pip install "alakarte[plot]".')


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


def short(name: str, longest: int = LONGEST_ALONE) -> str:
    """A name of at most so many characters; signs that would begin a formula are taken as they are."""
    return cut(name, longest).replace("$", r"\$")


def short_ones(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    """The same of names that stand side by side, and must be told apart."""
    return [name.replace("$", r"\$") for name in cut_apart([str(name) for name in names], longest)]


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
