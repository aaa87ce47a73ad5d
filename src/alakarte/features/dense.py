"""Phases by a matrix product, x W with W_kj = a_k U_kj S_j; U depends on draws alone, except where G and B are learned.

Where a spectrum maps inputs, W = Aᵀ U S.

In: a `Spectrum` and `Draws`. Out: `MatrixProduct`, its phases for any block, and derivatives back to the spectrum.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from alakarte.features.fastfood import fast_transform
from alakarte.features.projection import Projection
from alakarte.records import Array, Draws, Spectrum, Values


@dataclass(frozen=True)
class MatrixProduct(Projection):
    """2 d F operations per row."""

    frequencies: Array  # (d, F)

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """Of the phases."""
        return self.frequencies.dtype

    def astype(self, dtype: DTypeLike) -> "MatrixProduct":
        """The same product in another precision."""
        return MatrixProduct(self.frequencies.astype(dtype))

    def phases(self, x: Array, phase: Array) -> None:
        """Write (rows, F) from x (rows, d)."""
        np.matmul(x, self.frequencies, out=phase)

    def pullback_zeros(self) -> list[Array]:
        """Zeros of the shapes of `pullback`."""
        return [np.zeros(self.frequencies.shape)]

    def pullback(self, x: Array, phase_bar: Array) -> tuple[Array, ...]:
        """Sum over rows: derivative by the frequencies."""
        return (x.T @ phase_bar,)

    def spectrum_pullback(self, sums: list[Array], spectrum: Spectrum, draws: Draws) -> Values:
        """Fields of the spectrum's derivative from the sum of `pullback`."""
        (frequencies_bar,) = sums
        if spectrum.frequencies is not None:
            return {"frequencies": frequencies_bar}
        if spectrum.gaussians is not None:
            transform = fast_transform(spectrum, draws)
            return transform.spectrum_pullback(transform.matrix_pullback(frequencies_bar), spectrum, draws)
        if spectrum.input_map is not None:
            return _mapped_pullback(frequencies_bar, spectrum, draws)
        directed = frequencies_bar * draws.directions  # W_bar ∘ U
        scale = spectrum.input_scale[draws.shape.component].T
        starts = np.cumsum([0, *draws.shape.counts[:-1]])
        input_scale_bar = np.add.reduceat(directed * spectrum.radii, starts, axis=1).T
        return {"input_scale": input_scale_bar, "radii": (directed * scale).sum(axis=0)}


def frequency_matrix(spectrum: Spectrum, draws: Draws) -> Array:
    """(d, F) the frequencies of a spectrum, centres aside."""
    if spectrum.frequencies is not None:
        return np.ascontiguousarray(spectrum.frequencies)
    if spectrum.gaussians is not None:  # U is learned
        return fast_transform(spectrum, draws).matrix()
    if spectrum.input_map is not None:
        return _of_each_component(spectrum.input_map.swapaxes(1, 2), draws.directions * spectrum.radii, draws)
    return spectrum.input_scale[draws.shape.component].T * draws.directions * spectrum.radii


def _of_each_component(maps: Array, columns: Array, draws: Draws) -> Array:
    """(d, F) each component's map (d, d) times its columns."""
    parts = np.split(columns, np.cumsum(draws.shape.counts[:-1]), axis=1)
    return np.concatenate([each @ part for each, part in zip(maps, parts, strict=True)], axis=1)


def _mapped_pullback(frequencies_bar: Array, spectrum: Spectrum, draws: Draws) -> Values:
    """Of W = Aᵀ (U S), component by component: A_bar = (U S) W_barᵀ."""
    edges = np.cumsum(draws.shape.counts[:-1])
    drawn = np.split(draws.directions * spectrum.radii, edges, axis=1)
    parts = zip(drawn, np.split(frequencies_bar, edges, axis=1), strict=True)
    map_bar = np.array([columns @ bar.T for columns, bar in parts])
    mapped = _of_each_component(spectrum.input_map, frequencies_bar, draws)
    return {"input_map": map_bar, "radii": (mapped * draws.directions).sum(axis=0)}


def matrix_product(spectrum: Spectrum, draws: Draws) -> MatrixProduct:
    """The matrix product of a spectrum."""
    return MatrixProduct(frequency_matrix(spectrum, draws))
