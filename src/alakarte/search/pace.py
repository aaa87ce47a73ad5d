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
from alakarte.records import Array, Waves

_FREQUENCIES = ("centre", "frequencies")
_MARGIN = 1.05  # beyond the highest frequency that the places of rows tell


def paced(layout: Layout, kernel: Kernel, waves: Waves) -> Layout:
    """Frequencies bounded by what the places of rows tell, unless the user bounds them, and moved in small steps."""
    return _changed(layout, lambda p: _paced(p, waves, bounded=p.bare_name in (kernel.bounds or {})))


def _paced(p: Parameter, waves: Waves, *, bounded: bool) -> Parameter:
    step = policy.WAVE_STEP * p.entries(waves.resolution)
    highest = p.entries(waves.highest)
    p = replace(p, slow=np.inf, shared=False, step=step)
    if bounded:
        return p
    limit = np.where(highest > 0, _MARGIN * highest, p.upper)
    return replace(p, lower=-limit, upper=limit)


def with_periods(layout: Layout, periods: Any, units: Units) -> Layout:
    """The first centres held at the user's periods, in his units."""
    return _changed(layout, lambda p: _held(p, periods, units))


def wave_vectors(periods: Any, n_inputs: int) -> Array:
    """(k, d) 2π/period of the user's periods, one number each for one input, else one per input."""
    told = np.asarray(periods, dtype=np.float64)
    told = told[:, None] if told.ndim == 1 else told
    if told.shape[1:] != (n_inputs,) or not len(told) or not (told > 0).all():
        raise InvalidInput(
            f"periods={periods}: give a list of positive numbers for one input; for several, a list with one number "
            "per input for each wave, infinite along an input that it does not run along."
        )
    return np.asarray(2 * np.pi / told)


def _held(p: Parameter, periods: Any, units: Units) -> Parameter:
    waves = wave_vectors(periods, p.shape[1])
    if len(waves) > p.shape[0]:
        raise InvalidInput(f"periods={periods}: {p.shape[0]} components cannot have so many; raise n_components.")
    centre = np.zeros(p.shape)
    centre[: len(waves)] = waves
    held = p.from_user(centre, units).copy()
    held[len(waves) :] = np.nan
    return replace(p, held=held)


def _changed(layout: Layout, change: Callable[[Parameter], Parameter]) -> Layout:
    """The layout with its frequencies changed, if they are learned."""
    parts = (change(p) if p.bare_name in _FREQUENCIES and p.fixed is None else p for p in layout.parameters)
    return Layout(tuple(parts))
