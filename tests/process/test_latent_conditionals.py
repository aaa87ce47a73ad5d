"""Rows given the sites of their neighbours: log probability by quadrature, slopes by Taylor, sites of rows apart."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte.kernels.mm import MaternMixture
from alakarte.likelihoods import NegativeBinomial, Poisson
from alakarte.parameters import Layout, constrained
from alakarte.posteriors.neighbours import Neighbours
from alakarte.process.conditionals import Conditionals, search_scale
from alakarte.process.latent_conditionals import (
    latent_conditional_moments,
    latent_conditional_nlml,
    sites_apart,
)
from alakarte.process.latent_space import KernelSpace
from alakarte.process.variational import Observations, infer
from process.test_conditionals import problem_of, table


def given_neighbours(likelihood, k=7):
    """A problem at a theta, rows with random sites, and what some of them say."""
    problem, theta = problem_of(MaternMixture(nu=0.5), 3)
    values = problem.layout.unpack(theta) | likelihood.start()
    of_likelihood = constrained(likelihood.parameters(), None, None, {}).parameters
    layout = Layout((*problem.layout.parameters[:-1], *of_likelihood))
    problem = replace(problem, likelihood=likelihood, layout=layout)
    x, y = table(n_targets=1)
    rng = np.random.default_rng(5)
    scale = search_scale(problem.kernel.spectrum(values, problem.draws))
    near, picked = Neighbours(x * scale, scale), np.arange(0, len(x), 3)
    local = Conditionals(near.points, scale, y, rng.uniform(0.2, 3, len(x)), picked, near.nearest_others(picked, k))
    said = Observations(rng.poisson(3.0, 20) * 1.0, rng.uniform(0, 1, 20), rng.uniform(0.5, 2, 20))
    return problem, local, said, layout.pack({p.name: values[p.name] for p in layout.parameters})


def test_the_value_is_that_of_predictive_densities():
    problem, local, said, theta = given_neighbours(NegativeBinomial())
    mean, variance = latent_conditional_moments(problem, local, theta)
    values = problem.layout.unpack(theta)
    densities = NegativeBinomial().log_predictive(values, said.y, mean + said.offset, variance)
    value, _ = latent_conditional_nlml(problem, local, said, theta)
    assert value == pytest.approx(-said.weight @ densities, rel=1e-6)


@pytest.mark.parametrize("likelihood", [NegativeBinomial(), Poisson()], ids=lambda likelihood: likelihood.name)
def test_the_remainder_of_the_gradient_falls_as_the_square_of_the_step(likelihood):
    problem, local, said, theta = given_neighbours(likelihood)
    value, gradient = latent_conditional_nlml(problem, local, said, theta)
    direction = np.random.default_rng(3).standard_normal(theta.size)
    remainder = [
        abs(latent_conditional_nlml(problem, local, said, theta + t * direction)[0] - value - t * gradient @ direction)
        for t in 0.02 * 0.5 ** np.arange(4)
    ]
    assert np.log2(np.array(remainder[:-1]) / remainder[1:]) == pytest.approx(np.full(3, 2.0), abs=0.2)


def test_sites_of_rows_apart_are_those_of_an_independent_process():
    rng = np.random.default_rng(0)
    mean, variance = rng.standard_normal(9), rng.uniform(0.1, 2, 9)
    said = Observations(rng.poisson(4.0, 9) * 1.0, rng.uniform(-1, 1, 9), np.ones(9))
    values = NegativeBinomial().start()
    observation, curvature = sites_apart(NegativeBinomial(), values, said, (mean, variance))
    moved = replace(said, offset=said.offset + mean)
    dense = infer(KernelSpace(np.diag(variance)), NegativeBinomial(), values, moved, tol=1e-10).sites
    assert curvature == pytest.approx(dense.curvature, rel=1e-4)
    assert observation - mean == pytest.approx(dense.linear / dense.curvature, abs=1e-4)
