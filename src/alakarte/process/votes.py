"""Classes of rows given their neighbours: votes, log probabilities, and their derivatives by kernel, noise and link.

In: `Conditionals` whose targets are labels (n, 1), a kernel of variance one in closed form, shares of the classes. Out:
−Σ ω log p of the rows and its gradient. With C = K + S of the neighbours of a row and k its kernel with them,

    w = C⁻¹k,   v = 1 − kᵀw,   m_c = π_c + Σ_i w_i (1[y_i = c] − π_c),   log p = link(m, v)

one factor and one solve serve all classes. Backward, z_i = Σ_c m̄_c (1[y_i = c] − π_c) is the target of one mean.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.compiled.layout import LocalBlock, LocalKernel
from alakarte.execution.threads import run_together
from alakarte.likelihoods.votes import Link, log_probability_pullback
from alakarte.process.conditionals import (
    Conditionals,
    local_kernel,
    local_kernel_pullback,
    local_noise_variance,
)
from alakarte.process.problem import Problem, closed_form
from alakarte.records import Array, Integers


class Voters(NamedTuple):
    """What neighbours say of some rows."""

    factors: Array  # (B, k, k + 2), as `local.moments` leaves them
    labels: Integers  # (B, k) of the neighbours
    votes: Array  # (B, K) m
    variance: Array  # (B,) v, a part of that of the kernel


def voters(block: LocalBlock, kernel: LocalKernel, shares: Array) -> Voters:
    """Votes of neighbours whose targets are their labels (B, k, 1)."""
    factors, _, variance = loops.local.moments(block, kernel)
    weights = loops.local.neighbour_weights(factors)
    labels = block.y[:, :, 0].astype(np.int64)
    n_rows, n_classes = len(labels), shares.size
    places = labels + n_classes * np.arange(n_rows)[:, None]
    sums = np.bincount(places.ravel(), weights.ravel(), n_rows * n_classes).reshape(n_rows, n_classes)
    votes = sums + (1 - weights.sum(axis=1))[:, None] * shares
    return Voters(factors, labels, votes, variance / kernel.variance.sum())


def voters_pullback(
    block: LocalBlock, kernel: LocalKernel, shares: Array, found: Voters, bars: tuple[Array, Array]
) -> tuple[Array, float]:
    """Sums (Q, 1 + 2d) by log v, a and μ of the kernel, and the derivative by log s, from those by votes and variance.

    Writes over the factors that were found.
    """
    votes_bar, variance_bar = bars
    z = np.take_along_axis(votes_bar, found.labels, axis=1) - (votes_bar @ shares)[:, None]
    loops.votes.whiten(found.factors, z)
    prior = kernel.variance.sum()
    sums, log_noise_bar = loops.local.moments_pullback(
        block, kernel, found.factors, np.ones((len(z), 1)), variance_bar / prior
    )
    sums[:, 0] -= 2 * kernel.variance / prior * float(variance_bar @ found.variance)
    return sums, log_noise_bar


def _kernel_and_noise(problem: Problem, local: Conditionals, theta: Array) -> tuple[LocalKernel, float]:
    values = problem.layout.unpack(theta)
    spectrum = problem.kernel.spectrum(values, problem.draws)
    kernel = local_kernel(spectrum, closed_form(problem.kernel, values), local.scale)
    return kernel, local_noise_variance(problem, theta, local.neighbours.shape[1])


def conditional_votes(problem: Problem, local: Conditionals, shares: Array, theta: Array) -> tuple[Array, Array]:
    """Votes (B, K) and variance (B,) of rows, given their neighbours."""
    kernel, noise_variance = _kernel_and_noise(problem, local, theta)

    def visit(start: int, stop: int) -> tuple[Array, Array]:
        found = voters(local.block(slice(start, stop), noise_variance), kernel, shares)
        return found.votes, found.variance

    parts = run_together([partial(visit, *edge) for edge in local.edges()], problem.n_jobs)
    votes, variance = zip(*parts, strict=True)
    return np.concatenate(votes), np.concatenate(variance)


def conditional_log_loss(problem: Problem, local: Conditionals, shares: Array, point: Array) -> tuple[float, Array]:
    """−Σ ω log p of the labels of rows given their neighbours, and its gradient; `point`: theta, then the link (3,)."""
    theta, link = point[:-3], Link(*point[-3:])
    kernel, noise_variance = _kernel_and_noise(problem, local, theta)
    labels, weight = local.own_targets[:, 0].astype(np.int64), local.own_weight

    def visit(start: int, stop: int) -> tuple[float, Array, float, Array]:
        part = slice(start, stop)
        block = local.block(part, noise_variance)
        found = voters(block, kernel, shares)
        observed = labels[part], weight[part]
        of_link = log_probability_pullback(found.votes, found.variance, link, shares, observed)
        sums, log_noise_bar = voters_pullback(block, kernel, shares, found, (of_link.votes, of_link.variance))
        return of_link.value, sums, log_noise_bar, of_link.link

    parts = run_together([partial(visit, *edge) for edge in local.edges()], problem.n_jobs)
    value, sums, log_noise_bar, link_bar = (np.sum(each, axis=0) for each in zip(*parts, strict=True))
    values = problem.layout.unpack(theta)
    spectrum = problem.kernel.spectrum(values, problem.draws)
    of_kernel = problem.kernel.pullback(values, problem.draws, local_kernel_pullback(spectrum, local.scale, sums))
    floored = noise_variance > problem.noise.noise_variance(values)
    of_noise = problem.noise.noise_pullback(0.0 if floored else float(log_noise_bar))
    return -float(value), -np.append(problem.layout.unpack_pullback(of_kernel | of_noise), link_bar)
