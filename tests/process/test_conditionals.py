"""Rows given their neighbours: the dense process, derivatives by Taylor, threads and weights."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from alakarte.data.standardise import Scaling
from alakarte.features.draws import draw
from alakarte.kernels.gm import GaussianMixture
from alakarte.kernels.mm import MaternMixture
from alakarte.kernels.registry import resolve
from alakarte.likelihoods.gaussian import Gaussian
from alakarte.posteriors.neighbours import Neighbours
from alakarte.process.closed_form import closed_gram_full
from alakarte.process.conditionals import Conditionals, conditional_nlml, search_scale
from alakarte.process.problem import Problem, closed_form
from alakarte.records import UNUSED, Shape
from alakarte.search.set_up import parameter_layout

KERNELS = [*map(resolve, ("rbf", "ard", "matern12", "matern32", "matern52")), GaussianMixture(), MaternMixture(nu=0.5)]


def problem_of(kernel, d):
    shape = Shape(d, (4, 4) if kernel.has_components else (8,))
    ones = np.ones(d)
    scaling = Scaling(0 * ones, ones, ones > 0, np.zeros(1), np.ones(1))
    layout = parameter_layout(kernel, Gaussian(), shape, scaling)
    draws = draw(shape, "fastfood", np.random.default_rng(0))
    problem = Problem(kernel, Gaussian(), layout, draws, UNUSED)
    return problem, 0.3 * np.random.default_rng(1).standard_normal(layout.size)


def table(n=60, d=3, n_targets=2):
    rng = np.random.default_rng(2)
    return rng.standard_normal((n, d)), rng.standard_normal((n, n_targets))


def conditionals(problem, theta, x, y, k=8, weight=None):
    spectrum = problem.kernel.spectrum(problem.layout.unpack(theta), problem.draws)
    scale = search_scale(spectrum)
    near, picked = Neighbours(x * scale, scale), np.arange(0, len(x), 3)
    return Conditionals(near.points, scale, y, weight, picked, near.nearest_others(picked, k, weight))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.name}{kernel.get_params().get('nu', '')}")
def test_the_value_is_that_of_dense_conditionals(kernel):
    """Σ log p(y_i, y_N) − log p(y_N), from joint normal densities."""
    x, y = table()
    problem, theta = problem_of(kernel, x.shape[1])
    local, values = conditionals(problem, theta, x, y), problem.layout.unpack(theta)
    K = closed_gram_full(kernel.spectrum(values, problem.draws), closed_form(kernel, values), x)
    K += Gaussian().noise_variance(values) * np.eye(len(x))
    expected = 0.0
    for row, near in zip(local.picked, local.neighbours, strict=True):
        for sign, rows in ((1, np.append(near, row)), (-1, near)):
            density = multivariate_normal(np.zeros(len(rows)), K[np.ix_(rows, rows)])
            expected -= sign * sum(density.logpdf(target) for target in y[rows].T)
    assert conditional_nlml(problem, local, theta)[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.name}{kernel.get_params().get('nu', '')}")
def test_the_remainder_of_the_gradient_falls_as_the_square_of_the_step(kernel):
    x, y = table()
    problem, theta = problem_of(kernel, x.shape[1])
    local = conditionals(problem, theta, x, y)
    value, gradient = conditional_nlml(problem, local, theta)
    direction = np.random.default_rng(3).standard_normal(theta.size)
    steps = 0.02 * 0.5 ** np.arange(4)
    remainder = [
        abs(conditional_nlml(problem, local, theta + step * direction)[0] - value - step * gradient @ direction)
        for step in steps
    ]
    order = np.log2(np.array(remainder[:-1]) / remainder[1:])
    assert (order > 1.85).all(), order


def test_bits_do_not_depend_on_threads():
    x, y = table(400)
    problem, theta = problem_of(resolve("matern12"), 3)
    local = conditionals(problem, theta, x, y, k=90)
    assert len(local.edges()) > 1
    one, two = (conditional_nlml(problem.with_jobs(n), local, theta) for n in (1, 2))
    assert one[0] == two[0]
    assert np.array_equal(one[1], two[1])


def test_a_weight_of_two_is_the_row_given_twice():
    x, y = table(30)
    problem, theta = problem_of(resolve("matern32"), 3)
    weight = np.where(np.arange(30) % 2, 2.0, 1.0)
    once = conditionals(problem, theta, x, y, k=29, weight=weight)
    twice = np.repeat(np.arange(30), weight.astype(int))
    given = conditionals(problem, theta, x[twice], y[twice], k=len(twice) - 1)
    picked = np.flatnonzero(np.isin(twice, once.picked))
    near = Neighbours(given.points, given.scale)
    given = replace(given, picked=picked, neighbours=near.nearest_others(picked, len(twice) - 1))
    value, gradient = conditional_nlml(problem, given, theta)
    weighted = [
        conditional_nlml(problem, replace(once, picked=once.picked[i : i + 1], neighbours=_all_but(once, i)), theta)
        for i in range(once.size)
    ]
    assert sum(each[0] for each in weighted) == pytest.approx(value, rel=1e-10)
    assert np.allclose(sum(each[1] for each in weighted), gradient, rtol=1e-8)


def _all_but(local, i):
    """All rows as neighbours of row i of weight two, all others for one of weight one."""
    row = local.picked[i]
    keep = np.arange(len(local.points))
    return (keep if local.weight[row] > 1 else np.delete(keep, row))[None, :]
