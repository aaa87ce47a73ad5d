"""A word that stands for all rows of a table, inputs, targets and weights, wherever they live.

In: `Rows`. Out: digits. Each row becomes some whole numbers; these are added, exactly, so that nothing but the rows
decides, neither who visits them nor in which order.
"""

import numpy as np
from numpy.typing import NDArray

from alakarte.data.rows import Block, Rows, Work
from alakarte.execution.digest import digest
from alakarte.execution.scratch import Scratch
from alakarte.records import Array

_BITS, _PARTS = 21, 3  # of a row's 64: sums of four billion such numbers are exact
_START = np.uint64(0x9E3779B97F4A7C15)
_ROUNDS = (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB))
_LAST = np.uint64(31)


def fingerprint(rows: Rows) -> str:
    """The same for the same rows, in whatever order they stand; another where a single number differs."""
    return digest(*rows.map_sum(_add, _zeros, work=Work()))


def _zeros() -> list[Array]:
    return [np.zeros(_PARTS)]


def _add(sums: list[Array], scratch: Scratch, block: Block) -> None:
    """Numbers of the rows of a block, added."""
    state = np.zeros(len(block.x), dtype=np.uint64)
    for table in (block.x, block.y, block.weight[:, None]):
        for column in table.T:
            plain = np.ascontiguousarray(column, dtype=np.float64) + 0.0  # there is one zero
            state = _mixed((state + _START) ^ plain.view(np.uint64))
    for part in range(_PARTS):
        digits = (state >> np.uint64(part * _BITS)) & np.uint64(2**_BITS - 1)
        sums[0][part] += float(digits.sum())


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One to one, so that each bit decides over about half of all (SplitMix64)."""
    for shift, factor in _ROUNDS:
        state = (state ^ (state >> shift)) * factor
    return state ^ (state >> _LAST)
