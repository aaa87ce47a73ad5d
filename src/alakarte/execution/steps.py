"""An iteration over all rows that goes on after a crash: the state after its last step, and the passes of that step.

In: the arrays of a state, after each step. Out: the same, in another process. Of earlier steps nothing is kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from alakarte.execution.checkpoint import Checkpoint
from alakarte.execution.digest import digest
from alakarte.records import Array


class Steps:
    """The steps of one iteration, which its name tells from all others; without a checkpoint nothing is remembered."""

    def __init__(self, checkpoint: Checkpoint | None = None, *name: object):
        self.checkpoint = checkpoint or Checkpoint()
        self.name = digest(*name) if self.checkpoint.remembers else ""
        self.before: list[str] = []  # names of the passes of the step that has led to the state
        self.now: list[str] = []

    def part(self, *name: object) -> "Steps":
        """The steps of an iteration within a step."""
        return Steps(self.checkpoint, self.name, *name)

    def recall(self) -> list[Array] | None:
        """The state after the last step, if there was one."""
        return self.checkpoint.recall(self.name)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Within it, passes over rows with targets of their own are kept until the next step has ended."""
        with self.checkpoint.passes() as names:
            yield
        self.now += names

    def ended(self, *state: Array | float) -> None:
        """A step has led to a state."""
        if self.checkpoint.remembers:
            self.checkpoint.keep(self.name, [np.asarray(part, dtype=np.float64) for part in state])
            self.checkpoint.forget([name for name in self.before if name not in self.now])
            self.checkpoint.note(self.name)
            self.before, self.now = self.now, []

    def forget(self) -> None:
        """What this iteration has led to is kept elsewhere."""
        self.checkpoint.forget([self.name, *self.before, *self.now])
