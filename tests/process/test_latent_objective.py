"""The approximate evidence of other likelihoods: gradients, both spaces, quadrature, the mode of several classes."""

import numpy as np
import pytest

from alakarte.likelihoods.categorical import slopes, softmax
from alakarte.likelihoods.registry import likelihoods
from alakarte.process.computation import Computation
from alakarte.process.design_matrix import KeptDesign
from alakarte.process.latent_objective import latent_evidence
from alakarte.process.problem import Problem
from alakarte.process.sites import Sites
from alakarte.process.softmax import Labels, softmax_mode
from latent_problems import FORMS, latent_problem_of
from problems import naming


@pytest.mark.parametrize("name", [name for name, kind in likelihoods().items() if not kind.is_exact])
def test_gradients_are_those_of_differences(name):
    for form in FORMS:
        for inference in ("variational", "laplace")[: 1 if name == "student_t" else 2]:
            with naming(f"{form} {inference}"):
                problem, theta = latent_problem_of(name, *form)
                found = latent_evidence(problem, theta, inference, tol=1e-12)
                step, difference = 1e-5, []
                for direction in np.eye(theta.size):
                    high, low = (
                        latent_evidence(
                            problem, theta + sign * step * direction, inference, found.sites, gradient=False, tol=1e-13
                        ).nlml
                        for sign in (1, -1)
                    )
                    difference.append((high - low) / (2 * step))
                size = np.abs(difference).max()
                assert found.gradient == pytest.approx(np.array(difference), abs=2e-4 * size)


def test_the_bound_of_one_row_lies_below_quadrature_and_near():
    for name in ("bernoulli", "poisson", "negative_binomial"):
        with naming(name):
            problem, theta = latent_problem_of(name, "ard", Computation.CLOSED, 4, n=1)
            found = latent_evidence(problem, theta, "variational", gradient=False, tol=1e-10)
            values, likelihood = found.function.values, problem.row_likelihood
            y, weight = problem.rows.targets()
            grid = np.linspace(-15, 15, 4001)
            variance = float(np.exp(2 * values["log_amplitude"]).sum())
            prior = np.exp(-0.5 * grid**2 / variance) / np.sqrt(2 * np.pi * variance)
            log_p = likelihood.derivatives(values, y[0, 0], grid + y[0, 1]).value
            exact = np.log(np.sum(prior * np.exp(weight[0] * log_p)) * (grid[1] - grid[0]))
            assert -found.nlml <= exact + 1e-6
            assert -found.nlml == pytest.approx(exact, abs=0.1)


def test_both_spaces_agree():
    for name in ("bernoulli", "negative_binomial"):
        problem, theta = latent_problem_of(name, "gm", None, 2)
        by_weights = latent_evidence(problem, theta, "variational", tol=1e-12)
        by_rows = latent_evidence(
            Problem(**vars(problem) | {"computation": Computation.ROWS}), theta, "variational", tol=1e-12
        )
        assert by_weights.nlml == pytest.approx(by_rows.nlml, abs=1e-7)
        assert by_weights.gradient == pytest.approx(by_rows.gradient, abs=1e-4)


def test_the_mode_of_several_classes_has_no_slope():
    rng = np.random.default_rng(0)
    psi, y = rng.standard_normal((60, 8)), rng.integers(0, 4, 60)
    labels = Labels(y, np.zeros(4), rng.uniform(0.5, 2, 60))
    mode = softmax_mode(KeptDesign(psi), labels, 0.5, tol=1e-12)
    gradient = psi.T @ slopes(softmax(mode.latent), y, labels.weight) - 0.5 * mode.weights
    assert mode.converged
    assert np.abs(gradient).max() < 1e-4


def test_two_classes_by_softmax_are_the_logistic_with_twice_the_variance():
    rng = np.random.default_rng(1)
    psi, y = rng.standard_normal((50, 5)), rng.integers(0, 2, 50)
    mode = softmax_mode(KeptDesign(psi), Labels(y, np.zeros(2), np.ones(50)), 1.0, tol=1e-12)
    f, u = mode.latent[:, 1] - mode.latent[:, 0], mode.weights[:, 1] - mode.weights[:, 0]
    slope = psi.T @ (y - 1 / (1 + np.exp(-f))) - u / 2  # prior variance two
    assert np.abs(slope).max() < 1e-4


@pytest.mark.parametrize("name", ["poisson", "negative_binomial"])
def test_large_counts_are_found_from_a_cold_start(name):
    """A function of zero is far from them: a first step from there may raise the bound by no part of it."""
    problem, theta = latent_problem_of(name, "ard", Computation.CLOSED, 4, n=60)
    rng = np.random.default_rng(0)
    f = 4 * np.sin(2 * problem.rows.x[:, 0])
    y = rng.poisson(100 * np.exp(f)).astype(float)
    problem = problem.on(problem.rows.with_targets(np.column_stack([y, np.full(60, np.log(100))]), np.ones(60)))
    values = problem.layout.unpack(theta)
    theta = problem.layout.pack(values | {"log_amplitude": np.full_like(values["log_amplitude"], 3.0)})
    found = latent_evidence(problem, theta, "variational", gradient=False, tol=1e-9)
    near = np.log(y + 0.5) - np.log(100)
    told = Sites(y + 0.5, (y + 0.5) * near)
    again = latent_evidence(problem, theta, "variational", told, gradient=False, tol=1e-9)
    assert found.nlml == pytest.approx(again.nlml, rel=1e-4)
