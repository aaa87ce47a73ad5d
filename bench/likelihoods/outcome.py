"""What a method gives back, whatever its kind.

`predicted` is (n_test, K) probabilities of classes 0 … K − 1, (n_test,) log probabilities of the observed counts, or
(n_test,) means of a regression.
"""

import time
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Outcome:
    """Predictions of test rows, seconds of the fit with every choice made in it, and a note on what was fitted."""

    predicted: np.ndarray
    seconds: float
    note: str = ""
    rate: np.ndarray | None = None  # counts per unit of exposure


class Clock:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._began = time.perf_counter()

    def seconds(self) -> float:
        """Until now."""
        return time.perf_counter() - self._began
