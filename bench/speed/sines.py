"""Sines and cosines together, beside NumPy's.

In: two million numbers in each precision. Out: NumPy's time over ours on two threads, and what memory would allow.
"""

import numpy as np

from bench.speed.problems import sincos
from bench.speed.rivals import side_by_side
from bench.speed.timing import best_of, show


def sines() -> None:
    """Both precisions."""
    for dtype, target in ((np.float64, 12), (np.float32, 5)):
        x = (np.random.default_rng(0).standard_normal(1 << 21) * 10).astype(dtype)
        arrays = x, np.empty_like(x), np.empty_like(x)
        many(arrays, target)
        few(tuple(array[: 1 << 13] for array in arrays))


def many(arrays, target: float) -> None:
    """More numbers than the cache holds."""
    halves = slice(0, arrays[0].size // 2), slice(arrays[0].size // 2, None)
    first, second = ([array[half] for array in arrays] for half in halves)

    def two(function):
        side_by_side(lambda: function(*first), lambda: function(*second))

    two(sincos)
    seconds = best_of(
        30,
        numpy=lambda: by_numpy(*arrays),
        one=lambda: sincos(*arrays),
        two=lambda: two(sincos),
        copy=lambda: two(copy_twice),
    )
    each = {name: value / arrays[0].size * 1e9 for name, value in seconds.items()}
    ratio = seconds["numpy"] / seconds["two"]
    what = f"sin and cos of 2^21 {arrays[0].dtype.name}: NumPy / ours on two threads"
    figure = f"{ratio:.1f} × ({each['two']:.2f}, NumPy {each['numpy']:.2f} ns)"
    show(what, figure, f"≥ {target} ×", ratio >= target)
    copy = seconds["numpy"] / seconds["copy"]
    print(f"    what memory allows: two plain copies {each['copy']:.2f} ns, {copy:.1f} × NumPy's sines")


def few(arrays) -> None:
    """Numbers that the cache holds, on one thread."""
    seconds = best_of(
        30,
        numpy=lambda: [by_numpy(*arrays) for _ in range(100)],
        ours=lambda: [sincos(*arrays) for _ in range(100)],
    )
    print(f"    2^13 numbers, in the cache, one thread each: {seconds['numpy'] / seconds['ours']:.1f} ×")


def by_numpy(x, sine, cosine) -> None:
    np.sin(x, out=sine)
    np.cos(x, out=cosine)


def copy_twice(x, first, second) -> None:
    np.copyto(first, x)
    np.copyto(second, x)
