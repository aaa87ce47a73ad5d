"""Sums on their way to the driver: half of a matrix whose upper triangle is zero.

In: an array. Out: a `Triangle` where it is one, and the array again.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from alakarte.records import Array


@dataclass(frozen=True)
class Triangle:
    """A lower triangle, column by column."""

    size: int
    values: Array  # (size (size + 1) / 2,)


Packed: TypeAlias = Array | Triangle


def packed(part: Array) -> Packed:
    """Half of a matrix whose upper triangle is zero; others as they are."""
    if part.ndim != 2 or part.shape[0] != part.shape[1] or not part.flags.f_contiguous or np.triu(part, 1).any():
        return part
    return Triangle(len(part), np.concatenate([part[j:, j] for j in range(len(part))] or [np.zeros(0)]))


def unpacked(part: Packed) -> Array:
    """The matrix again."""
    if not isinstance(part, Triangle):
        return np.array(part, order="K")  # what came over the wire is not writable
    matrix = np.zeros((part.size, part.size), order="F")
    start = 0
    for j in range(part.size):
        stop = start + part.size - j
        matrix[j:, j] = part.values[start:stop]
        start = stop
    return matrix


def added(part: Packed, other: Packed) -> Packed:
    """The sum of two, neither of which changes."""
    if isinstance(part, Triangle) and isinstance(other, Triangle):
        return Triangle(part.size, part.values + other.values)
    if isinstance(part, Triangle) or isinstance(other, Triangle):  # the other half of one is not zero
        return packed(unpacked(part) + unpacked(other))
    return np.asarray(part + other)
