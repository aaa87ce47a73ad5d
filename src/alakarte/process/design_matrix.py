"""Ψ = Φ V^½, or a root of K, as a matrix that is multiplied from both sides many times.

In: a `LatentFunction`. Out: `DesignMatrix`. Kept in memory where it fits (in single precision where double does not),
else made anew block by block at every product. Products are cut into the same parts for any number of threads.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from alakarte.data.rows import Block, Rows, Work
from alakarte.execution.scratch import Scratch
from alakarte.execution.threads import run_together
from alakarte.features.feature_map import FeatureMap
from alakarte.linalg.blas import add_gram
from alakarte.linalg.factorise import cholesky
from alakarte.process.closed_form import closed_gram
from alakarte.process.problem import LatentFunction
from alakarte.records import Array, Integers

KEPT_BYTES = 1.4e9  # at most, of a matrix in memory
DOUBLE_BYTES = 4e8  # up to here in double precision
JITTER = 1e-6  # of k(x, x): added to the diagonal of a closed form, whose root would not exist
PART_ROWS = 4096
LANES = 8


class DesignMatrix(ABC):
    """Ψ (n, D)."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """n."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """D."""

    @abstractmethod
    def times(self, weights: Array) -> Array:
        """Ψ U (n, K) of U (D, K)."""

    @abstractmethod
    def transposed_times(self, values: Array) -> Array:
        """Ψᵀ R (D, K) of R (n, K)."""

    @abstractmethod
    def some(self, picked: Integers) -> Array:
        """Rows `picked` (k,), ascending, of Ψ (k, D), in double precision."""


@dataclass(frozen=True)
class KeptDesign(DesignMatrix):
    """In memory."""

    psi: Array  # (n, D) float64 or float32
    n_jobs: int = 1

    @property
    def n_rows(self) -> int:
        """n."""
        return len(self.psi)

    @property
    def n_columns(self) -> int:
        """D."""
        return int(self.psi.shape[1])

    def _parts(self) -> list[slice]:
        n_parts = max(1, -(-self.n_rows // PART_ROWS))
        return [slice(*edge) for edge in pairwise(np.linspace(0, self.n_rows, n_parts + 1).astype(int))]

    def times(self, weights: Array) -> Array:
        """Part by part of the rows."""
        out = np.empty((self.n_rows, weights.shape[1]))
        right = np.ascontiguousarray(weights, dtype=self.psi.dtype)

        def fill(part: slice) -> None:
            out[part] = self.psi[part] @ right

        run_together([partial(fill, part) for part in self._parts()], self.n_jobs)
        return out

    def transposed_times(self, values: Array) -> Array:
        """Parts in a fixed number of lanes, added in their order in double precision."""
        parts = self._parts()
        lanes = [parts[lane::LANES] for lane in range(min(LANES, len(parts)))]

        def of_lane(lane: list[slice]) -> Array:
            total = np.zeros((self.n_columns, values.shape[1]))
            for part in lane:
                total += self.psi[part].T @ values[part].astype(self.psi.dtype, copy=False)
            return total

        first, *others = run_together([partial(of_lane, lane) for lane in lanes], self.n_jobs)
        for other in others:
            first += other
        return first

    def some(self, picked: Integers) -> Array:
        """A copy."""
        return self.psi[picked].astype(np.float64)


@dataclass(frozen=True)
class StreamedDesign(DesignMatrix):
    """Made from the rows at every product."""

    rows: Rows
    features: FeatureMap  # in single precision
    root_variance: Array  # (D,)
    n_jobs: int = 1

    @property
    def n_rows(self) -> int:
        """n."""
        return self.rows.n_rows

    @property
    def n_columns(self) -> int:
        """D."""
        return self.features.n_basis

    def _work(self) -> Work:
        return Work(self.n_columns, self.features.dtype.itemsize, self.n_jobs)

    def times(self, weights: Array) -> Array:
        """One pass over the rows."""
        right = (self.root_variance[:, None] * weights).astype(self.features.dtype)
        return self.rows.map_rows(_features_times, weights.shape[1], self.features, right, work=self._work())

    def transposed_times(self, values: Array) -> Array:
        """One pass over the rows."""
        rows = self.rows.with_targets(values, np.ones(len(values)))
        shape = (self.n_columns, values.shape[1])
        [total] = rows.map_sum(_add_features_values, lambda: [np.zeros(shape)], self.features, work=self._work())
        return np.asarray(self.root_variance[:, None] * total)

    def some(self, picked: Integers) -> Array:
        """Made for these rows."""
        x = self.rows.take(picked).whole().x.astype(self.features.dtype)
        return self.features.phi(x).astype(np.float64) * self.root_variance


def _features_times(scratch: Scratch, block: Block, features: FeatureMap, right: Array) -> Array:
    return features.phi(block.x.astype(features.dtype, copy=False), scratch) @ right


def _add_features_values(sums: list[Array], scratch: Scratch, block: Block, features: FeatureMap) -> None:
    phi = features.phi(block.x.astype(features.dtype, copy=False), scratch)
    sums[0] += phi.T @ block.y.astype(phi.dtype, copy=False)


def design_matrix(function: LatentFunction) -> DesignMatrix:
    """Ψ of the rows of a function's problem: of an expansion, or of the factor of K of a closed form."""
    problem = function.problem
    rows, n_jobs = problem.rows, problem.n_jobs
    if function.expansion is None:
        x = rows.whole().x
        kernel = closed_gram(function.spectrum, function.closed_form, x, np.ones(len(x)), n_jobs)
        kernel.flat[:: len(x) + 1] += JITTER * np.exp(2 * function.spectrum.log_amplitude).sum()
        return KeptDesign(np.ascontiguousarray(np.tril(cholesky(kernel, n_jobs))), n_jobs)
    root = np.sqrt(function.weight_variance)
    n_numbers = rows.n_rows * root.size
    if 4 * n_numbers > KEPT_BYTES:
        return StreamedDesign(rows, function.features.astype(np.float32), root, n_jobs)
    dtype = np.float64 if 8 * n_numbers <= DOUBLE_BYTES else np.float32
    psi = np.empty((rows.n_rows, root.size), dtype)
    features, scale = function.features.astype(dtype), root.astype(dtype)
    rows.fill_rows(psi, _scaled_features, features, scale, work=Work(root.size, psi.itemsize, n_jobs))
    return KeptDesign(psi, n_jobs)


def _scaled_features(scratch: Scratch, block: Block, features: FeatureMap, scale: Array) -> Array:
    return features.phi(block.x.astype(features.dtype, copy=False), scratch) * scale


def weighted_gram(psi: Array, weight: Array) -> Array:
    """Lower triangle of ΨᵀWΨ (D, D), in Fortran's order, of psi (k, D)."""
    gram = np.zeros((psi.shape[1], psi.shape[1]), order="F")
    add_gram(gram, np.ascontiguousarray(psi * np.sqrt(weight)[:, None]))
    return gram
