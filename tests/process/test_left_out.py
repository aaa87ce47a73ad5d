"""Each row by all others: exact for given sites, near to a fit without the row, one unit of a row's weight."""

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.likelihoods.bernoulli import Bernoulli
from alakarte.process.computation import Computation
from alakarte.process.latent_objective import latent_evidence
from alakarte.process.latent_space import KernelSpace
from alakarte.process.left_out import left_out_log_density, left_out_of, without_each
from alakarte.process.sites import Sites
from alakarte.process.variational import Observations, infer
from latent_problems import latent_problem_of


def spread_rows(n, d=2):
    return np.random.default_rng(3).standard_normal((n, d))


def kernel_of(x):
    squares = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    return 4 * np.exp(-0.5 * squares)


def test_without_a_site_is_the_function_of_all_other_sites():
    x, rng = spread_rows(12), np.random.default_rng(4)
    sites = Sites(rng.uniform(0.1, 2, 12), rng.standard_normal(12))
    kernel = kernel_of(x)
    state = KernelSpace(kernel).solve(sites)
    mean, variance = without_each(state.mean, state.variance, sites, np.full(12, 0.5))
    for i in range(12):
        others = np.arange(12) != i
        noisy = kernel[np.ix_(others, others)] + np.diag(1 / sites.curvature[others])
        weights = np.linalg.solve(noisy, kernel[others, i])
        assert mean[i] == pytest.approx(weights @ (sites.linear / sites.curvature)[others], abs=1e-9)
        assert variance[i] == pytest.approx(kernel[i, i] - weights @ kernel[others, i], abs=1e-9)


def test_a_row_of_weight_two_is_left_out_once():
    x, labels = spread_rows(10), np.arange(10) % 2
    twice = np.append(np.arange(10), 0)
    sites_twice = _found(x[twice], labels[twice], np.ones(11))
    sites_weight = _found(x, labels, np.where(np.arange(10) == 0, 2.0, 1.0))
    assert sites_weight == pytest.approx(sites_twice[:10], abs=1e-5)


def test_moments_of_rows_tell_them_left_out_as_their_sites_do():
    x, labels = spread_rows(10), (np.arange(10) % 2).astype(float)
    data = Observations(labels, np.full(10, 0.3), np.ones(10))
    found = infer(KernelSpace(kernel_of(x)), Bernoulli(), {}, data, tol=1e-12)
    moments = found.state.mean, found.state.variance
    mean, variance = left_out_of(Bernoulli(), {}, data, moments)
    expected = without_each(*moments, found.sites, data.weight)
    assert mean == pytest.approx(expected[0] + 0.3, abs=1e-4)
    assert variance == pytest.approx(expected[1], rel=1e-4)


def _found(x, labels, weight):
    space, data = KernelSpace(kernel_of(x)), Observations(labels.astype(float), np.zeros(len(x)), weight)
    found = infer(space, Bernoulli(), {}, data, tol=1e-10)
    return without_each(found.state.mean, found.state.variance, found.sites, weight)[0]


@pytest.mark.parametrize("name", ["bernoulli", "poisson", "negative_binomial", "student_t"])
def test_log_densities_are_near_those_of_fits_without_each_row(name):
    problem, theta = latent_problem_of(name, "ard", Computation.CLOSED, 4)
    block = problem.rows.whole()
    problem = problem.on(ArrayRows(block.x, block.y, np.ones(len(block.y))))
    near = left_out_log_density(latent_evidence(problem, theta, "variational", gradient=False, tol=1e-9))
    exact = [_refitted(problem, theta, i) for i in range(0, len(block.y), 3)]
    assert near[::3] == pytest.approx(np.array(exact), abs=0.05)


def _refitted(problem, theta, i):
    """The log density of row i from a fit without it; the row joins with a weight that says nothing."""
    block = problem.rows.whole()
    weight = np.ones(len(block.y))
    weight[i] = 1e-12
    without = problem.on(ArrayRows(block.x, block.y, weight))
    found = latent_evidence(without, theta, "variational", gradient=False, tol=1e-9)
    return left_out_log_density(found)[i]
