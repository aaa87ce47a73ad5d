"""The learned kernel along inputs: how alike the function is at two rows that differ in one input only."""

from typing import Any

import numpy as np

from alakarte.display.canvas import REFERENCE, Display, bare, fitted_model, line_style, places_of, short, short_ones
from alakarte.model.fitted import FittedModel
from alakarte.records import Array

_POINTS = 161


class KernelDisplay(Display):
    """Correlation of the function with itself, a distance apart along one input; and on request functions of the prior.

    Parameters
    ----------
    distances : list of (points,)
        In units of each input.
    correlations : list of (points,)
    names : sequence of str
    samples : (points, samples) or None
        Functions of the prior along the first input.
    units : sequence of float or None
        What one is on an axis that several inputs share, the standard deviation of each; their longest distance if
        None.

    Examples
    --------
    >>> from alakarte.display import KernelDisplay
    >>> KernelDisplay([[0.0, 1.0]], [[1.0, 0.5]], ["dose"]).names
    ['dose']
    """

    def __init__(self, distances: Any, correlations: Any, names: Any, samples: Any = None, units: Any = None):
        self.distances = [np.asarray(each, dtype=float) for each in distances]
        self.correlations = [np.asarray(each, dtype=float) for each in correlations]
        self.names = list(names)
        self.samples = samples
        self.units = units

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, features: Any = None, n_samples: int = 0, random_state: int = 0, ax: Any = None
    ) -> "KernelDisplay":
        """Draw the kernel along some inputs, the four most relevant numbers if None.

        Parameters
        ----------
        estimator : fitted estimator of alakarte
        features : list of str or int, optional
        n_samples : int, default=0
            Functions of the prior to draw along the first of them, instead of the kernel.
        random_state : int, default=0
        ax : matplotlib axis, optional
        """
        model = fitted_model(estimator)
        places = [j for j in places_of(model.input_names, features, model.kernel.relevance(), 4) if is_number(model, j)]
        distances, values = zip(*(_along(model, j) for j in places), strict=True)
        samples, units = None, [_scale(model, j) for j in places]
        if n_samples:
            x, K = _gram_along(model, places[0])
            spread, vectors = np.linalg.eigh(K)
            draws = np.random.default_rng(random_state).standard_normal((len(x), n_samples))
            samples, distances = vectors @ (np.sqrt(np.maximum(spread, 0))[:, None] * draws), (x,)
        names = [model.input_names[j] for j in places]
        return cls(distances, values, names, samples, units).plot(ax)

    def plot(self, ax: Any = None) -> "KernelDisplay":
        """Draw a line for each input, or the functions; returns the display."""
        ax = self._on(ax)
        if self.samples is not None:
            for k, function in enumerate(np.asarray(self.samples).T):
                ax.plot(self.distances[0], function, **line_style(k))
            ax.set_xlabel(short(self.names[0]))
            ax.set_ylabel("function before any row was seen")
            bare(ax)
            return self
        single = len(self.names) == 1
        what = "range" if self.units is None else "std"
        for k, name in enumerate(short_ones(self.names)):
            unit = (self.distances[k][-1] or 1.0) if self.units is None else self.units[k]
            label = name if single else f"{name}, {what} {unit:.3g}"
            ax.plot(self.distances[k] / (1 if single else unit), self.correlations[k], label=label, **line_style(k))
        ax.axhline(0, color=REFERENCE, linewidth=0.8)
        own = f"difference in {short(self.names[0])}"
        shared = "difference, as a share of the range" if self.units is None else "difference, in standard deviations"
        ax.set_xlabel(own if single else f"{shared} of each input")
        ax.set_ylabel("correlation of the function")
        if not single:
            ax.legend(fontsize="small")
        bare(ax)
        return self


def is_number(model: FittedModel, j: int) -> bool:
    """Whether an input is no category."""
    variables = model.scaling.variables
    return variables is None or bool(variables.is_number[j])


def _line(model: FittedModel, j: int) -> tuple[Array, Array]:
    """Values (points,) of a number, four standard deviations long, and rows (points, variables) alike in all else."""
    scaling = model.scaling
    values = scaling.x_mean[_column(model, j)] + _scale(model, j) * np.linspace(-2, 2, _POINTS)
    rows = np.zeros((_POINTS, scaling.n_variables))
    if scaling.encoding is None:
        rows[:] = scaling.x_mean
    else:
        for i, levels in enumerate(scaling.encoding.levels):
            rows[:, i] = scaling.x_mean[scaling.variables.first[i]] if levels is None else levels.numbers[0]  # type: ignore[union-attr]
    rows[:, j] = values
    return values, rows


def _column(model: FittedModel, j: int) -> int:
    variables = model.scaling.variables
    return j if variables is None else int(variables.first[j])


def _scale(model: FittedModel, j: int) -> float:
    """The standard deviation of a number."""
    return float(model.scaling.x_scale[_column(model, j)])


def _gram_along(model: FittedModel, j: int) -> tuple[Array, Array]:
    """Values (points,), and k between them, of the first target."""
    values, rows = _line(model, j)
    K = model.kernel.between(model.scaling.inputs(rows))
    return values, K


def _along(model: FittedModel, j: int) -> tuple[Array, Array]:
    values, K = _gram_along(model, j)
    first = K[0] / (K[0, 0] or 1.0)
    return values - values[0], first
