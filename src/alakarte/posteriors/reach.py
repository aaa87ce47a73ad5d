"""How far rows reach: what a finite sum of waves must not say of places that are far from all of them.

A sum of waves nearly repeats itself, so that it tells of far places as if rows were there. No rows can: n of them, with
noise s, at places where the kernel k_q of a component is small, leave of its variance v_q² at least

    v_q² h_q(x),   h_q = max(0, 1 − v² Σ_i g_q(r_i)²/s),   v² = Σ_q v_q²,   r_i = ‖a_q∘(x − x_i)‖,

since k(x, X) (K + s)⁻¹ k(X, x) ≤ ‖k(x, X)‖²/s. So a component is taken to be √(1 − h_q) φ_qᵀw + √h_q φ_qᵀw', where
w' has the prior of w and no row has told of it: the same process at all rows, whose sums do not change, and the prior
far from them. Boxes stand for rows: r is the distance to the nearest place of a box.

In: a process and its rows. Out: `Reach`, h for any queries. Knows no posterior.
"""

from dataclasses import dataclass, replace

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.data.boxes import Boxes, boxes_of
from alakarte.data.rows import Rows
from alakarte.process.problem import Process, closed_form
from alakarte.records import Array, Integers, Spectrum


@dataclass(frozen=True)
class Reach:
    """What is out of reach of rows."""

    boxes: Boxes
    scale: Array  # (Q, d) a
    dof: Integers  # (Q,) 2ν of the profile g
    per_row: float  # v²/s, at least one

    @property
    def weight(self) -> Array:
        """(B,) of the rows in each box, at least one: what holds a row is known, however little it weighs."""
        return np.maximum(self.boxes.weight, 1.0)

    def unknown(self, x: Array) -> Array:
        """(rows, Q) h; zero at every row."""
        boxes = self.boxes.low, self.boxes.high
        near = loops.boxes.nearness(x, boxes, self.weight, self.scale, self.dof)
        return np.asarray(np.maximum(1 - self.per_row * near, 0.0))


def reach_of(process: Process) -> Reach | None:
    """Of a process by features on its rows; None where frequencies are parameters, or the kernel has no closed form."""
    kernel = process.problem.kernel
    if kernel.learns_frequencies or not kernel.has_closed_form:
        return None
    scale = _least_scale(process.spectrum)
    dof = np.broadcast_to(closed_form(kernel, process.values).dof, len(scale)).astype(np.int64)
    variance = float(np.exp(2 * process.spectrum.log_amplitude).sum())
    per_row = max(variance / process.noise_variance, 1.0)
    return Reach(boxes_of(process.problem.rows, _finest(scale)), scale, dof, per_row)


def reach_after(reach: Reach | None, rows: Rows, sign: int) -> Reach | None:
    """The same after rows have joined (sign 1) or left (−1)."""
    if reach is None:
        return None
    if sign < 0:
        return replace(reach, boxes=reach.boxes.without(rows))
    return replace(reach, boxes=reach.boxes.and_more(boxes_of(rows, _finest(reach.scale))))


def _least_scale(spectrum: Spectrum) -> Array:
    """(Q, d) a with ‖a∘τ‖ ≤ ‖Aτ‖."""
    if spectrum.input_map is None:
        return spectrum.input_scale
    columns = np.linalg.norm(spectrum.input_map, axis=1)  # (Q, d)
    least = np.linalg.svd(spectrum.input_map / columns[:, None, :], compute_uv=False)[:, -1:]
    return np.asarray(least * columns)


def _finest(scale: Array) -> Array:
    """(d,) the shortest length-scale along each input."""
    return np.asarray(1 / np.maximum(scale.max(axis=0), 1e-12))
