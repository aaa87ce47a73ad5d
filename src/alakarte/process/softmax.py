"""The mode of the posterior of several classes, by Newton's method with conjugate gradients inside.

    maximise  Σ ω log softmax(base + Ψ U)_y − ½ ridge ‖U‖²   over U (D, K);   Hessian v ↦ ridge v + Ψᵀ hv(P, Ψ v)

In: Ψ, labels, weights. Out: `SoftmaxMode`, with the number of passes over Ψ. The preconditioner has a block for each
class, ridge·I + ΨᵀΛ_kΨ with λ_k = p_k(1 − p_k), from some of the rows, in proportion; classes share blocks where their
blocks would take too much memory.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.execution.steps import Steps
from alakarte.likelihoods.categorical import curvature_times, log_softmax_at, slopes, softmax
from alakarte.linalg.factorise import cholesky, solve
from alakarte.process.design_matrix import DesignMatrix, weighted_gram
from alakarte.records import Array, Integers

MAX_NEWTON = 40
MAX_GRADIENTS = 60  # of conjugate gradients in one Newton step
BLOCK_BYTES = 4e8  # of all blocks of a preconditioner
BLOCK_PASSES = 10  # that all blocks together may cost
ROWS_PER_COLUMN = 4  # from which a block is estimated
REBUILT = (0, 2, 5, 10)  # Newton steps before which the preconditioner is made anew
FORCING = 0.3  # part of the squared residual that a Newton step may leave
HALVINGS = 30


@dataclass(frozen=True)
class Labels:
    """What the rows say."""

    y: Integers  # (n,) 0 … K − 1
    base: Array  # (K,) or (n, K), added to the latent functions
    weight: Array  # (n,)

    @property
    def n_classes(self) -> int:
        """K."""
        return int(self.base.shape[-1])

    def some(self, picked: Integers) -> "Labels":
        """Of some rows."""
        base = self.base if self.base.ndim == 1 else self.base[picked]
        return Labels(self.y[picked], base, self.weight[picked])


@dataclass(frozen=True)
class SoftmaxMode:
    """The mode that was found."""

    weights: Array  # (D, K) U
    latent: Array  # (n, K) Ψ U
    log_likelihood: float  # Σ ω log p
    objective: float
    n_passes: int  # products with Ψ or Ψᵀ
    converged: bool


def softmax_mode(
    design: DesignMatrix,
    labels: Labels,
    ridge: float = 1.0,
    start: Array | None = None,
    tol: float = 1e-4,
    steps: Steps | None = None,
) -> SoftmaxMode:
    """The mode; `tol`: nats per unit of weight that a further Newton step may promise. `start` is an earlier U."""
    return _Newton(design, labels, ridge, tol).run(start, steps or Steps())


class _Newton:
    """One search for a mode."""

    def __init__(self, design: DesignMatrix, labels: Labels, ridge: float, tol: float):
        self.design, self.labels, self.ridge = design, labels, ridge
        self.tol = tol * float(labels.weight.sum())
        self.n_passes = 0

    def run(self, start: Array | None, steps: Steps) -> SoftmaxMode:
        first, weights, latent, at_blocks = self._begun(start, steps.recall())
        value, converged = self._objective(weights, latent), False
        blocks = None if first == 0 else self._blocks(softmax(at_blocks + self.labels.base))
        for step in range(first, MAX_NEWTON):
            p = softmax(latent + self.labels.base)
            with steps.step():
                gradient = self._transposed(slopes(p, self.labels.y, self.labels.weight)) - self.ridge * weights
            if step in REBUILT or blocks is None:
                blocks, at_blocks = self._blocks(p), latent
            inner = steps.part(step)
            direction, promised = self._conjugate_gradients(p, gradient, blocks, inner)
            if promised < self.tol:
                converged = True
                break
            with steps.step():
                along = self._times(direction)
            moved = self._line_search(weights, latent, value, direction, along)
            if moved is None:
                converged = promised < 100 * self.tol  # in rounding
                break
            weights, latent, value = moved
            steps.ended(weights, latent, at_blocks, np.array([step + 1, self.n_passes]))
            inner.forget()
        log_likelihood = value + 0.5 * self.ridge * float(np.sum(weights**2))
        return SoftmaxMode(weights, latent, log_likelihood, value, self.n_passes, converged)

    def _begun(self, start: Array | None, known: list[Array] | None) -> tuple[int, Array, Array, Array]:
        """The number of the first step, U, Ψ U there, and Ψ U for which there are blocks."""
        if known is not None:  # from before a crash
            weights, latent, at_blocks, (step, n_passes) = known
            self.n_passes = int(n_passes)
            return int(step), weights, latent, at_blocks
        D, K = self.design.n_columns, self.labels.n_classes
        weights = np.zeros((D, K)) if start is None else start
        latent = np.zeros((self.design.n_rows, K)) if start is None else self._times(weights)
        return 0, weights, latent, latent

    def _blocks(self, p: Array) -> "Blocks":
        return preconditioner(self.design, p, self.labels.weight, self.ridge)

    def _times(self, weights: Array) -> Array:
        self.n_passes += 1
        return self.design.times(weights)

    def _transposed(self, values: Array) -> Array:
        self.n_passes += 1
        return self.design.transposed_times(values)

    def _objective(self, weights: Array, latent: Array) -> float:
        log_p = log_softmax_at(latent + self.labels.base, self.labels.y)
        return float(self.labels.weight @ log_p) - 0.5 * self.ridge * float(np.sum(weights**2))

    def _hessian_times(self, p: Array, direction: Array) -> Array:
        curved = curvature_times(p, self._times(direction), self.labels.weight)
        return self.ridge * direction + self._transposed(curved)

    def _conjugate_gradients(self, p: Array, gradient: Array, blocks: "Blocks", steps: Steps) -> tuple[Array, float]:
        """An approximate Newton step (D, K), and the nats that it promises."""
        direction = np.zeros_like(gradient)
        residual = gradient.copy()
        z = blocks.solve(residual)
        search, rz = z.copy(), float(np.sum(residual * z))
        first, n_done, known = rz, 0, steps.recall()
        if known is not None:  # from before a crash
            direction, residual, search, (rz, n_done, n_passes) = *known[:3], known[3].tolist()
            self.n_passes = int(n_passes)
        for n_steps in range(int(n_done) + 1, MAX_GRADIENTS + 1):
            if rz <= FORCING * first or (n_steps > 1 and first < 2 * self.tol):
                break
            with steps.step():
                curved = self._hessian_times(p, search)
            length = rz / float(np.sum(search * curved))
            direction += length * search
            residual -= length * curved
            z = blocks.solve(residual)
            before, rz = rz, float(np.sum(residual * z))
            search = z + rz / before * search
            steps.ended(direction, residual, search, np.array([rz, n_steps, self.n_passes]))
        return direction, 0.5 * float(np.sum(gradient * direction))

    def _line_search(
        self, weights: Array, latent: Array, value: float, direction: Array, along: Array
    ) -> tuple[Array, Array, float] | None:
        """The first of shorter and shorter steps that raises the objective; products with Ψ are not needed."""
        step, slack = 1.0, 2e-6 * abs(value) if along.dtype == np.float32 else 1e-12 * abs(value)
        for _ in range(HALVINGS):
            moved, shifted = weights + step * direction, latent + step * along
            higher = self._objective(moved, shifted)
            if higher >= value - slack:
                return moved, shifted, higher
            step /= 2
        return None


@dataclass(frozen=True)
class Blocks:
    """Cholesky factors of blocks of the Hessian, and which of them each class uses."""

    factors: list[Array]
    of_class: Integers  # (K,)

    def solve(self, right: Array) -> Array:
        """Blocks⁻¹ right (D, K)."""
        out = np.empty_like(right)
        for index, factor in enumerate(self.factors):
            mine = self.of_class == index
            out[:, mine] = solve(factor, right[:, mine])
        return out


def preconditioner(design: DesignMatrix, p: Array, weight: Array, ridge: float) -> Blocks:
    """Blocks of the Hessian at probabilities p (n, K)."""
    n, K, D = len(p), p.shape[1], design.n_columns
    n_some = min(n, ROWS_PER_COLUMN * D)
    by_cost = BLOCK_PASSES * 2 * n * D * K / (n_some * D**2 + D**3 / 3)
    n_blocks = int(np.clip(min(by_cost, BLOCK_BYTES / (8 * D * D)), 1, K))
    picked = np.linspace(0, n - 1, n_some).astype(np.int64)
    psi, part = design.some(picked), p[picked]
    curvature = part * (1 - part) * weight[picked, None] * (n / n_some)
    order = np.argsort(curvature.sum(axis=0), kind="stable")
    of_class = np.empty(K, dtype=np.int64)
    of_class[order] = np.arange(K) * n_blocks // K  # classes of like curvature share a block
    factors = []
    for index in range(n_blocks):
        block = weighted_gram(psi, curvature[:, of_class == index].mean(axis=1))
        block.flat[:: D + 1] += ridge
        factors.append(cholesky(block))
    return Blocks(factors, of_class)
