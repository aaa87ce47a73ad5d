"""Buffers that are used again for every block and every pass: fresh pages of memory cost as much as the work on them.

In: a name, a shape, a dtype. Out: arrays. Nothing here knows what is written into them.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import DTypeLike


def aligned(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """Zeros (shape) whose first number starts a cache line, so that no vector of 64 bytes lies across two lines."""
    dtype = np.dtype(dtype)
    size = math.prod(shape)
    memory = np.zeros(size + 64 // dtype.itemsize, dtype)
    start = -memory.ctypes.data % 64 // dtype.itemsize
    return memory[start : start + size].reshape(shape)


class Scratch:
    """Named buffers of one thread."""

    def __init__(self) -> None:
        self.buffers: dict[str, np.ndarray] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
        """An array (shape) with whatever it held last, zeros at first; valid until the same name is asked for again."""
        size = math.prod(shape)
        buffer = self.buffers.get(name)
        if buffer is None or buffer.size < size or buffer.dtype != dtype:
            buffer = self.buffers[name] = aligned((size,), dtype)
        return buffer[:size].reshape(shape)


class ScratchPool:
    """Buffers that threads borrow and give back; a copy of a pool, also by pickle, is empty."""

    def __init__(self) -> None:
        self._spare: list[Scratch] = []

    @contextmanager
    def borrow(self) -> Iterator[Scratch]:
        """Buffers for the thread that asks, given back at the end."""
        try:
            lent = self._spare.pop()  # other threads may have taken all
        except IndexError:
            lent = Scratch()
        try:
            yield lent
        finally:
            self._spare.append(lent)

    def __reduce__(self) -> tuple[type["ScratchPool"], tuple[()]]:
        return ScratchPool, ()
