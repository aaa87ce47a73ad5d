"""Boxes that hold all rows: few, and none where rows leave a gap that the boxes are fine enough to show.

In: rows and a length along each input. Out: `Boxes`. Some rows say where boxes are, the longest cut at its middle again
and again; one pass over all rows makes them hold every row.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.data.rows import Block, Rows, Work
from alakarte.execution.scratch import Scratch
from alakarte.records import Array, Integers

MOST = 64  # a query meets each of them
SOME_ROWS = 2048
FINE = 0.5  # lengths: a box whose sides are shorter is not cut
_EMPTY = 1e-9  # of the weight of a box: what rounding may leave
POWER = 16  # of a sum that bounds the largest of many: twice too large for 65,536 of equal size


@dataclass(frozen=True)
class Boxes:
    """Sides along the inputs."""

    low: Array  # (B, d)
    high: Array  # (B, d)
    weight: Array  # (B,) of the rows within

    def and_more(self, other: "Boxes") -> "Boxes":
        """Both; neighbours in their order become one where they are too many."""
        low, high, weight = (
            np.concatenate([mine, others])
            for mine, others in ((self.low, other.low), (self.high, other.high), (self.weight, other.weight))
        )
        while len(weight) > 2 * MOST:
            edges = np.arange(0, len(weight), 2)
            low, high = np.minimum.reduceat(low, edges), np.maximum.reduceat(high, edges)
            weight = np.add.reduceat(weight, edges)
        return Boxes(low, high, weight)

    def without(self, rows: Rows) -> "Boxes":
        """What is left when rows leave, each from the last box that has it; empty boxes go with them."""

        def zero() -> list[Array]:
            return [np.zeros(len(self.weight))]

        [gone] = rows.map_sum(_add_last, zero, self.low, self.high, work=Work(rows.n_inputs))
        left = self.weight - gone
        keep = left > _EMPTY * self.weight
        if not keep.any():
            return self
        return Boxes(self.low[keep], self.high[keep], left[keep])


@dataclass(frozen=True)
class _Cuts:
    """In their order: rows of a box that lie beyond a place go to a new box, the last one then."""

    box: Integers  # (cuts,)
    axis: Integers  # (cuts,)
    place: Array  # (cuts,)

    def box_of(self, x: Array) -> Integers:
        """(rows,) box of each row."""
        box = np.zeros(len(x), dtype=np.int64)
        for cut, (old, axis, place) in enumerate(zip(self.box, self.axis, self.place, strict=True)):
            box[(box == old) & (x[:, axis] > place)] = cut + 1
        return box


def boxes_of(rows: Rows, length: Array) -> Boxes:
    """Boxes of all rows, cut where they are long in units of `length` (d,)."""
    n, d = rows.n_rows, rows.n_inputs
    some = rows if n <= SOME_ROWS else rows.take(np.linspace(0, n - 1, SOME_ROWS).astype(np.int64))
    block = some.whole()
    cuts, members = _cut(block.x, length)
    low = np.array([block.x[each].min(axis=0) for each in members])
    high = np.array([block.x[each].max(axis=0) for each in members])
    if some is rows:
        return Boxes(low, high, np.array([block.weight[each].sum() for each in members]))

    def zero() -> list[Array]:
        return [np.zeros((len(low), d)), np.zeros((len(low), d)), np.zeros(len(low))]

    below, above, weight = rows.map_sum(_add_outside, zero, cuts, (low, high), length, work=Work(d))
    return Boxes(low - length * below ** (1 / POWER), high + length * above ** (1 / POWER), weight)


def _add_last(sums: list[Array], scratch: Scratch, block: Block, low: Array, high: Array) -> None:
    """Add weights of rows to the last box (B,) that has each."""
    x, weight = block.x, block.weight
    for box in range(len(low) - 1, -1, -1):
        within = ((x >= low[box]) & (x <= high[box])).all(axis=1)
        sums[0][box] += weight[within].sum()
        x, weight = x[~within], weight[~within]


def _add_outside(
    sums: list[Array], scratch: Scratch, block: Block, cuts: _Cuts, sides: tuple[Array, Array], length: Array
) -> None:
    """Add powers of how far rows lie below and above their box, (B, d) each, and weights (B,)."""
    box = cuts.box_of(block.x)
    for total, side, sign in zip(sums, sides, (1, -1), strict=False):
        outside = side[box]
        outside -= block.x
        outside *= sign / length
        np.maximum(outside, 0.0, out=outside)
        outside **= POWER
        np.add.at(total, box, outside)
    sums[2] += np.bincount(box, block.weight, len(sums[2]))


def _cut(x: Array, length: Array) -> tuple[_Cuts, list[Integers]]:
    """The cuts, and the rows of each box."""
    members: list[Integers] = [np.arange(len(x))]
    sides = [np.ptp(x, axis=0) / length]
    cuts: list[tuple[int, int, float]] = []
    while len(members) < MOST:
        box, axis = np.unravel_index(np.argmax(sides), (len(members), x.shape[1]))
        if sides[box][axis] <= FINE:
            break
        held = x[members[box], axis]
        place = 0.5 * (held.min() + held.max())
        cuts.append((int(box), int(axis), float(place)))
        members.append(members[box][held > place])
        members[box] = members[box][held <= place]
        sides.append(np.ptp(x[members[-1]], axis=0) / length)
        sides[box] = np.ptp(x[members[box]], axis=0) / length
    box_axis = np.array([cut[:2] for cut in cuts], dtype=np.int64).reshape(-1, 2)
    return _Cuts(box_axis[:, 0], box_axis[:, 1], np.array([cut[2] for cut in cuts])), members
