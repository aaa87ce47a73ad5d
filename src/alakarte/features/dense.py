"""Phases by a matrix product, x W with W_kj = a_k U_kj S_j; U depends on draws alone, except where G and B are learned.

In: a `Spectrum` and `Draws`. Out: `MatrixProduct`, its phases for any block, and derivatives back to the spectrum.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.features.fastfood import fast_transform, fast_transform_pullback
from alakarte.records import Draws, Spectrum


@dataclass(frozen=True)
class MatrixProduct:
    """2 d F operations a row."""

    frequencies: np.ndarray  # (d, F)

    @property
    def dtype(self):
        """Of the phases."""
        return self.frequencies.dtype

    def astype(self, dtype) -> "MatrixProduct":
        """The same product in another precision."""
        return MatrixProduct(self.frequencies.astype(dtype))

    def phases(self, x, phase):
        """Write (rows, F) from x (rows, d)."""
        np.matmul(x, self.frequencies, out=phase)

    def pullback_zeros(self):
        """Zeros of the shapes of `pullback`."""
        return [np.zeros(self.frequencies.shape)]

    def pullback(self, x, phase_bar):
        """Sum over rows: derivative by the frequencies."""
        return (x.T @ phase_bar,)


def matrix_product(spectrum: Spectrum, draws: Draws) -> MatrixProduct:
    """The matrix of a spectrum."""
    if spectrum.frequencies is not None:
        return MatrixProduct(np.ascontiguousarray(spectrum.frequencies))
    if spectrum.gaussians is not None:  # U is learned
        return MatrixProduct(fast_transform(spectrum, draws).matrix())
    return MatrixProduct(spectrum.input_scale[draws.shape.component].T * draws.directions * spectrum.radii)


def matrix_product_pullback(sums, spectrum: Spectrum, draws: Draws) -> dict:
    """Fields of the spectrum's derivative from the sum of `MatrixProduct.pullback`."""
    (frequencies_bar,) = sums
    if spectrum.frequencies is not None:
        return {"frequencies": frequencies_bar}
    if spectrum.gaussians is not None:
        stack_sums = fast_transform(spectrum, draws).matrix_pullback(frequencies_bar)
        return fast_transform_pullback(stack_sums, spectrum, draws)
    directed = frequencies_bar * draws.directions  # W_bar ∘ U
    scale = spectrum.input_scale[draws.shape.component].T
    starts = np.cumsum([0, *draws.shape.counts[:-1]])
    input_scale_bar = np.add.reduceat(directed * spectrum.radii, starts, axis=1).T
    return {"input_scale": input_scale_bar, "radii": (directed * scale).sum(axis=0)}
