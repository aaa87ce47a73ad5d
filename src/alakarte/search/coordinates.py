"""What L-BFGS moves instead of theta. The optima are the same; how soon a parameter leaves its start is not.

In: a `Layout`, a theta. Out: `Coordinates`. Slow entries: asinh(θ/slow), like a logarithm far from zero and far more
slowly near it [E22]. Entries with a step: θ/step, because some frequencies must be met to a part of their size. Shared
entries θ (F, d): θ_fj = exp(s_j) z_fj, z with root mean square one, and s_j one more coordinate: all frequencies
stretch along an input in one step, as with length-scales [E23].
"""

from dataclasses import dataclass

import numpy as np

from alakarte.parameters import Layout
from alakarte.records import Array, Integers

STRETCH = 20.0  # largest |s_j − s_j at the start|


@dataclass(frozen=True)
class Coordinates:
    """A point is theta with its slow and shared entries replaced, followed by s of every shared parameter."""

    slow: Array  # (k,) infinite where θ / step is moved
    shared: tuple[Integers, ...] = ()  # (F, d) places in theta
    step: Array | float = 1.0  # (k,) one where θ is slow or shared

    def point(self, theta: Array) -> Array:
        """Coordinates of theta."""
        out, stretch = np.array(theta / self.step, dtype=float), []
        slow = np.isfinite(self.slow)
        out[slow] = np.arcsinh(out[slow] / self.slow[slow])
        for places in self.shared:
            size = np.sqrt(np.mean(out[places] ** 2, axis=0))
            size[size == 0] = 1.0
            out[places] /= size
            stretch.append(np.log(size))
        return np.concatenate([out, *stretch])

    def theta(self, point: Array) -> Array:
        """Theta of a point."""
        k = self.slow.size
        out, rest = np.array(point[:k], dtype=float), k
        slow = np.isfinite(self.slow)
        out[slow] = self.slow[slow] * np.sinh(out[slow])
        for places in self.shared:
            out[places] *= np.exp(point[rest : rest + places.shape[1]])
            rest += places.shape[1]
        return out * self.step

    def gradient(self, point: Array, theta_bar: Array) -> Array:
        """Derivatives by the point from those by theta."""
        k = self.slow.size
        out, rest, stretch = np.array(theta_bar * self.step, dtype=float), k, []
        slow = np.isfinite(self.slow)
        out[slow] *= self.slow[slow] * np.cosh(point[:k][slow])
        for places in self.shared:
            out[places] *= np.exp(point[rest : rest + places.shape[1]])
            stretch.append((out[places] * point[places]).sum(axis=0))
            rest += places.shape[1]
        return np.concatenate([out, *stretch])

    def bounds(self, point: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Of the point: those of theta where it is moved itself or slowly; shared entries have none but on s."""
        k, ends = self.slow.size, []
        slow = np.isfinite(self.slow)
        for bound, side in ((lower, -1.0), (upper, 1.0)):
            end = np.array(bound / self.step, dtype=float)
            end[slow] = np.arcsinh(end[slow] / self.slow[slow])
            for places in self.shared:
                end[places] = side * np.inf
            ends.append(np.concatenate([end, point[k:] + side * STRETCH]))
        return ends[0], ends[1]


def coordinates(layout: Layout) -> Coordinates:
    """Those that the parameters of a layout ask for."""
    shared, start = [], 0
    for p in layout.parameters:
        if p.shared and p.size:
            shared.append(start + np.arange(p.size, dtype=np.int64).reshape(p.shape))
        start += p.size
    return Coordinates(layout.slow(), tuple(shared), layout.step())
