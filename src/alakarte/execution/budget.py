"""When to stop early: the user's seconds, and Ctrl-C. Nothing else decides by a clock.

In: `max_time` and, after each piece of work, its flops and seconds. Out: whether to stop; what more work will take.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np

FIRST_GUESS = 2e10  # flops per second, where nobody waits for an answer
_PRODUCTS = 4  # of some milliseconds; the first alone may wait for threads
_OF_A_PRODUCT = 0.65  # rate of a fit, as a part of that of a small matrix product


def machine_rate() -> float:
    """Flops per second of a fit, by the fastest of some small matrix products: most of it is like that, not as fast."""
    square = np.ones((512, 512))
    seconds = min(_seconds_of(lambda: square @ square) for _ in range(_PRODUCTS))
    return _OF_A_PRODUCT * 2 * 512**3 / seconds if seconds > 0 else FIRST_GUESS


def _seconds_of(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


class Budget:
    """Seconds and interruptions of one fit."""

    def __init__(self, max_time: float | None = None):
        self.max_time = max_time
        self.began = time.monotonic()
        self.interrupted = False
        self.until = float("inf")  # seconds from the beginning that the present piece of work may last to
        self._flops = self._seconds = 0.0

    @property
    def patient(self) -> bool:
        """Whether the user gave seconds to be used."""
        return self.max_time is not None

    def interrupt(self) -> None:
        """The user asks to stop: whoever looks at this budget ends at its next evaluation."""
        self.interrupted = True

    def elapsed(self) -> float:
        """Seconds since the fit began."""
        return time.monotonic() - self.began

    def left(self) -> float:
        """Seconds until `max_time`."""
        return float("inf") if self.max_time is None else self.max_time - self.elapsed()

    def observe(self, flops: float, seconds: float) -> None:
        """Remember how fast this machine is; recent work counts most."""
        self._flops, self._seconds = 0.5 * self._flops + flops, 0.5 * self._seconds + seconds

    def seconds(self, flops: float) -> float:
        """What `flops` will take, by the work so far; many flops are no slower than those of the first product."""
        observed = self._flops / self._seconds if self._seconds > 0 else 0.0
        return flops / max(observed, self._first_rate)

    def first_seconds(self, flops: float) -> float:
        """What `flops` will take as far as was known at the beginning: the same answer throughout a fit."""
        return flops / self._first_rate

    def flops_left(self) -> float:
        """What the time that is left is enough for, as far as was known at the beginning."""
        return float("inf") if self.max_time is None else max(self.left(), 0.0) * self._first_rate

    @cached_property
    def _first_rate(self) -> float:
        """Measured only where seconds matter."""
        return machine_rate() if self.patient else FIRST_GUESS

    def is_over(self) -> bool:
        """Whether to stop now: the user asked for it, or the time is used up."""
        late = self.max_time is not None and (self.left() <= 0 or self.elapsed() >= self.until)
        return self.interrupted or late

    def allows(self, flops: float) -> bool:
        """Whether so much work may begin: it is expected to end in time."""
        return not self.is_over() and self.seconds(flops) <= min(self.left(), self.until - self.elapsed())

    @contextmanager
    def without(self, seconds: float) -> Iterator[None]:
        """Within it, as if so many seconds had passed already: they are kept for what follows."""
        before = self.began
        self.began -= seconds
        try:
            yield
        finally:
            self.began = before

    @contextmanager
    def part(self, fraction: float, reserve: float = 0.0) -> Iterator[None]:
        """Within it, work stops after `fraction` of the time that is left beyond `reserve` seconds.

        Within another part, of what is left of that.
        """
        before = self.until
        left = min(self.left() - reserve, before - self.elapsed())
        self.until = self.elapsed() + fraction * max(left, 0.0)
        try:
            yield
        finally:
            self.until = before
