"""Phases by the fast transform: κ_j S_j [H G Π H B pad(x ∘ a)]_j. The only place that normalises H. Paper, section 3.2.

In: a `Spectrum` and `Draws`. Out: `FastTransform`, its phases for any block, and derivatives back to the spectrum.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import DTypeLike
from scipy.linalg import hadamard

import alakarte.compiled.loops as loops
from alakarte.features.projection import Projection
from alakarte.records import Array, Draws, Integers, Spectrum, Stacks, Values


@dataclass(frozen=True)
class FastTransform(Projection):
    """2⌈m/p⌉ p log₂ p additions per row."""

    input_scale: Array  # (stacks, d)
    signs: Array  # (stacks, p)
    permutation: Integers  # (stacks, p)
    gaussians: Array  # (stacks, p)
    factor: Array  # (stacks, p) κ ∘ S, zero in rows that are left out
    position: Integers  # (F,)

    @property
    def _matrices(self) -> tuple[Array, Array, Integers, Array, Array, Integers]:
        return self.input_scale, self.signs, self.permutation, self.gaussians, self.factor, self.position

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """Of the phases."""
        return self.factor.dtype

    def astype(self, dtype: DTypeLike) -> "FastTransform":
        """The same transform in another precision."""
        matrices = (self.input_scale, self.signs, self.gaussians, self.factor)
        input_scale, signs, gaussians, factor = (part.astype(dtype) for part in matrices)
        return FastTransform(input_scale, signs, self.permutation, gaussians, factor, self.position)

    def phases(self, x: Array, phase: Array) -> None:
        """Write (rows, F) from x (rows, d)."""
        loops.fastfood.project(x, *self._matrices, phase)

    def pullback_zeros(self) -> list[Array]:
        """Zeros of the shapes of `pullback`."""
        return [np.zeros(part.shape) for part in (self.input_scale, self.signs, self.gaussians, self.factor)]

    def pullback(self, x: Array, phase_bar: Array) -> tuple[Array, ...]:
        """Sums over rows: derivatives by input_scale, signs, gaussians, factor."""
        return loops.fastfood.project_pullback(x, *self._matrices, phase_bar)

    def spectrum_pullback(self, sums: list[Array], spectrum: Spectrum, draws: Draws) -> Values:
        """Fields of the spectrum's derivative from the sums of `pullback`."""
        stack_scale_bar, signs_bar, gaussians_bar, factor_bar = sums
        input_scale_bar = np.zeros_like(spectrum.input_scale)
        np.add.at(input_scale_bar, draws.shape.stack_component, stack_scale_bar)
        radii_bar = factor_bar.ravel()[self.position] / _stacks(draws).norms
        return {"input_scale": input_scale_bar, "radii": radii_bar, "signs": signs_bar, "gaussians": gaussians_bar}

    def matrix(self) -> Array:
        """(d, F) the phases of the unit vectors."""
        phase = self.factor[..., None] * self._unit_vectors()[2]
        return np.ascontiguousarray(phase.reshape(self.factor.size, -1)[self.position].T)

    def matrix_pullback(self, matrix_bar: Array) -> list[Array]:
        """`pullback` of the unit vectors: derivatives from those by `matrix`."""
        n_inputs = self.input_scale.shape[1]
        h, mixed, output = self._unit_vectors()
        flat = np.zeros((self.factor.size, n_inputs))
        flat[self.position] = matrix_bar.T
        bar: Array = flat.reshape(output.shape)
        inner = h @ (self.factor[..., None] * bar)  # H = Hᵀ
        columns_bar = (inner * self.gaussians[..., None] * h[self.permutation, :n_inputs]).sum(axis=1)
        signs_bar = np.zeros_like(self.signs)
        signs_bar[:, :n_inputs] = columns_bar * self.input_scale
        gaussians_bar, factor_bar = (inner * mixed).sum(axis=2), (bar * output).sum(axis=2)
        return [columns_bar * self.signs[:, :n_inputs], signs_bar, gaussians_bar, factor_bar]

    def _unit_vectors(self) -> tuple[Array, Array, Array]:
        """H, then Π H B pad(a) and H G Π H B pad(a) of the unit vectors (stacks, p, d): small for few inputs."""
        n_inputs = self.input_scale.shape[1]
        h = _hadamard_matrix(self.signs.shape[1])
        mixed = h[self.permutation, :n_inputs] * (self.signs[:, :n_inputs] * self.input_scale)[:, None]
        return h, mixed, h @ (self.gaussians[..., None] * mixed)


@lru_cache(maxsize=4)
def _hadamard_matrix(p: int) -> Array:
    return hadamard(p, dtype=float)


def _stacks(draws: Draws) -> Stacks:
    assert draws.stacks is not None, "draws of independent rows have no fast transform"
    return draws.stacks


def fast_transform(spectrum: Spectrum, draws: Draws) -> FastTransform:
    """The transform of a spectrum."""
    stacks = _stacks(draws)
    factor = np.zeros(stacks.signs.size)
    factor[stacks.position] = spectrum.radii / stacks.norms
    return FastTransform(
        spectrum.input_scale[draws.shape.stack_component],
        stacks.signs if spectrum.signs is None else spectrum.signs,
        stacks.permutation,
        stacks.gaussians if spectrum.gaussians is None else spectrum.gaussians,
        factor.reshape(stacks.signs.shape),
        stacks.position,
    )
