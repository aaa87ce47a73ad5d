"""Random numbers: named streams of one seed, so that a new step of a fit shifts no other step's numbers.

In: scikit-learn's `random_state`. Out: `Streams`, which gives the same generator whenever it is asked for a name.
"""

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from sklearn.utils import check_random_state


@dataclass(frozen=True)
class Streams:
    """Independent generators by name: ``streams("learn", "gm", "starts")``."""

    seed: int
    path: tuple[int, ...] = ()  # of the names so far

    def __call__(self, *names: str | int) -> np.random.Generator:
        """A generator at the beginning of the stream of that name."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=self.within(*names).path))

    def within(self, *names: str | int) -> "Streams":
        """The streams whose names begin with these."""
        return Streams(self.seed, (*self.path, *(crc32(str(name).encode()) for name in names)))


def streams(random_state: object) -> Streams:
    """The streams of a fit from scikit-learn's `random_state`, or from a `numpy.random.Generator`."""
    if isinstance(random_state, np.random.Generator):
        return Streams(int(random_state.integers(2**63)))
    return Streams(int(check_random_state(random_state).randint(2**31)))


def generator(random_state: object) -> np.random.Generator:
    """One generator, for what draws once: a Generator is used as it is."""
    return random_state if isinstance(random_state, np.random.Generator) else streams(random_state)()
