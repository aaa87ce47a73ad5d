"""Rows given their neighbours: mean and variance of each, any score of these, and its derivatives by the kernel.

In: points, targets and the neighbours of some rows (`Conditionals`), a kernel in closed form, a score. Out: sums of the
score and derivatives. `conditional_nlml` is the score of normal noise: −Σ ω_i log N(y_i; m_i, v_i + s) of rows given
their neighbours among all others [Vecchia; GPnn]. For another likelihood hand another score to `scored_conditionals`:
nothing else of this file knows normal noise, and nothing more is needed to start from it. Who the neighbours are is
decided elsewhere (posteriors/neighbours.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.compiled.layout import LocalBlock, LocalKernel
from alakarte.execution.threads import run_together
from alakarte.kernels.base import ClosedForm
from alakarte.process.problem import Problem, closed_form
from alakarte.process.weight_space import noise_floor
from alakarte.records import Array, Integers, Spectrum

_BLOCK_BYTES = 1e6  # of the factors of a block: they stay in the cache

# rows of a block, mean (B, T), variance (B,) → sums (any,), mean_bar (B, T), variance_bar (B,)
Score: TypeAlias = Callable[[slice, Array, Array], tuple[Array, Array, Array]]


@dataclass(frozen=True)
class Conditionals:
    """Rows `picked`, each with its neighbours among all n rows."""

    points: Array  # (n, d) inputs × scale
    scale: Array  # (d,)
    targets: Array  # (n, T)
    weight: Array | None  # (n,) None: ones
    picked: Integers  # (B,)
    neighbours: Integers  # (B, k)

    @property
    def size(self) -> int:
        """B."""
        return len(self.picked)

    @property
    def own_targets(self) -> Array:
        """(B, T)."""
        return self.targets[self.picked]

    @property
    def own_weight(self) -> Array:
        """(B,)."""
        return np.ones(self.size) if self.weight is None else self.weight[self.picked]

    def block(self, part: slice, noise_variance: float) -> LocalBlock:
        """Some of the rows with their neighbours; of a row among its own neighbours one copy is left out."""
        near, picked = self.neighbours[part], self.picked[part]
        weight = np.ones(near.shape) if self.weight is None else self.weight[near] - (near == picked[:, None])
        return LocalBlock(self.points[picked], self.points[near], self.targets[near], noise_variance / weight)

    def edges(self) -> list[tuple[int, int]]:
        """Where blocks begin and end, whatever the number of threads."""
        k = self.neighbours.shape[1]
        step = max(1, int(_BLOCK_BYTES / (8 * (k + 1) * (k + 1 + self.targets.shape[1]))))
        return list(pairwise([*range(0, self.size, step), self.size]))


def local_kernel(spectrum: Spectrum, closed: ClosedForm, scale: Array) -> LocalKernel:
    """The kernel as a function of points, which are inputs × scale (d,)."""
    Q = len(spectrum.log_amplitude)
    dof = np.full(Q, closed.dof, dtype=np.int64)
    centre = np.empty((0, 0)) if spectrum.centre is None else spectrum.centre / scale
    return LocalKernel(dof, np.exp(2 * spectrum.log_amplitude), spectrum.input_scale / scale, centre)


def local_kernel_pullback(spectrum: Spectrum, scale: Array, sums: Array) -> Spectrum:
    """Derivatives by the spectrum from sums (Q, 1 + 2d) by log v, a and μ of the points' kernel."""
    d = len(scale)
    centre_bar = None if spectrum.centre is None else sums[:, 1 + d :] / scale
    return Spectrum(sums[:, 0], sums[:, 1 : 1 + d] / scale, centre=centre_bar)


def search_scale(spectrum: Spectrum) -> Array:
    """(d,) the metric in which rows are near: a² = Σ v_q² a_q² / Σ v_q²."""
    share = np.exp(2 * (spectrum.log_amplitude - spectrum.log_amplitude.max()))
    scale: Array = np.sqrt(share @ spectrum.input_scale**2 / share.sum())
    return scale


def scored_conditionals(
    local: Conditionals, kernel: LocalKernel, noise_variance: float, score: Score, n_jobs: int = 1
) -> tuple[Array, Array, float]:
    """Sums of a score; its derivatives (Q, 1 + 2d) by the kernel, and by log s through the noise of neighbours."""

    def visit(start: int, stop: int) -> tuple[Array, Array, float]:
        part = slice(start, stop)
        block = local.block(part, noise_variance)
        factors, mean, variance = loops.local.moments(block, kernel)
        totals, mean_bar, variance_bar = score(part, mean, variance)
        return totals, *loops.local.moments_pullback(block, kernel, factors, mean_bar, variance_bar)

    parts = run_together([partial(visit, *edge) for edge in local.edges()], n_jobs)
    totals, sums, log_noise_bar = zip(*parts, strict=True)
    return np.sum(totals, axis=0), np.sum(sums, axis=0), float(np.sum(log_noise_bar))


def conditional_moments(
    local: Conditionals, kernel: LocalKernel, noise_variance: float, n_jobs: int = 1
) -> tuple[Array, Array]:
    """Mean (B, T) and variance (B,) of the latent function at the rows, given their neighbours."""

    def visit(start: int, stop: int) -> tuple[Array, Array]:
        block = local.block(slice(start, stop), noise_variance)
        _, mean, variance = loops.local.moments(block, kernel, keep=False)
        return mean, variance

    mean, variance = zip(*run_together([partial(visit, *edge) for edge in local.edges()], n_jobs), strict=True)
    return np.concatenate(mean), np.concatenate(variance)


def normal_score(y: Array, weight: Array, noise_variance: float) -> Score:
    """−Σ ω log N(y (B, T); m, v + s), and its derivative by log s through a row's own noise.

    A row of weight ω is ω rows, of which one is left out.
    """

    def score(part: slice, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        omega, total, apart = weight[part], variance + noise_variance, y[part] - mean
        squares = (apart**2).sum(axis=1)
        value = 0.5 * omega * (y.shape[1] * np.log(2 * np.pi * total) + squares / total)
        variance_bar = 0.5 * omega * (y.shape[1] / total - squares / total**2)
        mean_bar = -(omega / total)[:, None] * apart
        return np.array([value.sum(), noise_variance * variance_bar.sum()]), mean_bar, variance_bar

    return score


def local_noise_variance(problem: Problem, theta: Array, k: int) -> float:
    """s at theta, or the least that the rounding of k × k factors allows."""
    values = problem.layout.unpack(theta)
    spectrum = problem.kernel.spectrum(values, problem.draws)
    return max(problem.noise.noise_variance(values), noise_floor(k, float(k), spectrum.log_amplitude))


def conditional_nlml(problem: Problem, local: Conditionals, theta: Array) -> tuple[float, Array]:
    """−Σ ω log p of the rows given their neighbours, and its gradient by theta."""
    values = problem.layout.unpack(np.asarray(theta, dtype=float))
    spectrum = problem.kernel.spectrum(values, problem.draws)
    kernel = local_kernel(spectrum, closed_form(problem.kernel, values), local.scale)
    noise_variance = local_noise_variance(problem, theta, local.neighbours.shape[1])
    score = normal_score(local.own_targets, local.own_weight, noise_variance)
    totals, sums, log_noise_bar = scored_conditionals(local, kernel, noise_variance, score, problem.n_jobs)
    of_kernel = problem.kernel.pullback(values, problem.draws, local_kernel_pullback(spectrum, local.scale, sums))
    floored = noise_variance > problem.noise.noise_variance(values)
    of_noise = problem.noise.noise_pullback(0.0 if floored else log_noise_bar + float(totals[1]))
    return float(totals[0]), problem.layout.unpack_pullback(of_kernel | of_noise)
