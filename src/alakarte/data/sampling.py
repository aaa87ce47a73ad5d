"""Which frequencies the places of rows can tell: the box in which lines are looked for.

In: inputs (n, d). Out: `Sampling`. Knows no targets.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.records import Array, Flags

# Times π n^{1/d}/R, at most: places that are irregular tell frequencies beyond it.
BEYOND = 4.0
CELLS = 2.0**18  # of a grid at half of 2π/R, beyond which two or three inputs have less, down to π n^{1/d}/R
OF_MANY = 2.0  # of more inputs, which have no grid
ON_LATTICE = 1e-3  # of its step: as far off may a place be
PARTS = 20  # of the least gap: the unit of decimals is one of these
OCCUPIED = 0.25  # of a lattice at least: decimals that were written down are one, too, and nearly empty


@dataclass(frozen=True)
class Sampling:
    """Of rows: how far they reach, and the highest frequency along each input."""

    ranges: Array  # (d,) R
    highest: Array  # (d,) in radians per unit; zero where an input does not take part

    @property
    def takes_part(self) -> Flags:
        """(d,) whether lines have a frequency along that input."""
        return self.highest > 0

    @property
    def resolution(self) -> Array:
        """(d,) 2π/R, by which two lines must differ to be told apart."""
        return 2 * np.pi / np.where(self.ranges > 0, self.ranges, 1.0)


def sampling(x: Array, is_number: Flags) -> Sampling:
    """Of inputs x (n, d); columns of categories, is_number (d,) false, take no part."""
    ranges = np.ptp(x, axis=0)
    live = is_number & (ranges > 0)
    n_live = int(live.sum())
    highest = np.zeros(x.shape[1])
    for j in np.flatnonzero(live):
        highest[j] = _highest(np.unique(x[:, j]), len(x), n_live)
    return Sampling(ranges, highest)


def _highest(places: Array, n_rows: int, n_inputs: int) -> float:
    """Along one input, of its distinct places, ascending."""
    reach = places[-1] - places[0]
    step = _lattice_step(places)
    if step is not None:
        return float(np.pi / step)
    told = _beyond(n_rows, n_inputs) * n_rows ** (1 / n_inputs)
    if len(places) < 0.9 * n_rows or _is_rounded(places):
        told = min(told, float(len(places)))
    return float(np.pi * told / reach)


def _beyond(n_rows: int, n_inputs: int) -> float:
    """By which irregular places tell more than a lattice."""
    if n_inputs == 1:
        return BEYOND
    if n_inputs > 3:
        return OF_MANY
    return float(np.clip((CELLS / n_rows) ** (1 / n_inputs) / 2, 1.0, BEYOND))


def _lattice_step(places: Array) -> float | None:
    """The step of the lattice on which all places lie, if they fill enough of it."""
    if len(places) < 3:
        return None
    reach = places[-1] - places[0]
    gaps = np.diff(places)
    gaps = gaps[gaps > 1e-9 * reach]
    step = float(np.median(gaps[gaps <= 1.5 * gaps.min()]))
    n_steps = np.round(reach / step)
    if len(places) < OCCUPIED * (n_steps + 1):
        return None
    step = float(reach / n_steps)
    off = (places - places[0]) / step
    return step if (np.abs(off - np.round(off)) < max(ON_LATTICE, 1e-9 * n_steps)).all() else None


def _is_rounded(places: Array) -> bool:
    """Whether all gaps are whole multiples of one that is not tiny: decimals, as they were written down."""
    gaps = np.diff(places)
    least = gaps.min()
    if least < 1e-6 * (places[-1] - places[0]):
        return False
    return any(_are_multiples(places - places[0], least / parts) for parts in range(1, PARTS + 1))


def _are_multiples(places: Array, step: float) -> bool:
    off = places / step
    return bool((np.abs(off - np.round(off)) < 0.02).all())
