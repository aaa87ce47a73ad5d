"""When to stop early: the user's seconds, and Ctrl-C. Nothing else decides by a clock.

In: `max_time` and, after each piece of work, its flops and seconds. Out: whether to stop; what more work will take.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

# Flops per second, until there is a measurement.
FIRST_GUESS = 2e10


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
        """What `flops` will take."""
        rate = self._flops / self._seconds if self._seconds > 0 else FIRST_GUESS
        return flops / rate

    def is_over(self) -> bool:
        """Whether to stop now: the user asked for it, or the time is used up."""
        late = self.max_time is not None and (self.left() <= 0 or self.elapsed() >= self.until)
        return self.interrupted or late

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
