"""Which of two classifiers predicts held-out rows, or both together: three numbers and a choice.

In: log probabilities of held-out rows by features and from neighbours, their labels. Out: `Stack`. Both together are
judged by halves: each is predicted with the numbers that the other half gives.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import alakarte.search.policy as policy
from alakarte.posteriors.stacked import stacked
from alakarte.records import Array, Integers
from alakarte.search.coordinates import Coordinates
from alakarte.search.optimise import Limits, Task, minimise

_BOUNDS = np.array([0.0, 0.0, -2.0]), np.array([4.0, 4.0, 2.0])
_START = np.array([0.5, 0.5, 0.0])


class Held(NamedTuple):
    """Rows that neither classifier has learned from."""

    log_features: Array  # (rows, K)
    log_near: Array  # (rows, K)
    log_shares: Array  # (K,) log Kπ
    labels: Integers  # (rows,)
    weight: Array  # (rows,)

    def some(self, picked: Integers) -> "Held":
        """Some of them."""
        return Held(
            self.log_features[picked], self.log_near[picked], self.log_shares, self.labels[picked], self.weight[picked]
        )

    def losses(self, log_p: Array) -> Array:
        """(rows,) of log probabilities (rows, K)."""
        return -log_p[np.arange(len(self.labels)), self.labels]

    def mean(self, losses: Array) -> float:
        """Per unit of weight."""
        return float(self.weight @ losses / self.weight.sum())


@dataclass(frozen=True)
class Stack:
    """The numbers a, b, c, and the log losses of held-out rows."""

    weights: Array  # (3,)
    features: float
    near: float
    both: float  # by halves

    @property
    def gains(self) -> bool:
        """Whether both together are worth their price."""
        return self.both < min(self.features, self.near) - policy.STACK_GAIN

    @property
    def loss(self) -> float:
        """Of what is chosen."""
        return self.both if self.gains else min(self.features, self.near)


def stack(held: Held) -> Stack:
    """Fit the numbers to all held-out rows, and judge them by halves."""
    n = len(held.labels)
    even, odd = np.arange(0, n, 2), np.arange(1, n, 2)
    losses = np.empty(n)
    for learned, judged in ((even, odd), (odd, even)):
        part = held.some(judged)
        weights = _fitted(held.some(learned))
        losses[judged] = part.losses(stacked(part.log_features, part.log_near, part.log_shares, weights))
    features, near = (held.mean(held.losses(log_p)) for log_p in (held.log_features, held.log_near))
    return Stack(_fitted(held), features, near, held.mean(losses))


def _fitted(held: Held) -> Array:
    """(3,) with the least log loss, a convex problem."""
    terms = (held.log_features, held.log_near, np.broadcast_to(held.log_shares, held.log_near.shape))
    rows = np.arange(len(held.labels))

    def function(weights: Array) -> tuple[float, Array]:
        log_p = stacked(held.log_features, held.log_near, held.log_shares, weights)
        p = np.exp(log_p)
        slopes = [held.weight @ (term[rows, held.labels] - (p * term).sum(axis=1)) for term in terms]
        return float(held.weight @ held.losses(log_p)), -np.array(slopes)

    task = Task(function, _BOUNDS, Coordinates(np.full(3, np.inf)))
    return minimise(task, _START, Limits(policy.LINK_ITERATIONS, 0.0)).theta
