"""Inputs far from all others, drawn in by the logarithm: a stationary kernel would see each of them alone.

In: rows and weights. Out: `Tails`, a map of standardised inputs that keeps their order and leaves most of them alone.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.records import Array

EDGE = 4.0  # where tails begin, in standard deviations of a Gaussian with the same quartiles
_QUARTILES = 1.349  # of a Gaussian, in standard deviations


@dataclass(frozen=True)
class Tails:
    """u = x̂ − middle; |u| > edge becomes edge (1 + log(|u|/edge)): continuous, with a continuous slope."""

    middle: Array  # (d,) medians of standardised inputs
    edge: Array  # (d,)

    def compress(self, z: Array) -> Array:
        """A copy of z (rows, d) with its tails drawn in."""
        u = z - self.middle
        size = np.abs(u)
        near = size <= self.edge
        np.divide(size, self.edge, out=size)
        size[near] = 1.0
        drawn_in = self.middle + np.copysign(self.edge * (1 + np.log(size)), u)
        return np.where(near | np.isnan(z), z, drawn_in)

    def reach(self, z: Array) -> float:
        """How many edges from the median the farthest of z (rows, d) lies."""
        return float(np.max(np.abs(z - self.middle) / self.edge, initial=0.0))


def find_tails(z: Array, weight: Array) -> Tails:
    """From the weighted quartiles of z (n, d); 4 standard deviations where half of an input's values are equal."""
    quartiles = np.empty((3, z.shape[1]))
    for j in range(z.shape[1]):
        order = np.argsort(z[:, j], kind="stable")
        edges = np.cumsum(weight[order])
        places = np.searchsorted(edges, np.array([0.25, 0.5, 0.75]) * edges[-1])
        quartiles[:, j] = z[order[np.minimum(places, len(order) - 1)], j]
    spread = (quartiles[2] - quartiles[0]) / _QUARTILES
    return Tails(quartiles[1], EDGE * np.where(spread > 0, np.minimum(spread, 1.0), 1.0))
