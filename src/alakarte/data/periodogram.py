"""The power of rows at all frequencies of a grid, by a fast Fourier transform of places that lie anywhere.

In: inputs (n, d) of one to three dimensions, residuals (n, T). Out: power by cell. Places are spread by a Gaussian over
the points of a grid twice as fine as needed, whose transform is divided by that of the Gaussian (Greengard and Lee).
"""

from dataclasses import dataclass

import numpy as np
from scipy.fft import next_fast_len, rfftn

from alakarte.records import Array, Integers

REACH = 5  # grid points on each side that a place is spread over: an error of 1e-5
FINER = {1: 4, 2: 2, 3: 2}  # cells per resolution 2π/R


@dataclass(frozen=True)
class Grid:
    """Frequencies w = spacing ∘ m, |m_j| ≤ reach_j; of the last dimension m ≥ 0."""

    spacing: Array  # (d,)
    reach: tuple[int, ...]

    @property
    def n_cells(self) -> int:
        """Frequencies, those that differ by sign counted once."""
        return int(np.prod([2 * m + 1 for m in self.reach[:-1]])) * (self.reach[-1] + 1)

    def laid(self, x: Array) -> tuple[tuple[int, ...], Integers, Array]:
        """The points of the finer grid, and the flat places (n, k) and weights (n, k) of each row there."""
        points = tuple(next_fast_len(4 * m + 4 * REACH, real=True) for m in self.reach)
        axes = [self._axis(x[:, j], j, points[j]) for j in range(len(points))]
        index, weight = axes[0]
        for (more, factor), size in zip(axes[1:], points[1:], strict=True):
            index = (index[:, :, None] * size + more[:, None, :]).reshape(len(x), -1)
            weight = (weight[:, :, None] * factor[:, None, :]).reshape(len(x), -1)
        return points, index, weight

    def width(self, points: int, j: int) -> float:
        """τ of exp(−x²/4τ) along one dimension."""
        modes = 2 * self.reach[j] + 1
        finer = points / modes
        return float(np.pi * REACH / (modes**2 * finer * (finer - 0.5)))

    def _axis(self, x: Array, j: int, points: int) -> tuple[Integers, Array]:
        """(n, 2 REACH) grid points near each place, and the Gaussian there."""
        angle = np.mod(x * self.spacing[j], 2 * np.pi)
        step = 2 * np.pi / points
        nearest = np.floor(angle / step).astype(np.int64)
        places = nearest[:, None] + np.arange(1 - REACH, REACH + 1)
        away = angle[:, None] - places * step
        return np.mod(places, points), np.exp(-(away**2) / (4 * self.width(points, j)))


@dataclass(frozen=True)
class Spread:
    """Places on the points of a grid."""

    grid: Grid
    points: tuple[int, ...]
    index: Integers  # (n, k) flat places on the points
    weight: Array  # (n, k)

    def power(self, residual: Array) -> Array:
        """(cells…) Σ_t |Σ_i r_it exp(−i w·x_i)|² of residuals r (n, T)."""
        return np.asarray(sum(self._power(column) for column in residual.T))

    def _power(self, residual: Array) -> Array:
        size = int(np.prod(self.points))
        values = np.bincount(self.index.ravel(), (self.weight * residual[:, None]).ravel(), minlength=size)
        transform = np.abs(rfftn(values.reshape(self.points))) ** 2
        for j, (m, points) in enumerate(zip(self.grid.reach, self.points, strict=True)):
            modes = self._modes(j, m)
            transform = np.take(transform, np.mod(modes, points), axis=j)
            width = self.grid.width(points, j)
            shape = [-1 if axis == j else 1 for axis in range(len(self.points))]
            factor = np.pi / width / points**2 * np.exp(2 * width * modes.astype(float) ** 2)
            transform = transform * factor.reshape(shape)
        return transform

    def _modes(self, j: int, m: int) -> Integers:
        last = j == len(self.points) - 1
        return np.arange(0 if last else -m, m + 1)

    def frequencies(self, cells: Integers) -> Array:
        """(k, d) of flat cells (k,)."""
        shape = [len(self._modes(j, m)) for j, m in enumerate(self.grid.reach)]
        places = np.stack(np.unravel_index(cells, shape), axis=1)
        least = np.array([-m for m in self.grid.reach[:-1]] + [0])
        return np.asarray((places + least) * self.grid.spacing)

    def peaks(self, power: Array, n_peaks: int, least: float) -> Array:
        """(k, d) frequencies of the largest power, some resolutions apart, down to `least` of the largest."""
        power, found = power.copy(), list[int]()
        floor, apart = least * power.max(), 2 * FINER[len(self.points)]
        while len(found) < n_peaks:
            cell = int(np.argmax(power))
            if power.flat[cell] < floor or power.flat[cell] <= 0:
                break
            found.append(cell)
            place = np.unravel_index(cell, power.shape)
            power[tuple(slice(max(0, p - apart), p + apart + 1) for p in place)] = 0.0
        return self.frequencies(np.array(found, dtype=np.int64))


def grid_of(ranges: Array, highest: Array) -> Grid:
    """The grid up to the highest frequencies, finer than 2π/R."""
    spacing = 2 * np.pi / ranges / FINER[ranges.size]
    return Grid(spacing, tuple(int(m) for m in np.ceil(highest / spacing - 1e-9)))
