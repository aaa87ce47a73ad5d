"""One evaluation of the evidence and its gradient, at two sizes.

In: generated rows. Out: lines with the time over the bound that BLAS sets (3nD² operations at the speed of plain
products), that of `gm` over `ard`, of mixed over double precision, and of torch's autograd over ours.
"""

import numpy as np

from bench.speed.problems import Objective, objective, one_blas_thread
from bench.speed.rivals import autograd, products
from bench.speed.timing import best_of, show

# rows, inputs, frequencies; times the bound at most; times as fast as torch at least; repeats
SIZES = ((36_000, 8, 768, 1.20, 1.8, 8), (200_000, 11, 96, 1.6, 3.0, 20))


def evaluation() -> None:
    """Both sizes."""
    for n, d, m, limit, faster, repeats in SIZES:
        ours = objective("ard", n, d, 1, m)
        what = f"value + gradient, n={n}, d={d}, D={2 * m}"
        beside_products(ours, what, limit, repeats)
        beside_torch(ours, what, faster, repeats // 3)


def beside_products(ours: Objective, what: str, limit: float, repeats: int) -> None:
    """Over the bound of BLAS, and of other kernels and precisions over `ard` in double."""
    n, d = ours.problem.rows.x.shape
    m = ours.problem.draws.shape.n_frequencies
    flops, gemm = products(2 * m)
    mixed, gm = objective("ard", n, d, 1, m, "mixed"), objective("gm", n, d, 2, m // 4)
    with one_blas_thread():
        ours()
        seconds = best_of(repeats, ours=ours, gemm=gemm, mixed=mixed, gm=gm)
    ratio = seconds["ours"] / (3 * n * (2 * m) ** 2 / flops * seconds["gemm"])
    show(f"{what}: ard", f"{seconds['ours']:.3f} s = {ratio:.2f} × bound", f"≤ {limit:.2f} ×", ratio <= limit)
    ratio = seconds["gm"] / seconds["ours"]
    show(f"{what}: gm / ard", f"{ratio:.2f} ×", "≤ 1.10 ×", ratio <= 1.1)
    ratio = seconds["mixed"] / seconds["ours"]
    show(f"{what}: mixed / double", f"{ratio:.2f} ×", "≤ 0.62 ×", ratio <= 0.62)


def beside_torch(ours: Objective, what: str, faster: float, repeats: int) -> None:
    """The same numbers by autograd, and its time over ours."""
    torch = autograd(ours)
    if torch is None:
        print(f"{what}: torch autograd skipped, torch is not installed")
        return
    (value, gradient), (their_value, their_gradient) = ours(), torch()
    assert abs(value - their_value) < 1e-6 * abs(their_value), (value, their_value)
    assert np.allclose(gradient, their_gradient, rtol=1e-4, atol=1e-4 * np.abs(their_gradient).max())
    seconds = best_of(repeats, torch=torch, ours=ours)
    ratio = seconds["torch"] / seconds["ours"]
    figure = f"{seconds['torch']:.2f} s, {ratio:.2f} ×"
    show(f"{what}: torch autograd / ours", figure, f"≥ {faster} ×", ratio >= faster)
