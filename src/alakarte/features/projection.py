"""What a projection is: phases of any block of rows, and derivatives back to the spectrum; and which one is cheaper.

In: nothing; this is the interface of `fastfood` and `dense`, and a cost model in operations, never a clock: same input,
same bits.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import DTypeLike

from alakarte.records import Array, Draws, Shape, Spectrum, Values

# Cost of an addition of the transform, there and back, in multiply-adds of a matrix product: break-even near d = 40.
ADDITION = 3.6


class Projection(ABC):
    """x (rows, d) → phases (rows, F)."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[np.float64]:
        """Of the phases."""

    @abstractmethod
    def astype(self, dtype: DTypeLike) -> "Projection":
        """The same projection in another precision."""

    @abstractmethod
    def phases(self, x: Array, phase: Array) -> None:
        """Write (rows, F) from x (rows, d)."""

    @abstractmethod
    def pullback_zeros(self) -> list[Array]:
        """Zeros of the shapes of `pullback`."""

    @abstractmethod
    def pullback(self, x: Array, phase_bar: Array) -> tuple[Array, ...]:
        """Sums over rows that `spectrum_pullback` takes, from phase_bar (rows, F)."""

    @abstractmethod
    def spectrum_pullback(self, sums: list[Array], spectrum: Spectrum, draws: Draws) -> Values:
        """Fields of the spectrum's derivative from the sums of `pullback`."""


def prefers_transform(shape: Shape) -> bool:
    """Whether the additions of the transform per row, 2 p log₂ p for each stack, beat d F multiply-adds."""
    p = shape.n_padded
    additions = 2 * shape.n_stacks * p * max(p.bit_length() - 1, 1)
    return ADDITION * additions < shape.n_inputs * shape.n_frequencies
