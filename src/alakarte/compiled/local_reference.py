"""NumPy twins of the loops of `local.py` and `boxes.py`, and the oracle of their tests: what the formulas say.

In and out as there; factors are left out, since a twin makes them again where it needs them.
"""

import numpy as np

from alakarte.compiled.layout import LocalBlock, LocalKernel
from alakarte.compiled.reference import profile
from alakarte.records import Array


def kernel_matrix(x: Array, other: Array, kernel: LocalKernel) -> Array:
    """k(x, other) (rows, rows')."""
    total = np.zeros((len(x), len(other)))
    tau = x[:, None, :] - other[None, :, :]
    for q, variance in enumerate(kernel.variance):
        value = profile(((tau * kernel.scale[q]) ** 2).sum(axis=2), int(kernel.dof[q]))[0]
        total += variance * value * (np.cos(tau @ kernel.centre[q]) if len(kernel.centre) else 1.0)
    return total


def _solved(block: LocalBlock, kernel: LocalKernel, b: int) -> tuple[Array, Array, Array]:
    """k (k,), w = C⁻¹k (k,) and C⁻¹y (k, T) of one query."""
    C = kernel_matrix(block.x[b], block.x[b], kernel) + np.diag(block.noise[b])
    k = kernel_matrix(block.query[b : b + 1], block.x[b], kernel)[0]
    return k, np.linalg.solve(C, k), np.linalg.solve(C, block.y[b])


def moments(block: LocalBlock, kernel: LocalKernel) -> tuple[Array, Array]:
    """Mean (B, T) = kᵀC⁻¹y and variance (B,) = k₀ − kᵀC⁻¹k."""
    mean, variance = [], []
    for b in range(len(block.query)):
        k, w, alpha = _solved(block, kernel, b)
        mean.append(k @ alpha)
        variance.append(kernel.variance.sum() - k @ w)
    return np.array(mean), np.array(variance)


def moments_pullback(
    block: LocalBlock, kernel: LocalKernel, mean_bar: Array, variance_bar: Array
) -> tuple[Array, float]:
    """Sums (Q, 1 + 2d) by log v, a and μ, and the derivative by the logarithm of all noise variances together.

    β = Σ_t m̄_t C⁻¹y_t, k̄ = β − 2 v̄ w, C̄ = v̄ wwᵀ − ½(wβᵀ + βwᵀ).
    """
    d = block.x.shape[2]
    sums, log_noise_bar = np.zeros((len(kernel.variance), 1 + 2 * d)), 0.0
    for b, v_bar in enumerate(variance_bar):
        _, w, alpha = _solved(block, kernel, b)
        beta = alpha @ mean_bar[b]
        C_bar = v_bar * np.outer(w, w) - 0.5 * (np.outer(w, beta) + np.outer(beta, w))
        points = np.vstack([block.query[b], block.x[b]])
        bar = np.zeros((len(points), len(points)))
        bar[0, 0], bar[0, 1:], bar[1:, 1:] = v_bar, beta - 2 * v_bar * w, C_bar
        log_noise_bar += float(C_bar.diagonal() @ block.noise[b])
        sums += _kernel_pullback(points, kernel, bar)
    return sums, log_noise_bar


def _kernel_pullback(points: Array, kernel: LocalKernel, bar: Array) -> Array:
    """Derivatives (Q, 1 + 2d) of Σ bar ∘ k(points, points) by log v, a and μ."""
    d = points.shape[1]
    tau = points[:, None, :] - points[None, :, :]
    sums = np.zeros((len(kernel.variance), 1 + 2 * d))
    for q, variance in enumerate(kernel.variance):
        value, slope = profile(((tau * kernel.scale[q]) ** 2).sum(axis=2), int(kernel.dof[q]))
        angle = tau @ kernel.centre[q] if len(kernel.centre) else np.zeros_like(value)
        sums[q, 0] = 2 * variance * np.sum(bar * value * np.cos(angle))
        weight = variance * bar * slope * np.cos(angle)
        sums[q, 1 : 1 + d] = 2 * kernel.scale[q] * np.einsum("ij,ijk->k", weight, tau**2)
        sums[q, 1 + d :] = -variance * np.einsum("ij,ijk->k", bar * value * np.sin(angle), tau)
    return sums


def neighbour_weights(block: LocalBlock, kernel: LocalKernel) -> Array:
    """C⁻¹k (B, k)."""
    return np.array([_solved(block, kernel, b)[1] for b in range(len(block.query))])


def whiten(factors: Array, z: Array) -> Array:
    """U⁻ᵀz (B, k), what `votes.whiten` writes over the last column of the factors."""
    k = z.shape[1]
    return np.array([np.linalg.solve(np.triu(U[:, :k]).T, right) for U, right in zip(factors, z, strict=True)])


def nearness(x: Array, corners: tuple[Array, Array], weight: Array, scale: Array, dof: Array) -> Array:
    """Twin of `boxes.py`: Σ_b n_b g(‖a∘gap_b‖²)² (rows, Q), infinite within a box."""
    low, high = corners
    gap = np.maximum(np.maximum(low - x[:, None], x[:, None] - high), 0)  # (rows, B, d)
    r2 = ((gap[:, :, None] * scale) ** 2).sum(axis=3)
    columns = [profile(r2[:, :, q], int(each))[0] ** 2 @ weight for q, each in enumerate(dof)]
    near = np.stack(columns, axis=1)
    near[(gap == 0).all(axis=2).any(axis=1)] = np.inf
    return near
