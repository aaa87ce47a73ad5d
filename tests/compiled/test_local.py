"""Small processes as compiled loops: their NumPy twins, and queries without company."""

from itertools import product

import numpy as np
import pytest

from alakarte.compiled import local, local_reference
from alakarte.compiled.layout import LocalBlock, LocalKernel

SIZES = [(1, 1, 1, 1), (3, 7, 2, 2), (2, 37, 5, 1)]  # queries, neighbours, inputs, targets


def problem(size, dof, centred):
    """A block with a query at one of its neighbours, and a kernel with a component for each of `dof`."""
    rng = np.random.default_rng([*size, *dof])
    (n_queries, k, d, n_targets), q = size, len(dof)
    x = rng.standard_normal((n_queries, k, d))
    query = rng.standard_normal((n_queries, d))
    query[0] = x[0, 0]
    y, noise = rng.standard_normal((n_queries, k, n_targets)), rng.uniform(0.1, 0.5, (n_queries, k))
    centre = rng.standard_normal((q, d)) if centred else np.empty((0, 0))
    kernel = LocalKernel(np.array(dof), rng.uniform(0.5, 2, q), rng.uniform(0.2, 2, (q, d)), centre)
    return LocalBlock(query, x, y, noise), kernel


CASES = list(product(SIZES, [(0,), (1,), (3,), (5,), (1, 3)], [False, True]))


@pytest.mark.parametrize(("size", "dof", "centred"), CASES, ids=str)
def test_moments_weights_and_pullbacks_agree_with_their_twins(size, dof, centred):
    block, kernel = problem(size, dof, centred)
    factors, mean, variance = local.moments(block, kernel)
    expected_mean, expected_variance = local_reference.moments(block, kernel)
    assert np.abs(mean - expected_mean).max() < 1e-12
    assert np.abs(variance - expected_variance).max() < 1e-12
    assert np.abs(local.neighbour_weights(factors) - local_reference.neighbour_weights(block, kernel)).max() < 1e-12
    rng = np.random.default_rng(0)
    bars = rng.standard_normal(mean.shape), rng.standard_normal(variance.shape)
    sums, log_noise_bar = local.moments_pullback(block, kernel, factors, *bars)
    expected_sums, expected_bar = local_reference.moments_pullback(block, kernel, *bars)
    assert np.abs(sums - expected_sums).max() < 1e-11 * max(1.0, np.abs(expected_sums).max())
    assert abs(log_noise_bar - expected_bar) < 1e-11 * max(1.0, abs(expected_bar))


def test_a_query_does_not_depend_on_its_company():
    block, kernel = problem((9, 21, 4, 2), (1, 3), True)
    _, mean, variance = local.moments(block, kernel)
    for part in (slice(0, 1), slice(3, 8), slice(8, 9)):
        _, alone, alone_variance = local.moments(LocalBlock(*(each[part] for each in block)), kernel)
        assert np.array_equal(alone, mean[part])
        assert np.array_equal(alone_variance, variance[part])


def moved(kernel, noise, direction, step):
    """Kernel and noise with log v, a, μ and log noise moved along a direction (Q, 1 + 2d) and a number."""
    sums, log_noise = direction
    d = kernel.scale.shape[1]
    variance = kernel.variance * np.exp(2 * step * sums[:, 0])
    scale = kernel.scale + step * sums[:, 1 : 1 + d]
    centre = kernel.centre + step * sums[:, 1 + d :] if len(kernel.centre) else kernel.centre
    return LocalKernel(kernel.dof, variance, scale, centre), noise * np.exp(step * log_noise)


@pytest.mark.parametrize("dof", [(0,), (1,), (3,), (5,), (1, 3)], ids=str)
def test_the_pullback_is_the_adjoint_of_the_derivative(dof):
    """⟨J δ, u⟩ = ⟨δ, Jᵀu⟩, J by central differences."""
    block, kernel = problem((3, 12, 3, 2), dof, True)
    rng = np.random.default_rng(1)
    direction = rng.standard_normal((len(dof), 7)), float(rng.standard_normal())
    ends, step = [], 1e-5
    for sign in (1, -1):
        other, noise = moved(kernel, block.noise, direction, sign * step)
        ends.append(local.moments(block._replace(noise=noise), other)[1:])
    factors, mean, variance = local.moments(block, kernel)
    bars = rng.standard_normal(mean.shape), rng.standard_normal(variance.shape)
    forward = sum(np.sum((a - b) / (2 * step) * bar) for a, b, bar in zip(*ends, bars, strict=True))
    sums, log_noise_bar = local.moments_pullback(block, kernel, factors, *bars)
    backward = np.sum(sums * direction[0]) + log_noise_bar * direction[1]
    assert abs(forward - backward) < 1e-7 * max(1.0, abs(backward))
