"""How far and how fast frequencies move that begin from waves, and those that the user has given.

In: a layout. Out: the same with bounds, steps and held entries of its frequencies.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import alakarte.search.policy as policy
from alakarte.errors import InvalidInput
from alakarte.kernels.base import Kernel
from alakarte.parameters import Layout, Parameter, Units
from alakarte.records import Waves

FREQUENCIES = ("centre", "frequencies")
MARGIN = 1.05  # beyond the highest frequency that the places of rows tell


def paced(layout: Layout, kernel: Kernel, waves: Waves) -> Layout:
    """Frequencies bounded by what the places of rows tell, unless the user bounds them, and moved in small steps."""
    return _changed(layout, lambda p: _paced(p, waves, bounded=p.bare_name in (kernel.bounds or {})))


def _paced(p: Parameter, waves: Waves, *, bounded: bool) -> Parameter:
    step = policy.WAVE_STEP * p.entries(waves.resolution)
    highest = p.entries(waves.highest)
    p = replace(p, slow=np.inf, shared=False, step=step)
    if bounded:
        return p
    limit = np.where(highest > 0, MARGIN * highest, p.upper)
    return replace(p, lower=-limit, upper=limit)


def with_periods(layout: Layout, periods: Any, units: Units) -> Layout:
    """The first centres held at the user's periods, in his units."""
    return _changed(layout, lambda p: _held(p, periods, units))


def _held(p: Parameter, periods: Any, units: Units) -> Parameter:
    periods = np.asarray(periods, dtype=np.float64)
    q, d = p.shape
    periods = periods[:, None] if periods.ndim == 1 else periods
    if periods.shape[1:] != (d,) or not 1 <= len(periods) <= q or not (periods > 0).all():
        raise InvalidInput(
            f"periods={periods.tolist()}: give one positive number for each of at most {q} components, or {d} of them, "
            "one per input, infinite along an input that a wave does not run along."
        )
    centre = np.zeros(p.shape)
    centre[: len(periods)] = 2 * np.pi / periods
    held = p.from_user(centre, units).copy()
    held[len(periods) :] = np.nan
    return replace(p, held=held)


def _changed(layout: Layout, change: Callable[[Parameter], Parameter]) -> Layout:
    """The layout with its frequencies changed, if they are learned."""
    parts = (change(p) if p.bare_name in FREQUENCIES and p.fixed is None else p for p in layout.parameters)
    return Layout(tuple(parts))
