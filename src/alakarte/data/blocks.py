"""Rows, visited block by block: apply a function to every block and add the results, in the order of the blocks.

In: standardised arrays. Out: `Rows` with `map_sum`, the one way to go over the rows. Knows nothing of kernels.
The sum follows the block index, whatever thread did the work: bitwise the same for any number of threads.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

BLOCK_ROWS = 2048


@dataclass(frozen=True)
class Rows:
    """Training rows: inputs (n, d), targets (n, T), weights (n,)."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    block_rows: int = BLOCK_ROWS

    @property
    def n_rows(self) -> int:
        """Distinct rows."""
        return self.x.shape[0]

    @property
    def n_blocks(self) -> int:
        """Blocks in one pass."""
        return -(-self.n_rows // self.block_rows)

    @property
    def total(self) -> float:
        """N, the sum of weights."""
        return float(self.weight.sum())

    def block(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x, y, weight of one block."""
        part = slice(index * self.block_rows, (index + 1) * self.block_rows)
        return self.x[part], self.y[part], self.weight[part]

    def map_sum(self, function: Callable, *arguments, n_jobs: int = 1) -> tuple:
        """Σ over blocks of function(x, y, weight, *arguments), a tuple of arrays."""
        sums = None
        for parts in self._results(function, arguments, n_jobs):
            if sums is None:
                sums = [np.array(part, dtype=np.float64) for part in parts]
            else:
                for total, part in zip(sums, parts, strict=True):
                    total += part
        return tuple(sums)

    def _results(self, function, arguments, n_jobs) -> Iterator[tuple]:
        if n_jobs == 1 or self.n_blocks == 1:
            for index in range(self.n_blocks):
                yield function(*self.block(index), *arguments)
            return
        with ThreadPoolExecutor(n_jobs) as pool:
            waiting = []
            for index in range(self.n_blocks):  # at most two results a thread in flight: memory does not grow with n
                waiting.append(pool.submit(function, *self.block(index), *arguments))
                if len(waiting) > 2 * n_jobs:
                    yield waiting.pop(0).result()
            for future in waiting:
                yield future.result()
