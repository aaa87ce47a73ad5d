"""Normal noise: its parameters, its predictive distribution, and what every likelihood must bring."""

import numpy as np
import pytest
from scipy.stats import norm

from alakarte.likelihoods import Gaussian
from alakarte.likelihoods.registry import likelihoods
from alakarte.parameters import Layout
from problems import naming


def every_likelihood():
    return [kind() for kind in likelihoods().values() if kind.is_exact]


def test_likelihoods_are_found_by_name():
    assert likelihoods()["gaussian"] is Gaussian


def test_the_start_lies_within_the_bounds():
    for likelihood in every_likelihood():
        with naming(likelihood.name):
            layout = Layout(likelihood.parameters())
            start = layout.pack(likelihood.start())
            lower, upper = layout.bounds()
            assert (lower < start).all()
            assert (start < upper).all()


def test_held_down_is_below_the_upper_bound_and_above_the_start():
    for likelihood in every_likelihood():
        with naming(likelihood.name):
            layout = Layout(likelihood.parameters())
            upper = layout.unpack(layout.bounds()[1])
            for name, held in likelihood.held_down(upper).items():
                assert likelihood.start()[name] < held < upper[name]


def test_derivatives_by_the_parameters_are_those_of_the_variance():
    for likelihood in every_likelihood():
        with naming(likelihood.name):
            layout, h = Layout(likelihood.parameters()), 1e-6
            theta = layout.pack(likelihood.start())
            log_variance = lambda at, by=likelihood, to=layout: np.log(by.noise_variance(to.unpack(at)))  # noqa: E731
            slope = [(log_variance(theta + h * e) - log_variance(theta - h * e)) / (2 * h) for e in np.eye(theta.size)]
            assert layout.pack(likelihood.noise_pullback(1.0)) == pytest.approx(slope, rel=1e-8)


def test_a_variance_that_is_set_is_read_again():
    for likelihood in every_likelihood():
        with naming(likelihood.name):
            values = likelihood.with_noise_variance(likelihood.start() | {"other": np.ones(2)}, 0.04)
            assert likelihood.noise_variance(values) == pytest.approx(0.04)
            assert values["other"].tolist() == [1, 1]


def test_the_predictive_distribution_is_normal():
    latent_variance = np.array([0.5, 2.0])
    std = Gaussian().std(latent_variance, 0.25)
    assert std == pytest.approx(np.sqrt(latent_variance + 0.25))
    y, mean = np.array([0.3, 1.0]), np.array([1.0, -2.0])
    assert Gaussian().log_density(y, mean, std) == pytest.approx(norm.logpdf(y, mean, std))


def test_noise_that_was_given_is_fixed():
    assert Gaussian().fixed() == {}
    assert Gaussian(0.3).fixed() == {"noise_std": 0.3}
    rng = np.random.default_rng(0)
    y = rng.standard_normal((50, 2)) * [2.0, 30.0] + [5.0, -1.0]
    centre, scale = Gaussian().scaling(y, None)
    assert centre == pytest.approx(y.mean(axis=0))
    assert scale == pytest.approx(y.std(axis=0))
