"""Arrays in the one layout the compiled functions take: row-major, one dtype.

In: arrays as the caller has them. Out: the same memory where it fits, a copy where it does not.
"""

import math
from contextlib import contextmanager

import numpy as np


def row_major(dtype, *arrays):
    """Return `arrays` row-major and of one dtype, copied only where they are not."""
    return tuple(np.ascontiguousarray(array, dtype=dtype) for array in arrays)


@contextmanager
def writable(array, *shape):
    """Lend a row-major array to write into: `array` itself, or a stand-in that is copied into it at the end.

    Compiled code writes wherever it is told to, so that a wrong shape would destroy other memory.
    """
    if array.shape != shape:
        raise ValueError(f"an array to write into has shape {array.shape}, the result needs {shape}")
    if array.flags.c_contiguous:
        yield array
    else:
        stand_in = np.empty(array.shape, array.dtype)
        yield stand_in
        array[...] = stand_in


def aligned(shape, dtype):
    """Return zeros whose first number starts a cache line, so that no vector of 64 bytes lies across two lines."""
    dtype = np.dtype(dtype)
    size = math.prod(shape)
    memory = np.zeros(size + 64 // dtype.itemsize, dtype)
    start = -memory.ctypes.data % 64 // dtype.itemsize
    return memory[start : start + size].reshape(shape)
