"""Φ of a block of rows, and derivatives back to its frequencies: the map from rows to columns of cosines and sines.

In: a `Spectrum` and `Draws`. Out: `FeatureMap`. Columns: [cos | sin], or the four products of cos ξ, sin ξ with
cos ζ, sin ζ where the spectrum has centres, ζ = μᵀx [E5, E6]; parts of a sum that have none have two of these. Scales
live in V, never here [E1]. Paper, section 4.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

import alakarte.compiled.loops as loops
from alakarte.execution.scratch import Scratch
from alakarte.features.dense import matrix_product
from alakarte.features.fastfood import fast_transform
from alakarte.features.projection import Projection, prefers_transform
from alakarte.records import UNUSED, Array, Draws, Integers, Spectrum


@dataclass(frozen=True)
class FeaturesBar:
    """Φ_bar = W (T ΦP − R Bᵀ), without being stored: derivatives of nlml by the features of a block, for T targets."""

    phi_p: Array  # (rows, D) ΦP; overwritten where there are several targets
    residual: Array  # (rows, T) R
    weight_mean: Array  # (D, T) B
    row_weight: Array  # (rows,) diagonal of W

    def for_one_target(self) -> "FeaturesBar":
        """The same sum, all targets but the first taken into `phi_p`: what the compiled loops take."""
        n_targets = self.residual.shape[1]
        if n_targets > 1:
            np.multiply(self.phi_p, n_targets, out=self.phi_p)
            np.subtract(self.phi_p, self.residual[:, 1:] @ self.weight_mean[:, 1:].T, out=self.phi_p)
        return FeaturesBar(self.phi_p, self.residual[:, :1], self.weight_mean[:, :1], self.row_weight)

    def arguments(self, rows: slice) -> tuple[Array, Array, Array, Array]:
        """Of the compiled loops, for some rows of the block; one target."""
        return self.phi_p[rows], self.residual[rows, 0], self.weight_mean[:, 0], self.row_weight[rows]


@dataclass(frozen=True)
class FeatureMap:
    """x (rows, d) → Φ (rows, D)."""

    projection: Projection
    centre: Array | None  # (d, Q)
    component: Integers  # (F,)
    columns: Integers | None = None  # (D,) those of the four products that Φ has; None: all

    @property
    def n_basis(self) -> int:
        """D, the columns of Φ."""
        return self._n_products if self.columns is None else self.columns.size

    @property
    def _n_products(self) -> int:
        """Columns that the loops write."""
        return self.component.size * (2 if self.centre is None else 4)

    @property
    def column_component(self) -> Integers:
        """(D,) component of each column of Φ."""
        component = np.tile(self.component, self._n_products // self.component.size)
        return component if self.columns is None else component[self.columns]

    def of_products(self, values: Array) -> Array:
        """(…, products) from (…, D): zero where Φ has no column."""
        if self.columns is None:
            return values
        products = np.zeros((*values.shape[:-1], self._n_products), values.dtype)
        products[..., self.columns] = values
        return products

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """float64, or float32 for mixed precision."""
        return self.projection.dtype

    def astype(self, dtype: DTypeLike) -> "FeatureMap":
        """The same map in another precision."""
        centre = None if self.centre is None else self.centre.astype(dtype)
        return FeatureMap(self.projection.astype(dtype), centre, self.component, self.columns)

    def _tiles(self, n_rows: int) -> list[slice]:
        """Rows whose phases fit the cache: many frequencies, few rows."""
        size = 128 if self.component.size >= 512 else 1024
        return [slice(start, start + size) for start in range(0, n_rows, size)]

    def phi(self, x: Array, scratch: Scratch | None = None, out: Array | None = None) -> Array:
        """Φ (rows, D), in `out`, else in the scratch if there is one."""
        scratch = scratch or Scratch()
        phi = scratch.array("phi", (x.shape[0], self.n_basis), x.dtype) if out is None else out
        for tile in self._tiles(len(x)):
            rows = x[tile]
            phase = scratch.array("phase", (len(rows), self.component.size), x.dtype)
            self.projection.phases(rows, phase)
            if self.centre is None:
                loops.waves.wave_pairs(phase, phi[tile])
            elif self.columns is None:
                loops.waves.wave_products(phase, rows @ self.centre, self.component, phi[tile])
            else:
                products = scratch.array("products", (len(rows), self._n_products), x.dtype)
                loops.waves.wave_products(phase, rows @ self.centre, self.component, products)
                np.take(products, self.columns, axis=1, out=phi[tile])
        return phi

    def dot(self, weight_mean: Array, x: Array, scratch: Scratch | None = None) -> Array:
        """Φ β (rows, T) for β (D, T); of one target in one pass over the phases: Φ is never stored."""
        if weight_mean.shape[1] > 1:
            return self.phi(x, scratch) @ weight_mean
        scratch = scratch or Scratch()
        phase = scratch.array("phase", (x.shape[0], self.component.size), x.dtype)
        self.projection.phases(x, phase)
        if self.centre is None:
            return loops.waves.wave_pairs_dot(phase, weight_mean[:, 0])[:, None]
        mean = self.of_products(weight_mean[:, 0])
        return loops.waves.wave_products_dot(phase, x @ self.centre, self.component, mean)[:, None]

    def pullback_zeros(self) -> list[Array]:
        """Zeros of the shapes of `pullback`."""
        zeros = self.projection.pullback_zeros()
        return zeros if self.centre is None else [np.zeros((len(self.centre), self.component.size)), *zeros]

    def pullback(self, x: Array, phi: Array, bar: FeaturesBar, scratch: Scratch | None = None) -> list[Array]:
        """Sums over rows for `spectrum_bar`, from Φ (rows, D) and Φ_bar."""
        scratch, bar = scratch or Scratch(), bar.for_one_target()
        sums = self.pullback_zeros()
        for tile in self._tiles(len(x)):
            rows = x[tile]
            phase_bar = scratch.array("phase", (len(rows), self.component.size), x.dtype)
            if self.centre is None:
                loops.waves.wave_pairs_pullback(phi[tile], *bar.arguments(tile), phase_bar)
                parts = self.projection.pullback(rows, phase_bar)
            else:
                zeta_bar = scratch.array("zeta", phase_bar.shape, x.dtype)
                phi_p, residual, mean, row_weight = bar.arguments(tile)
                products = self.of_products(phi[tile]), self.of_products(phi_p), residual, self.of_products(mean)
                loops.waves.wave_products_pullback(*products, row_weight, phase_bar, zeta_bar)
                parts = rows.T @ zeta_bar, *self.projection.pullback(rows, phase_bar)
            for total, part in zip(sums, parts, strict=True):
                total += part
        return sums


def feature_map(spectrum: Spectrum, draws: Draws, transform: str = "auto") -> FeatureMap:
    """The map of a spectrum; `transform`: "fast", "matrix", or "auto" by cost; what maps inputs has a matrix alone."""
    fast = draws.stacks is not None and spectrum.frequencies is None and spectrum.input_map is None
    fast = fast and (transform == "fast" or (transform == "auto" and prefers_transform(draws.shape)))
    projection = fast_transform(spectrum, draws) if fast else matrix_product(spectrum, draws)
    centre = None if spectrum.centre is None else np.ascontiguousarray(spectrum.centre.T)
    some = spectrum.centre is not None and not all(draws.shape.centred)
    return FeatureMap(projection, centre, draws.shape.component, draws.shape.columns(4) if some else None)


def spectrum_bar(
    features: FeatureMap, sums: list[Array], log_amplitude_bar: Array, spectrum: Spectrum, draws: Draws
) -> Spectrum:
    """Derivatives by the spectrum from the sums of `FeatureMap.pullback`."""
    centre_bar = UNUSED
    if features.centre is not None:
        starts = np.searchsorted(features.component, np.arange(features.centre.shape[1]))
        centre_bar, sums = np.add.reduceat(sums[0], starts, axis=1).T, sums[1:]
    fields = features.projection.spectrum_pullback(sums, spectrum, draws)
    return Spectrum(log_amplitude_bar, centre=centre_bar, **fields)
