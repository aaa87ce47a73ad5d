"""Why a search stopped: one of a few reasons, and the sentence that a user reads."""

from dataclasses import dataclass
from enum import Enum

from alakarte.search.policy import WINDOW


class Stop(Enum):
    """Reasons; the text has a place for the number that was the limit."""

    NOT_BEGUN = "not begun"
    NO_ITERATION = "no iteration asked for"
    NOTHING_TO_LEARN = "nothing to learn"
    NO_GRADIENT = "the gradient vanished or no further gain in float64"
    LITTLE_GAIN = f"the last {WINDOW} iterations gained less than {{limit:.3g}} nats"
    NO_BETTER_POINT = "the line search found no better point"
    MAX_ITER = "max_iter={limit:g} reached"
    MAX_TIME = "max_time={limit:g} s reached"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Ending:
    """How one optimisation ended."""

    stop: Stop
    converged: bool
    limit: float = 0.0  # the number that was reached, where the reason has one

    @property
    def text(self) -> str:
        """The sentence that a user reads."""
        return self.stop.value.format(limit=self.limit)


NOT_BEGUN = Ending(Stop.NOT_BEGUN, converged=False)
