"""Kernels in closed form, n×n: K = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ, or with A_qτ. The paper's baselines for small data.

In: a `Spectrum` (its radii are not read) and a `ClosedForm`. Out: K, and the spectrum's derivative. Symmetric work is
done once: each row against the rows from there on; threads take runs of rows, the same for any number of threads.
"""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.compiled.layout import Table, prepare, table_scale
from alakarte.compiled.reference import Dof
from alakarte.execution.threads import run_together
from alakarte.kernels.base import ClosedForm
from alakarte.linalg.factorise import mirror
from alakarte.records import Array, Spectrum

Part: TypeAlias = tuple[int, int]  # first row, and the one after the last

THREADED_ROWS = 300  # below, a thread costs more than it saves
PARTS = 8


def closed_kernel(spectrum: Spectrum, closed: ClosedForm, x: Array, other: Array) -> Array:
    """k(x, other) (n, n')."""
    tables = rows_table(spectrum, x), rows_table(spectrum, other)
    return loops.closed.kernel_rows(*tables, closed.dof, *components(spectrum))


def rows_table(spectrum: Spectrum, x: Array) -> Table:
    """Rows x (n, d) as compiled code reads them."""
    return prepare(x, spectrum.centre, spectrum.input_map)


def components(spectrum: Spectrum) -> tuple[Array, Array]:
    """v² (Q,), and the scale of each component for the columns of such a table."""
    return _variance(spectrum), table_scale(spectrum.input_scale, spectrum.input_map)


def _variance(spectrum: Spectrum) -> Array:
    """(Q,) v²."""
    return np.exp(2 * spectrum.log_amplitude)


@dataclass(frozen=True)
class ClosedRows:
    """Rows and their weights as compiled code reads them at one spectrum: the same on the way to a Gram and back."""

    dof: Dof
    table: Table
    weight: Array  # (n,)
    components: tuple[Array, Array]  # v² and scales
    mapped: bool  # inputs are mixed, not scaled
    centred: bool

    def gram(self, n_jobs: int = 1, out: Array | None = None) -> Array:
        """As `closed_gram`; in the memory of `out`, where that is given."""
        n, (variance, scale) = len(self.weight), self.components
        K = np.empty((n, n)) if out is None else out
        fill = partial(loops.closed.gram_rows, self.table, np.sqrt(self.weight), self.dof, variance, scale)
        run_together([partial(fill, part, K) for part in _parts(n)], n_jobs)
        np.einsum("ii->i", K)[...] = variance.sum() * self.weight  # to the last bit
        return K.T

    def gram_pullback(self, inverse_kernel: Array, alpha: Array, n_jobs: int = 1) -> Spectrum:
        """As `closed_gram_pullback`."""
        targets, d = np.ascontiguousarray(alpha.T), self.table.n_inputs
        fields: dict[str, Any] = {}
        loop = loops.closed.mapped_gram_rows_pullback if self.mapped else loops.closed.gram_rows_pullback
        pull_back = partial(loop, self.table, np.sqrt(self.weight), self.dof, *self.components)
        tasks = [partial(pull_back, part, inverse_kernel.T, targets) for part in _parts(len(self.weight))]
        parts: Any = run_together(tasks, n_jobs)
        if self.mapped:
            total, moved = (sum(each) for each in zip(*parts, strict=True))
            fields["input_map"] = (moved @ self.table.rows[:, :d]).reshape(-1, d, d)
        else:
            total = sum(parts)
            fields["input_scale"] = total[:, 1 : 1 + d]
        if self.centred:
            fields["centre"] = total[:, -d:]
        return Spectrum(total[:, 0], **fields)


def closed_rows(spectrum: Spectrum, closed: ClosedForm, x: Array, weight: Array) -> ClosedRows:
    """Of rows x (n, d) with weights (n,)."""
    mapped, centred = spectrum.input_map is not None, spectrum.centre is not None
    return ClosedRows(closed.dof, rows_table(spectrum, x), weight, components(spectrum), mapped, centred)


def closed_gram(spectrum: Spectrum, closed: ClosedForm, x: Array, weight: Array, n_jobs: int = 1) -> Array:
    """Lower triangle of W^½ k(x, x) W^½ (n, n), in Fortran's order."""
    return closed_rows(spectrum, closed, x, weight).gram(n_jobs)


def closed_gram_full(spectrum: Spectrum, closed: ClosedForm, x: Array) -> Array:
    """k(x, x) (n, n)."""
    K = closed_gram(spectrum, closed, x, np.ones(len(x)))
    mirror(K)
    return K


def closed_gram_pullback(
    spectrum: Spectrum,
    closed: ClosedForm,
    rows: tuple[Array, Array],
    inverse_kernel: Array,
    alpha: Array,
    n_jobs: int = 1,
) -> Spectrum:
    """Derivatives by the spectrum, rows x (n, d) and their weights (n,), from 2 K_bar = W^½ (T K⁻¹ − ααᵀ) W^½.

    K⁻¹ (n, n) by its lower triangle in Fortran's order, α (n, T).
    """
    return closed_rows(spectrum, closed, *rows).gram_pullback(inverse_kernel, alpha, n_jobs)


def _parts(n: int) -> list[Part]:
    """Runs of rows with about the same number of pairs each: one for few rows."""
    if n < THREADED_ROWS:
        return [(0, n)]
    edges = n - n * np.sqrt(1 - np.arange(PARTS + 1) / PARTS)  # (n − i)² pairs are left from row i on
    whole = np.rint(edges).astype(int).tolist()
    return list(pairwise(whole))
