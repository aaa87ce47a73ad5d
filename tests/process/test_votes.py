"""Classes of rows given their neighbours: the formulas of one row, Taylor remainders, threads and weights."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte.data.standardise import Scaling
from alakarte.features.draws import draw
from alakarte.kernels.gm import GaussianMixture
from alakarte.kernels.registry import resolve
from alakarte.likelihoods.gaussian import Gaussian
from alakarte.likelihoods.votes import Link, log_probability
from alakarte.posteriors.neighbours import Neighbours
from alakarte.process.closed_form import closed_gram_full
from alakarte.process.conditionals import Conditionals, search_scale
from alakarte.process.problem import Problem, closed_form
from alakarte.process.votes import conditional_log_loss, conditional_votes
from alakarte.records import UNUSED, Shape
from alakarte.search.set_up import parameter_layout

KERNELS = [*map(resolve, ("rbf", "matern12", "matern32")), GaussianMixture()]
LINK, SHARES = np.array([0.2, -3.0, -1.0]), np.array([0.5, 0.3, 0.2])


def problem_of(kernel, d=3):
    shape = Shape(d, (4, 4) if kernel.has_components else (8,))
    ones = np.ones(d)
    scaling = Scaling(0 * ones, ones, ones > 0, np.zeros(1), np.ones(1))
    layout = parameter_layout(kernel, Gaussian(), shape, scaling)
    problem = Problem(kernel, Gaussian(), layout, draw(shape, "fastfood", np.random.default_rng(0)), UNUSED)
    return problem, 0.3 * np.random.default_rng(1).standard_normal(layout.size)


def conditionals(problem, theta, weight=None, n=60, k=8):
    """Every third row of a table with three classes, and its neighbours."""
    rng = np.random.default_rng(2)
    x, labels = rng.standard_normal((n, 3)), rng.integers(0, 3, (n, 1)).astype(float)
    scale = search_scale(problem.kernel.spectrum(problem.layout.unpack(theta), problem.draws))
    near, picked = Neighbours(x * scale, scale), np.arange(0, n, 3)
    return Conditionals(near.points, scale, labels, weight, picked, near.nearest_others(picked, k, weight))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_the_value_is_that_of_the_formulas(kernel):
    problem, theta = problem_of(kernel)
    local, values = conditionals(problem, theta), problem.layout.unpack(theta)
    x = local.points / local.scale
    K = closed_gram_full(kernel.spectrum(values, problem.draws), closed_form(kernel, values), x)
    one_hot, expected = np.eye(3)[local.targets[:, 0].astype(int)], 0.0
    for row, near in zip(local.picked, local.neighbours, strict=True):
        C = K[np.ix_(near, near)] + Gaussian().noise_variance(values) * np.eye(len(near))
        w = np.linalg.solve(C, K[near, row])
        m = SHARES + w @ (one_hot[near] - SHARES)
        v = 1 - w @ K[near, row] / K[row, row]
        log_p = log_probability(m[None], np.array([v]), Link(*LINK), SHARES)
        expected -= log_p[0] @ one_hot[row]
    value, _ = conditional_log_loss(problem, local, SHARES, np.append(theta, LINK))
    assert value == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_the_remainder_of_the_gradient_is_of_second_order(kernel):
    problem, theta = problem_of(kernel)
    weight = np.random.default_rng(3).uniform(0.5, 1.0, 60)
    local, point = conditionals(problem, theta, weight), np.append(theta, LINK)
    value, gradient = conditional_log_loss(problem, local, SHARES, point)
    direction = np.random.default_rng(4).standard_normal(point.size)
    steps = 1e-2 * 0.5 ** np.arange(5)
    remainder = [
        abs(conditional_log_loss(problem, local, SHARES, point + h * direction)[0] - value - h * gradient @ direction)
        for h in steps
    ]
    assert np.polyfit(np.log(steps), np.log(remainder), 1)[0] > 1.9


def test_threads_change_no_bits():
    problem, theta = problem_of(resolve("matern12"))
    local, point = conditionals(problem, theta, n=900, k=30), np.append(theta, LINK)
    assert len(local.edges()) > 1
    one, two = (conditional_log_loss(problem.with_jobs(jobs), local, SHARES, point) for jobs in (1, 2))
    assert one[0] == two[0]
    assert np.array_equal(one[1], two[1])


def test_a_weight_of_two_is_the_row_given_twice():
    problem, theta = problem_of(resolve("matern12"))
    local = conditionals(problem, theta, k=59)
    weight = np.ones(60)
    weight[7] = 2.0
    twice = Conditionals(
        np.vstack([local.points, local.points[7]]),
        local.scale,
        np.vstack([local.targets, local.targets[7]]),
        None,
        local.picked,
        np.column_stack([local.neighbours, np.full(local.size, 60)]),
    )
    weighted, doubled = (
        conditional_votes(problem, each, SHARES, theta) for each in (replace(local, weight=weight), twice)
    )
    assert weighted[0] == pytest.approx(doubled[0], rel=1e-9, abs=1e-12)
    assert weighted[1] == pytest.approx(doubled[1], rel=1e-9)
