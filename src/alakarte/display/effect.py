"""Partial dependence: what inputs do to the latent function, averaged over the others, with bands of the posterior."""

from typing import Any

import numpy as np

from alakarte.data.categories import MISSING
from alakarte.data.read import read_inputs
from alakarte.data.schema import DATE
from alakarte.display.canvas import BAND, POINTS, SHADES, Display, bare, fitted_model, places_of, short, target_name
from alakarte.execution.threads import one_blas_thread
from alakarte.model.fitted import FittedModel
from alakarte.posteriors.averaged import averaged
from alakarte.posteriors.averaged_kernel import Replaced
from alakarte.records import Array

FEW_VALUES = 20  # of a number, up to which its own are shown; two are drawn as levels of a category are


class EffectDisplay(Display):
    """The effect of one input.

    Parameters
    ----------
    values : (points,)
        Of the input; places 0, 1, … of the levels of a category.
    mean, std : (points,)
        Of the function averaged over the rows, in units of the target; of classes and counts in those of the latent
        function.
    names : (str, str)
        Of the input and of the target.
    levels : list of str or None
        Of a category.
    rows : (n,)
        Values of the rows that were averaged over, shown as ticks.
    are_dates : bool
        Whether values are days since 1970, as the command makes of dates.

    Examples
    --------
    >>> from alakarte.display import EffectDisplay
    >>> EffectDisplay([0.0, 1.0], [2.0, 3.0], [0.1, 0.2], ("dose", "growth")).names
    ('dose', 'growth')
    """

    def __init__(  # noqa: PLR0913
        self,
        values: Any,
        mean: Any,
        std: Any,
        names: tuple[str, str] = ("x", "y"),
        *,
        levels: list[str] | None = None,
        rows: Any = (),
        are_dates: bool = False,
    ):
        self.values, self.mean, self.std = (np.asarray(each, dtype=float) for each in (values, mean, std))
        self.names = names
        self.levels = levels
        self.rows: Array = np.asarray(rows, dtype=float)
        self.are_dates = are_dates

    @classmethod
    def from_estimator(  # noqa: PLR0913
        cls,
        estimator: Any,
        X: Any,
        feature: int | str | None = None,
        *,
        values: Any = None,
        grid_resolution: int = 100,
        target: int | str | None = None,
        ax: Any = None,
    ) -> "EffectDisplay":
        """Draw the effect of one input.

        Parameters
        ----------
        estimator : fitted estimator of alakarte
        X : (rows, d)
            Rows to average over.
        feature : int or str, optional
            By place or name; the most relevant input if None.
        values : (points,), optional
            Of the input; between its 5 % and 95 % quantiles if None, all levels of a category.
        grid_resolution : int, default=100
        target : int or str, optional
            Which target or class; or the name of the one, for the axis.
        ax : matplotlib axis, optional
        """
        return effect_display(estimator, X, feature, values, grid_resolution, target).plot(ax)

    def plot(self, ax: Any = None) -> "EffectDisplay":
        """Draw the mean with a band of two standard deviations; returns the display."""
        ax = self._on(ax)
        low, high = self.mean - 2 * self.std, self.mean + 2 * self.std
        if self.levels is not None:
            ends = np.array([self.mean - low, high - self.mean])
            ax.errorbar(self.values, self.mean, ends, fmt="o", color=SHADES[0], ecolor=BAND, elinewidth=3)
            turned = max(map(len, self.levels), default=0) > 6 or len(self.levels) > 8
            ax.set_xticks(self.values, [short(each, 16) for each in self.levels], rotation=90 if turned else 0)
        else:
            ax.fill_between(self.values, low, high, color=BAND, alpha=0.45, linewidth=0, label="± 2 std of the average")
            ax.plot(self.values, self.mean, color=SHADES[0])
            inside = self.rows[(self.rows >= self.values.min()) & (self.rows <= self.values.max())]
            ax.plot(inside, np.zeros(inside.size), "|", color=POINTS, transform=ax.get_xaxis_transform(), alpha=0.4)
            ax.legend(fontsize="small")
            if self.are_dates:
                ax.locator_params(axis="x", nbins=4)
                ax.xaxis.set_major_formatter(_date)
        ax.set_xlabel(short(self.names[0]))
        ax.set_ylabel("\n".join(short(part, 36) for part in self.names[1].split("\n")))
        bare(ax)
        return self


def effect_display(
    estimator: Any,
    X: Any,
    feature: int | str | None = None,
    values: Any = None,
    grid_resolution: int = 100,
    target: int | str | None = None,
) -> EffectDisplay:
    """`EffectDisplay.from_estimator` before it is drawn."""
    model = fitted_model(estimator)
    [j] = places_of(model.input_names, None if feature is None else [feature], model.kernel.relevance(), 1)
    table = read_inputs(estimator, X, model.scaling.encoding)
    points, levels = _array(values), None
    if values is None:
        points, levels = _points(estimator, table[:, j], j, grid_resolution)
    mean, std = effect(model, table, j, points)
    which = target if isinstance(target, int) else mean.shape[1] - 1
    name = _function_name(estimator, model, target, which)
    shown = np.arange(points.size) if levels is not None else points
    rows = () if levels is not None else table[:, j]
    names = (model.input_names[j], name)
    schema = vars(estimator).get("schema_")
    are_dates = schema is not None and levels is None and schema.variable(j)[0].kind == DATE
    return EffectDisplay(shown, mean[:, which], std[:, which], names, levels=levels, rows=rows, are_dates=are_dates)


def effect(model: FittedModel, table: Array, j: int, points: Array) -> tuple[Array, Array]:
    """Mean and standard deviation (points, T) of the average over the rows of a table with input j at each point."""
    scaling, moved = model.scaling, np.repeat(table[:1], len(points), axis=0)
    moved[:, j] = points
    columns = np.array([j]) if scaling.variables is None else np.flatnonzero(scaling.variables.of_column == j)
    replaced = Replaced(scaling.inputs(table), columns, scaling.inputs(moved)[:, columns])
    with one_blas_thread():
        mean, variance = averaged(model.posterior, replaced, 1)
    return mean * scaling.y_scale + scaling.y_mean, np.sqrt(variance) * model.std_scale


def _array(values: Any) -> Array:
    return np.asarray(values, dtype=float)


def _points(estimator: Any, column: Array, j: int, most: int) -> tuple[Array, list[str] | None]:
    """Values of a number between its outer quantiles, or of a category its levels with their names."""
    encoding = fitted_model(estimator).scaling.encoding
    levels = None if encoding is None else encoding.levels[j]
    schema = vars(estimator).get("schema_")  # of models from files, whose categories are places of words
    of_column, is_indicator = (None, False) if schema is None else schema.variable(j)
    if is_indicator:
        return np.array([0.0, 1.0]), ["no", "yes"]
    if levels is not None:
        named = levels.values.tolist() if of_column is None else [of_column.levels[int(k)] for k in levels.numbers]
        none = [MISSING] if levels.missing else []
        return np.append(levels.numbers, none), [*map(str, named), *(["(no value)"] if none else [])]
    distinct = np.unique(column)
    if distinct.size <= min(most, FEW_VALUES):
        return distinct, [f"{value:.6g}" for value in distinct] if distinct.size <= 2 else None
    low, high = np.quantile(column, [0.05, 0.95])
    return np.linspace(low, high, most), None


def _date(day: float, place: object) -> str:
    """Days since 1970 as year, month, day."""
    return str(np.datetime64(round(day), "D"))


def _function_name(estimator: Any, model: FittedModel, target: int | str | None, which: int) -> str:
    """What stands on the axis: the target, or what the latent function is."""
    classes = vars(estimator).get("classes_")
    name = target_name(estimator, target if isinstance(target, str) else None)
    if classes is not None:
        return f"log odds of {classes[1]}" if len(classes) == 2 else f"score of {classes[which]}, before softmax"
    if model.likelihood.name in ("poisson", "negative_binomial"):
        return f"log rate of {name}"
    if model.scaling.transform is not None:  # averages are of what is normal
        name = f"{model.scaling.transform.kind} of {name}"
    return f"{name},\naveraged over other inputs" if len(model.input_names) > 1 else name
