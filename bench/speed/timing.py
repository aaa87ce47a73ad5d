"""Clocks and the form of a line.

In: pieces of work as functions. Out: their least seconds, run in turn, and lines with figure, target and verdict.
"""

import time

import numpy as np


def best_of(repeats: int, **work) -> dict[str, float]:
    """Least seconds of each piece of work, run in turn."""
    least = dict.fromkeys(work, np.inf)
    for _ in range(repeats):
        for name, function in work.items():
            time.sleep(0.2)  # threads of the last contender that still spin would slow the next
            began = time.perf_counter()
            function()
            least[name] = min(least[name], time.perf_counter() - began)
    return least


def show(work: str, figure: str, target: str, holds: bool) -> None:
    """Print one line: what was measured, the figure, its target and whether it holds."""
    print(f"{work:<66}{figure:<34}{target:<22}{'yes' if holds else 'NO'}", flush=True)
