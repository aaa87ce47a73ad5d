"""Starting points: the kernel's own, with the noise of the paper, clipped to the bounds. Paper, section 5.1."""

import numpy as np

from alakarte.execution.randomness import Streams
from alakarte.kernels.base import Kernel
from alakarte.parameters import Layout
from alakarte.records import Draws, Summary

NOISE_STD = 0.1  # std(y)/10, a standard deviation


def starts(
    kernel: Kernel, layout: Layout, summary: Summary, draws: Draws, n_starts: int, streams: Streams
) -> list[np.ndarray]:
    """`n_starts` flat vectors; start i has its own stream, so that more starts never change the earlier ones."""
    out = []
    for index in range(n_starts):
        values = kernel.start(draws.shape, summary, draws, streams(index), (index + 0.5) / n_starts)
        out.append(layout.clip(layout.pack(values | {"log_noise_std": np.log(NOISE_STD)})))
    return out
