"""Frozen records that pass between the stages: arrays with shapes, nothing that computes an evidence.

In: plain arrays. Out: `Shape`, `Variables`, `Waves`, `Summary`, `Stacks`, `Draws`, `Spectrum`, `Statistics`.
Frequencies lie on one flat axis of length F with a component index each, so components may differ in their number.
This file refuses to know data files, kernels and optimisers. Letters: docs/notation.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]  # shapes stand in docstrings and comments; float32 where precision is mixed
Integers: TypeAlias = NDArray[np.int64]  # places in other arrays
Flags: TypeAlias = NDArray[np.bool_]  # masks
Values: TypeAlias = dict[str, Array]  # parameters by name, as they are learned
Named: TypeAlias = dict[str, Any]  # numbers by the user's names, in his units
UNUSED: Any = None  # a field that a kernel does not use


@dataclass(frozen=True)
class Shape:
    """How many inputs, and how many frequencies in each component; of a sum, which components each part has."""

    n_inputs: int
    counts: tuple[int, ...]
    parts: tuple[int, ...] = ()  # of a sum: components of each part,
    centred: tuple[bool, ...] = ()  # and whether they have centres

    @staticmethod
    def joined(parts: Sequence["Shape"], centred: Sequence[bool]) -> "Shape":
        """The shape of a sum from those of its parts, one flat axis."""
        counts = tuple(m for part in parts for m in part.counts)
        return Shape(parts[0].n_inputs, counts, tuple(part.n_components for part in parts), tuple(centred))

    def with_counts(self, counts: Sequence[int]) -> "Shape":
        """The same components with other numbers of frequencies."""
        return replace(self, counts=tuple(counts))

    @property
    def n_components(self) -> int:
        """Q, the number of components."""
        return len(self.counts)

    @property
    def n_frequencies(self) -> int:
        """F, all components together."""
        return sum(self.counts)

    @property
    def n_padded(self) -> int:
        """p, the smallest power of two ≥ d."""
        return 1 << (self.n_inputs - 1).bit_length()

    @cached_property
    def component(self) -> Integers:
        """(F,) component of each frequency."""
        return np.repeat(np.arange(self.n_components, dtype=np.int64), self.counts)

    @cached_property
    def stack_component(self) -> Integers:
        """(stacks,) component of each Fastfood stack: ⌈m_q/p⌉ stacks for component q."""
        n_stacks = [-(-m // self.n_padded) for m in self.counts]
        return np.repeat(np.arange(self.n_components, dtype=np.int64), n_stacks)

    @property
    def n_stacks(self) -> int:
        """Fastfood stacks of all components together."""
        return self.stack_component.size

    @property
    def edges(self) -> Integers:
        """(parts + 1,) first component of each part, and Q; what is no sum is one part."""
        return np.cumsum((0, *(self.parts or (self.n_components,))))

    @property
    def part_shapes(self) -> tuple["Shape", ...]:
        """The shape of each part of a sum."""
        edges = self.edges.tolist()
        return tuple(Shape(self.n_inputs, self.counts[a:b]) for a, b in pairwise(edges))

    def columns(self, n_products: int) -> Integers:
        """(D,) the columns of Φ, as places among `n_products` times F: frequency by frequency, product by product.

        A part of a sum that has no centre, beside others that have one, has no products with the sine of its ζ = 0.
        """
        if n_products == 2 or all(self.centred):
            return np.arange(n_products * self.n_frequencies)
        has_centre = np.repeat(self.centred, self.parts)[self.component]
        always = np.ones(2 * self.n_frequencies, dtype=bool)
        return np.flatnonzero(np.concatenate([always, has_centre, has_centre]))

    def n_columns(self, n_products: int) -> int:
        """D, the columns of Φ with so many for a frequency that has a centre, if any has."""
        return self.columns(n_products).size


@dataclass(frozen=True)
class Variables:
    """The user's variables, where some are categories: a number is one column of the inputs, a category several."""

    of_column: Integers  # (d,) variable of each column, ascending
    is_number: Flags  # (variables,)

    @property
    def size(self) -> int:
        """How many there are."""
        return self.is_number.size

    @cached_property
    def first(self) -> Integers:
        """(variables,) first column of each."""
        return np.searchsorted(self.of_column, np.arange(self.size))

    def summed(self, columns: Array) -> Array:
        """(…, variables) from (…, d): the columns of a variable together."""
        return np.add.reduceat(columns, self.first, axis=-1)


@dataclass(frozen=True)
class Waves:
    """What a search for periods has found, in standardised units: bands of waves, the strongest first, and a rest."""

    centre: Array  # (B, d) radians per unit
    lengthscale: Array  # (B, d) over which a band's waves stay in step
    variance: Array  # (B,)
    smooth_lengthscale: Array  # (2, d) of what is no wave: a long one and a short one,
    smooth_variance: Array  # (2,)
    noise_variance: float
    lines: Array  # (L, d) the waves themselves
    highest: Array  # (d,) frequency that the places of the rows can tell
    resolution: Array  # (d,) 2π/range


@dataclass(frozen=True)
class Summary:
    """All that a start may know of the (standardised) rows."""

    ranges: Array  # (d,) robust range of each input, never zero
    differences: Array  # (pairs, d) x_i − x_j of random pairs of rows

    def lengthscales(self, rng: np.random.Generator) -> Array:
        """(d,) ℓ_j = u_j range_j √d with u_j ~ U[0.4, 0.8]."""
        d = self.ranges.size
        lengthscales: Array = rng.uniform(0.4, 0.8, size=d) * self.ranges * np.sqrt(d)
        return lengthscales

    def distance(self, quantile: float, lengthscale: Array | float = 1.0) -> float:
        """Quantile of the distances of pairs, measured after division by `lengthscale`; 1 where all pairs coincide."""
        distances = np.linalg.norm(self.differences / lengthscale, axis=1)
        distances = distances[distances > 0]
        return float(np.quantile(distances, quantile)) if distances.size else 1.0


@dataclass(frozen=True)
class Stacks:
    """The frozen matrices of Fastfood stacks."""

    signs: Array  # (stacks, p) B
    permutation: Integers  # (stacks, p) Π
    gaussians: Array  # (stacks, p) G
    position: Integers  # (F,) which of the stacks · p outputs each frequency is
    norms: Array  # (F,) √p ‖G‖ of the frequency's stack [E2]


@dataclass(frozen=True, eq=False)
class Draws:
    """All randomness of an expansion, drawn once and frozen; equal to itself alone."""

    shape: Shape
    stacks: Stacks | None  # None: independent Gaussian rows
    directions: Array  # (d, F) U: frequencies of radius one, as the data see them (c_j ≤ 1 long with stacks)
    lengths: Array  # (F,) c_j, what zero-padding leaves of a unit frequency [E3]
    chi: Array  # (F,) χ_p (stacks) or χ_d (directions) draws [E4]
    points: Array  # (F,) stratified in (0, 1) within each component, shuffled
    quantiles: Array  # (F,) uniform in (0, 1), for spectra with heavier tails

    def __getstate__(self) -> dict[str, Any]:
        """What cannot be made from the rest."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def parts(self) -> tuple["Draws", ...]:
        """The draws of each part of a sum, the same each time."""
        component, edges = np.arange(self.shape.n_components), self.shape.edges.tolist()
        return tuple(self.of_components((component >= a) & (component < b)) for a, b in pairwise(edges))

    def of_components(self, keep: Flags) -> "Draws":
        """The draws of some components, keep (Q,) true or false."""
        shape, stacks = self.shape, self.stacks
        mine = keep[shape.component]
        if stacks is not None:
            kept, p = keep[shape.stack_component], shape.n_padded
            position = stacks.position[mine]
            position = (np.cumsum(kept) - 1)[position // p] * p + position % p
            matrices = stacks.signs[kept], stacks.permutation[kept], stacks.gaussians[kept]
            stacks = Stacks(*matrices, position, stacks.norms[mine])
        shape = Shape(shape.n_inputs, tuple(np.compress(keep, shape.counts).tolist()))
        each = (part[mine] for part in (self.lengths, self.chi, self.points, self.quantiles))
        return Draws(shape, stacks, self.directions[:, mine], *each)

    @property
    def expansion(self) -> str:
        """What `draw` was asked for."""
        return "dense" if self.stacks is None else "fastfood"


@dataclass(frozen=True)
class Spectrum:
    """What a kernel says about its frequencies; the same record carries derivatives of nlml (all fields `…_bar`)."""

    log_amplitude: Array  # (Q,) log v_q
    input_scale: Array = UNUSED  # (Q, d) a = 1/ℓ
    radii: Array = UNUSED  # (F,) length of each frequency in R^p, before the input scale
    centre: Array = UNUSED  # (Q, d) μ; then a frequency has four columns instead of two; zero in a part without
    signs: Array = UNUSED  # (stacks, p) in place of the draws'
    gaussians: Array = UNUSED  # (stacks, p) in place of the draws'
    frequencies: Array = UNUSED  # (d, F) free frequencies, in place of scale × radius × direction
    input_map: Array = UNUSED  # (Q, d, d) A, in place of the input scale: ‖Aτ‖ for ‖a∘τ‖

    @property
    def maps(self) -> Array:
        """(Q, d, d) A of each component, ω = Aᵀz ± μ: diagonal where inputs are not mixed."""
        if self.input_map is not None:
            return self.input_map
        return np.asarray(self.input_scale[:, :, None] * np.eye(self.input_scale.shape[1]))

    def weight_variance(self, shape: Shape) -> Array:
        """(D,) v_q²/m_q on every column of Φ [E1, E6]."""
        variance = np.exp(2 * self.log_amplitude) / np.asarray(shape.counts)
        n_products = 2 if self.centre is None else 4
        return np.tile(variance[shape.component], n_products)[shape.columns(n_products)]


@dataclass(frozen=True)
class Statistics:
    """Sums over rows of one model's features; models of disjoint rows add."""

    gram: Array  # (D, D) ΦᵀWΦ, its lower triangle, in Fortran's order
    moment: Array  # (D, T) ΦᵀWy
    energy: Array  # (T,) yᵀWy
    total: float  # N, the sum of weights

    def __add__(self, other: "Statistics") -> "Statistics":
        return Statistics(
            self.gram + other.gram, self.moment + other.moment, self.energy + other.energy, self.total + other.total
        )

    def __sub__(self, other: "Statistics") -> "Statistics":
        return Statistics(
            self.gram - other.gram, self.moment - other.moment, self.energy - other.energy, self.total - other.total
        )


def arrays(record: Any) -> dict[str, Array]:
    """All arrays and numbers of a record, and of what is within it, by dotted name; text and functions are left out."""
    if isinstance(record, np.ndarray | np.number | float | int):
        return {"": np.asarray(record)}
    if is_dataclass(record):
        parts = {field.name: getattr(record, field.name) for field in fields(record)}
    elif isinstance(record, dict):
        parts = {str(name): part for name, part in record.items()}
    else:
        parts = {str(index): part for index, part in enumerate(record)} if isinstance(record, tuple | list) else {}
    within = ((name, inner, array) for name, part in parts.items() for inner, array in arrays(part).items())
    return {f"{name}.{inner}".rstrip("."): array for name, inner, array in within}
