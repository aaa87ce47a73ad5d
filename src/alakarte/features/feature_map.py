"""Φ of a block of rows, and derivatives back to its frequencies: the map from rows to columns of cosines and sines.

In: a `Spectrum` and `Draws`. Out: `FeatureMap`. Columns: [cos | sin], or the four products of cos ξ, sin ξ with
cos ζ, sin ζ where the spectrum has centres, ζ = μᵀx [E5, E6]. Scales live in V, never here [E1]. Paper, section 4.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.compiled.waves import (
    wave_pairs,
    wave_pairs_dot,
    wave_pairs_pullback,
    wave_products,
    wave_products_dot,
    wave_products_pullback,
)
from alakarte.data.arrays import Scratch
from alakarte.features.dense import MatrixProduct, matrix_product, matrix_product_pullback
from alakarte.features.fastfood import FastTransform, fast_transform, fast_transform_pullback
from alakarte.features.projection import prefers_transform
from alakarte.records import Draws, Spectrum


@dataclass(frozen=True)
class FeatureMap:
    """x (rows, d) → Φ (rows, D)."""

    projection: MatrixProduct | FastTransform
    centre: np.ndarray | None  # (d, Q)
    component: np.ndarray  # (F,)

    @property
    def n_basis(self) -> int:
        """D, the columns of Φ."""
        return self.component.size * (2 if self.centre is None else 4)

    @property
    def dtype(self):
        """float64, or float32 for mixed precision."""
        return self.projection.dtype

    def astype(self, dtype) -> "FeatureMap":
        """The same map in another precision."""
        centre = None if self.centre is None else self.centre.astype(dtype)
        return FeatureMap(self.projection.astype(dtype), centre, self.component)

    def _tiles(self, n_rows):
        """Rows whose phases fit the cache: many frequencies, few rows."""
        size = 128 if self.component.size >= 512 else 1024
        return [slice(start, start + size) for start in range(0, n_rows, size)]

    def phi(self, x, scratch: Scratch | None = None, out=None):
        """(rows, D), in `out`, else in the scratch if there is one."""
        scratch = scratch or Scratch()
        phi = scratch.array("phi", (x.shape[0], self.n_basis), x.dtype) if out is None else out
        for tile in self._tiles(len(x)):
            rows = x[tile]
            phase = scratch.array("phase", (len(rows), self.component.size), x.dtype)
            self.projection.phases(rows, phase)
            if self.centre is None:
                wave_pairs(phase, phi[tile])
            else:
                wave_products(phase, rows @ self.centre, self.component, phi[tile])
        return phi

    def dot(self, weight_mean, x, scratch: Scratch | None = None):
        """Φ β (rows,) in one pass over the phases: Φ is never stored."""
        scratch = scratch or Scratch()
        phase = scratch.array("phase", (x.shape[0], self.component.size), x.dtype)
        self.projection.phases(x, phase)
        if self.centre is None:
            return wave_pairs_dot(phase, weight_mean)
        return wave_products_dot(phase, x @ self.centre, self.component, weight_mean)

    def pullback_zeros(self):
        """Zeros of the shapes of `pullback`."""
        zeros = self.projection.pullback_zeros()
        return zeros if self.centre is None else [np.zeros((len(self.centre), self.component.size)), *zeros]

    def pullback(self, x, phi, phi_p, residual, weight_mean, row_weight, scratch: Scratch | None = None):
        """Sums over rows for `spectrum_bar`, from Φ_bar = W (ΦP − rβᵀ); arguments as in `reference.py`."""
        scratch = scratch or Scratch()
        sums = self.pullback_zeros()
        for tile in self._tiles(len(x)):
            rows = x[tile]
            phase_bar = scratch.array("phase", (len(rows), self.component.size), x.dtype)
            arguments = phi[tile], phi_p[tile], residual[tile], weight_mean, row_weight[tile]
            if self.centre is None:
                wave_pairs_pullback(*arguments, phase_bar)
                parts = self.projection.pullback(rows, phase_bar)
            else:
                zeta_bar = scratch.array("zeta", phase_bar.shape, x.dtype)
                wave_products_pullback(*arguments, phase_bar, zeta_bar)
                parts = rows.T @ zeta_bar, *self.projection.pullback(rows, phase_bar)
            for total, part in zip(sums, parts, strict=True):
                total += part
        return sums


def feature_map(spectrum: Spectrum, draws: Draws, transform: str = "auto") -> FeatureMap:
    """The map of a spectrum; `transform`: "fast", "matrix", or "auto" by cost."""
    fast = draws.stacks is not None and spectrum.frequencies is None
    fast = fast and (transform == "fast" or (transform == "auto" and prefers_transform(draws.shape)))
    projection = fast_transform(spectrum, draws) if fast else matrix_product(spectrum, draws)
    centre = None if spectrum.centre is None else np.ascontiguousarray(spectrum.centre.T)
    return FeatureMap(projection, centre, draws.shape.component)


def spectrum_bar(features: FeatureMap, sums, log_amplitude_bar, spectrum: Spectrum, draws: Draws) -> Spectrum:
    """Derivatives by the spectrum from the sums of `FeatureMap.pullback`."""
    centre_bar = None
    if features.centre is not None:
        starts = np.searchsorted(features.component, np.arange(features.centre.shape[1]))
        centre_bar, sums = np.add.reduceat(sums[0], starts, axis=1).T, sums[1:]
    fast = isinstance(features.projection, FastTransform)
    pullback = fast_transform_pullback if fast else matrix_product_pullback
    return Spectrum(log_amplitude_bar, centre=centre_bar, **pullback(sums, spectrum, draws))
