"""What an evaluation is measured against: plain matrix products by BLAS, and the same objective by torch's autograd.

In: the number of columns, or an `Objective` of the kernel `ard`. Out: functions to time.
"""

import threading
from collections.abc import Callable

import numpy as np

from bench.speed.problems import Objective

BLOCK = 2048  # rows of each product


def side_by_side(*work: Callable[[], object]) -> None:
    """Run each piece of work in a thread of its own, and wait for all."""
    threads = [threading.Thread(target=function) for function in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def products(D: int) -> tuple[float, Callable[[], None]]:
    """Operations and work of products 2048×D by D×D, one stream of them in each of two threads."""
    blocks = [np.random.default_rng(i).standard_normal((BLOCK, D)) for i in range(2)]
    outs = [np.empty_like(block) for block in blocks]
    matrix = np.random.default_rng(9).standard_normal((D, D))
    flops = 2 * BLOCK * D * D
    times = max(1, int(2e10 / flops))

    def stream(i):
        for _ in range(times):
            np.matmul(blocks[i], matrix, out=outs[i])

    return 2 * times * flops, lambda: side_by_side(lambda: stream(0), lambda: stream(1))


def autograd(ours: Objective) -> Callable[[], tuple[float, np.ndarray]] | None:
    """The same value and gradient by torch's autograd on two threads; None without torch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(2)
    values, rows = ours.values, ours.problem.rows
    X, y, U = (torch.from_numpy(np.ascontiguousarray(array)) for array in (rows.x, rows.y, ours.directions()))
    n, m = len(X), U.shape[1]
    names = ("log_amplitude", "log_lengthscale", "log_noise_std")

    def evaluate():
        parts = [torch.tensor(values[name], requires_grad=True) for name in names]
        log_v, log_l, log_s = parts
        phase = (X * torch.exp(-log_l)) @ U
        phi = torch.cat([torch.cos(phase), torch.sin(phase)], dim=1)
        s, root = torch.exp(2 * log_s), torch.exp(log_v) / m**0.5
        M = torch.eye(2 * m, dtype=X.dtype) + (phi.T @ phi) * root**2 / s
        L = torch.linalg.cholesky(M)
        half = torch.linalg.solve_triangular(L, phi.T @ y * root / s, upper=False)
        value = 0.5 * (n * torch.log(2 * np.pi * s) + 2 * torch.log(torch.diagonal(L)).sum())
        value = value + 0.5 * ((y * y).sum() / s - (half * half).sum())
        value.backward()
        return value.item(), np.concatenate([part.grad.numpy().ravel() for part in parts])

    return evaluate
