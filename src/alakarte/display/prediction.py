"""Predictions beside what was observed, with intervals; along one input a curve with bands and drawn functions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from alakarte.display.canvas import (
    BAND,
    POINTS,
    REFERENCE,
    SAMPLES,
    SHADES,
    Display,
    bare,
    fitted_model,
    short,
    target_name,
)
from alakarte.display.kernel import is_number
from alakarte.errors import InvalidInput
from alakarte.records import Array

MOST_ROWS = 400  # that are drawn against what was observed: more hide each other


@dataclass(frozen=True)
class Curve:
    """A prediction along one input."""

    x: Array  # (points,)
    samples: Array  # (points, samples)
    rows: tuple[Array, Array] | None  # observed x and y


class PredictionDisplay(Display):
    """Predictions with their intervals.

    Parameters
    ----------
    mean, low, high : (rows,)
    y : (rows,) or None
        What was observed, for a picture of truth against prediction.
    curve : Curve or None
        Where rows are points along one input.
    names : (str, str)
        Of the target and of the input.
    coverage : float
        Of the intervals.

    Examples
    --------
    >>> from alakarte.display import PredictionDisplay
    >>> PredictionDisplay([1.0], [0.5], [1.5], y=[1.2]).mean.tolist()
    [1.0]
    """

    def __init__(  # noqa: PLR0913
        self,
        mean: Any,
        low: Any,
        high: Any,
        *,
        y: Any = None,
        curve: Curve | None = None,
        names: tuple[str, str] = ("y", "x"),
        coverage: float = 0.95,
    ):
        self.mean, self.low, self.high = (np.asarray(each, dtype=float) for each in (mean, low, high))
        self.y = None if y is None else np.asarray(y, dtype=float)
        self.curve = curve
        self.names = names
        self.coverage = coverage

    @classmethod
    def from_estimator(  # noqa: PLR0913
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        kind: str = "auto",
        target: int | str | None = None,
        coverage: float = 0.95,
        n_samples: int = 0,
        ax: Any = None,
        **given: Any,
    ) -> "PredictionDisplay":
        """Draw predictions of a fitted regressor, or of counts.

        Parameters
        ----------
        estimator : fitted `GPRegressor` or `GPCountRegressor`
        X : (rows, d)
        y : (rows,) or (rows, T), optional
        kind : {"auto", "curve", "truth"}, default="auto"
            A curve along the only input, or prediction against what was observed; auto takes a curve where there is
            one input and it is a number. Of truth at most 400 rows are drawn, evenly spread.
        target : int or str, optional
            Which of several targets; or the name of the one, for the axis.
        coverage : float, default=0.95
        n_samples : int, default=0
            Functions drawn from the posterior, beside a curve.
        ax : matplotlib axis, optional
        **given
            ``exposure`` of counts.
        """
        model = fitted_model(estimator)
        if is_classifier(estimator):
            raise InvalidInput("PredictionDisplay is for numbers and counts; for classes see CoverageDisplay.")
        is_curve = (len(model.input_names) == 1 and is_number(model, 0)) if kind == "auto" else kind == "curve"
        if not is_curve and y is None:
            raise InvalidInput("y is None: a picture of several inputs compares predictions with what was observed.")
        which = target if isinstance(target, int) else 0
        name = target_name(estimator, target if isinstance(target, str) else _own_name(y, which))
        observed = None if y is None else _of_target(np.asarray(y, dtype=float), which)
        values = _first_column(X) if is_curve else np.empty(0)
        order = np.argsort(values, kind="stable") if is_curve else _some(len(observed if observed is not None else ()))
        rows = _rows(X, order)
        low, high = (_of_target(each, which) for each in estimator.predict_interval(rows, coverage, **given))
        mean = _of_target(estimator.predict(rows, **given), which)
        curve = None
        if is_curve:
            samples = np.empty((len(mean), 0))
            if n_samples:
                samples = estimator.sample_y(rows, n_samples, **({} if given else _without_noise(model)))
                samples = samples[:, which] if samples.ndim == 3 else samples
            points = None if observed is None else (values[order], observed[order])
            curve = Curve(values[order], samples, points)
        truth = None if is_curve or observed is None else observed[order]
        names = (name, model.input_names[0])
        return cls(mean, low, high, y=truth, curve=curve, names=names, coverage=coverage).plot(ax)

    def plot(self, ax: Any = None) -> "PredictionDisplay":
        """Draw the curve, or truth against prediction; returns the display."""
        interval = f"{100 * self.coverage:g} % interval"
        if self.curve is not None:
            self._draw_curve(self._on(ax, wide=6.4), self.curve, interval)
        if self.y is not None:
            self._draw_truth(self._on(ax, wide=4.6, high=4.2), self.y, interval)
        self.ax_.legend(fontsize="small")
        bare(self.ax_)
        return self

    def _draw_curve(self, ax: Any, curve: Curve, interval: str) -> None:
        ax.fill_between(curve.x, self.low, self.high, color=BAND, alpha=0.45, linewidth=0, label=interval)
        ax.plot(curve.x, curve.samples, color=SAMPLES, linewidth=0.7)
        ax.plot(curve.x, self.mean, color=SHADES[0], label="mean")
        if curve.rows is not None:
            ax.plot(*curve.rows, ".", color=POINTS, markersize=4, label="observed")
        ax.set_xlabel(short(self.names[1]))
        ax.set_ylabel(short(self.names[0]))

    def _draw_truth(self, ax: Any, y: Array, interval: str) -> None:
        wrong = (y < self.low) | (y > self.high)
        for mask, colour, what in ((~wrong, SHADES[0], "within"), (wrong, SHADES[1], "outside")):
            lengths = np.abs(np.array([self.low, self.high])[:, mask] - self.mean[mask])
            style = {"fmt": "o" if what == "within" else "x", "color": colour, "ecolor": BAND, "elinewidth": 0.7}
            label = f"{what} its {interval}, {int(mask.sum())} rows"
            ax.errorbar(y[mask], self.mean[mask], lengths, markersize=3, label=label, **style)
        ends = [min(y.min(), self.mean.min()), max(y.max(), self.mean.max())]
        ax.plot(ends, ends, color=REFERENCE, linewidth=0.8)
        ax.set_xlabel(f"observed {short(self.names[0])}")
        ax.set_ylabel(f"predicted {short(self.names[0], 32)}")


def _own_name(y: Any, which: int) -> str | None:
    """That of a column that was given as the target, in a table of any library."""
    columns = getattr(y, "columns", None)
    name = getattr(y, "name", None) if columns is None else list(columns)[which]
    return None if name is None else str(name)


def _some(n: int) -> Any:
    return np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(int)


def _rows(X: Any, places: Any) -> Any:
    """Rows of a table of any library, by place."""
    return _safe_indexing(X, places)


def _first_column(X: Any) -> Array:
    return np.asarray(X, dtype=float)[:, 0]


def _of_target(values: Any, which: int) -> Array:
    values = np.asarray(values)
    return np.asarray(values[:, which] if values.ndim == 2 else values, dtype=float)


def _without_noise(model: Any) -> dict[str, Any]:
    return {"include_noise": False} if model.likelihood.is_exact or model.likelihood.name == "student_t" else {}
