"""Speed of the compiled functions as ratios: sines and cosines against NumPy, the fast transform against a product.

Run `python bench/micro.py`. Contenders alternate, the best of several runs of each counts.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

from alakarte.compiled.fastfood import project, project_pullback
from alakarte.compiled.layout import aligned
from alakarte.compiled.waves import sincos

REPEATS = 9


def best_times(*contenders):
    """The shortest time of each contender, in seconds, after one call to warm up."""
    times = [[] for _ in contenders]
    for _ in range(REPEATS + 1):
        for contender, record in zip(contenders, times, strict=True):
            start = time.perf_counter()
            contender()
            record.append(time.perf_counter() - start)
    return [min(record[1:]) for record in times]


def bench_sincos(dtype, pool, n):
    x = (30 * np.random.default_rng(0).standard_normal(n)).astype(dtype)
    sine, cosine = np.zeros_like(x), np.zeros_like(x)
    halves = [slice(0, n // 2), slice(n // 2, n)]
    calls = 2**21 // n

    def numpy_pair():
        for _ in range(calls):
            np.sin(x, out=sine)
            np.cos(x, out=cosine)

    def one_thread():
        for _ in range(calls):
            sincos(x, sine, cosine)

    def two_threads():
        list(pool.map(lambda half: sincos(x[half], sine[half], cosine[half]), halves))

    contenders = [numpy_pair, one_thread] + [two_threads] * (calls == 1)
    base, *times = best_times(*contenders)
    text = f"sincos   {dtype.__name__}  n=2^{n.bit_length() - 1:<3d}  NumPy {base / 2**21 * 1e9:5.2f} ns/pair"
    for name, seconds in zip(("one thread", "two threads"), times, strict=False):
        text += f"   {name} {seconds / 2**21 * 1e9:4.2f} ns = {base / seconds:4.1f}x"
    print(text)


def bench_project(dtype, n_inputs, n_rows=2048, n_frequencies=8192):
    rng = np.random.default_rng(0)
    p = 1 << (n_inputs - 1).bit_length()
    n_stacks = n_frequencies // p
    x, frequencies = rng.standard_normal((n_rows, n_inputs)), rng.standard_normal((n_inputs, n_frequencies))
    a, b, g, f = (rng.standard_normal((n_stacks, k)) for k in (n_inputs, p, p, p))
    x, frequencies, a, b, g, f = (array.astype(dtype) for array in (x, frequencies, a, b, g, f))
    draws = (x, a, b, np.array([rng.permutation(p) for _ in range(n_stacks)]), g, f, np.arange(n_frequencies))
    columns = []
    for phase in (aligned((n_rows, n_frequencies), dtype), np.zeros((n_rows, n_frequencies), dtype)):

        def matrix_product(out=phase):
            np.matmul(x, frequencies, out=out)

        def transform(out=phase):
            project(*draws, out)

        def pullback(bar=phase):
            project_pullback(*draws, bar)

        product, fast, back = best_times(matrix_product, transform, pullback)
        unit = 1e9 / phase.size
        columns.append(f"{product * unit:6.2f} ns / {fast * unit:5.2f} ns = {product / fast:5.2f}x")
    print(f"project  {dtype.__name__}  d={n_inputs:<5d}  {columns[0]}   {columns[1]}   pullback {back * unit:5.2f} ns")


def main():
    with threadpool_limits(1), ThreadPoolExecutor(2) as pool:
        for dtype in (np.float64, np.float32):
            for n in (2**21, 2**18 // np.dtype(dtype).itemsize):  # from memory, and within the second-level cache
                bench_sincos(dtype, pool, n)
        print("\nproduct / transform, one thread, per phase: output aligned to cache lines, then as NumPy allocates it")
        for dtype in (np.float32, np.float64):
            for n_inputs in (8, 32, 128, 385, 512, 1024):
                bench_project(dtype, n_inputs)


if __name__ == "__main__":
    main()
