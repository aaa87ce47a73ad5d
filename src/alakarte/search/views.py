"""What neighbours see of the rows: all inputs, each with its own length-scale, or few directions with one for all.

In: a `Search` whose targets are labels. Out: `View`s, to be compared by what is predicted from them. A table of many
numbers is seen along its directions of most variance, in standard deviations of the inputs and in their own units:
pixels say most where they vary most. What was learned there is a kernel of the inputs with one length-scale in these
units, and that is what the user sees.
"""

from dataclasses import dataclass, replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.directions import Directions, leading_directions
from alakarte.data.standardise import Scaling
from alakarte.posteriors.neighbours import Neighbours
from alakarte.process.computation import Computation
from alakarte.records import Array
from alakarte.search.context import Search, in_random_order
from alakarte.search.learn import Learned, WarmStart
from alakarte.search.local import LocalLearned
from alakarte.search.plan import Plan
from alakarte.search.set_up import set_up

_ROUNDING = 1e-6  # between the logarithms of length-scales that were one


@dataclass(frozen=True)
class Along:
    """Directions, in a unit (d,) of each standardised input, and all rows along them, scanned for neighbours."""

    directions: Directions
    unit: Array  # (d,)
    neighbours: Neighbours


@dataclass(frozen=True)
class View:
    """A search on the rows as neighbours see them."""

    search: Search
    along: Along | None = None

    @property
    def alike(self) -> Neighbours | None:
        """The neighbours that rows have whatever the length-scale, where it is one for all inputs."""
        return None if self.along is None else self.along.neighbours


def views(search: Search, warm: WarmStart | None = None) -> list[View]:
    """Of a table with few variables, with categories or with a given kernel: all inputs; of others by directions.

    An earlier fit by directions goes on with its own.
    """
    if not sees_directions(search) or (search.settings.kernel is not None and warm is None):
        return [View(search)]
    units = [np.ones(search.rows.n_inputs)]
    scale, live = search.scaling.x_scale, search.scaling.x_live
    if live.any() and scale[live].max() >= policy.OTHER_UNITS * scale[live].min():
        units.append(scale / scale[live].max())
    found = [view for unit in units if (view := _along(search, unit)) is not None]
    if warm is not None:
        found = [view for view in found if warm_along(view, warm) is not None][:1]
    return found or [View(search)]


def sees_directions(search: Search) -> bool:
    """Whether a table has many variables, all of them numbers, and rows that can be scanned."""
    many = search.scaling.n_variables > policy.MOST_CLASS_VARIABLES
    return many and search.scaling.variables is None and search.rows.n_rows <= policy.MOST_SCANNED_ROWS


def _along(search: Search, unit: Array) -> View | None:
    """Along the leading directions of some rows; None where nothing varies."""
    settings = search.settings
    some = search.subsets.first(policy.DIRECTION_ROWS).whole()
    directions, scale = leading_directions(some, unit, policy.CLASS_DIRECTIONS)
    m = directions.n_directions
    if m == 0:
        return None
    rows = directions.rows(search.rows, settings.n_jobs)
    plain = Scaling(np.zeros(m), np.ones(m), np.ones(m, dtype=bool), search.scaling.y_mean, search.scaling.y_scale)
    seen = replace(search, subsets=in_random_order(settings, rows, search.streams), scaling=plain)
    return View(seen, Along(directions, unit * scale, Neighbours(rows.x, np.ones(m), scanned=True)))


def warm_along(view: View, warm: WarmStart | None) -> WarmStart | None:
    """Where to begin in a view, from a kernel of all inputs; None where that has no single length-scale in its unit."""
    if view.along is None or warm is None:
        return warm
    d = view.along.unit.size
    if warm[1].size <= d:
        return None
    lengthscale = warm[1][:d] + np.log(view.along.unit)
    if np.ptp(lengthscale) > _ROUNDING:
        return None
    return warm[0], np.append(lengthscale.mean(), warm[1][d:])


def of_inputs(search: Search, view: View, learned: LocalLearned) -> tuple[Plan, Learned]:
    """What was learned as a kernel of all inputs; `search`: that of the fit."""
    if view.along is None:
        return learned.plan, learned.learned
    seen, plan = learned.learned, search.plan(learned.plan.kernel)
    rows = search.rows.take(learned.local.picked(policy.LOCAL_ROWS))
    problem = set_up(plan, rows, search.scaling, search.streams("near", "draws"))
    problem = replace(problem, computation=Computation.CLOSED)
    values = learned.problem.layout.unpack(learned.theta)
    values["log_lengthscale"] = values["log_lengthscale"][..., :1] - np.log(view.along.unit)
    run = replace(seen.run, theta=problem.layout.pack(values))
    return plan, replace(seen, problem=problem, run=run, runs=[*seen.runs[:-1], run])
