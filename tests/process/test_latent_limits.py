"""Limits of the approximate evidence: quadrature and importance sampling, the dense process, one likelihood as another.

Also its gradient, along random directions, by the second order of the remainder.
"""

from dataclasses import replace

import numpy as np
import pytest

from alakarte.features.draws import draw
from alakarte.kernels import ARD, GaussianMixture
from alakarte.kernels.registry import resolve
from alakarte.likelihoods import Gaussian, NegativeBinomial, Poisson, StudentT
from alakarte.parameters import Layout
from alakarte.process.computation import Computation
from alakarte.process.latent_objective import latent_evidence, observations
from alakarte.process.objective import nlml
from alakarte.records import Shape
from latent_problems import FORMS, latent_problem_of
from problems import naming, taylor_order

ROWWISE = ("bernoulli", "poisson", "negative_binomial", "student_t")


def prior_covariance(problem, theta):
    """K of the rows of a problem with ard in closed form, written out."""
    values = problem.layout.unpack(theta)
    scaled = problem.rows.x / np.exp(values["log_lengthscale"])
    square = ((scaled[:, None] - scaled[None]) ** 2).sum(axis=2)
    return np.exp(2 * values["log_amplitude"][0]) * np.exp(-0.5 * square)


def log_likelihood(problem, theta, f):
    """(samples,) Σ w log p(y | f) for latent values f (samples, n)."""
    data = observations(problem)
    values = problem.layout.unpack(theta)
    return problem.row_likelihood.derivatives(values, data.y, f + data.offset).value @ data.weight


@pytest.mark.parametrize("name", ROWWISE)
def test_the_bound_of_two_rows_lies_below_quadrature_and_near(name):
    problem, theta = latent_problem_of(name, "ard", Computation.CLOSED, 4, n=2)
    found = latent_evidence(problem, theta, "variational", gradient=False, tol=1e-10)
    node, weight = np.polynomial.hermite_e.hermegauss(80)
    u = np.stack(np.meshgrid(node, node), axis=-1).reshape(-1, 2)
    log_weight = np.log(np.outer(weight, weight).ravel()) - np.log(2 * np.pi)
    f = u @ np.linalg.cholesky(prior_covariance(problem, theta)).T
    exact = np.logaddexp.reduce(log_weight + log_likelihood(problem, theta, f))
    assert -found.nlml <= exact + 1e-3  # of quadrature: the nodes lie where the prior is
    assert -found.nlml == pytest.approx(exact, abs=0.3)


@pytest.mark.parametrize("name", ROWWISE)
def test_the_bound_lies_below_importance_sampling_and_near(name):
    """Draws from q(f): the logarithm of the mean weight is the evidence, to a standard error that it tells itself."""
    problem, theta = latent_problem_of(name, "ard", Computation.CLOSED, 4, n=12)
    found = latent_evidence(problem, theta, "variational", gradient=False, tol=1e-10)
    K = prior_covariance(problem, theta)
    W = np.diag(found.sites.curvature)
    covariance = K - K @ np.linalg.solve(np.linalg.inv(W) + K, K)
    covariance += 1e-9 * np.trace(K) * np.eye(len(K))
    root = np.linalg.cholesky(covariance)
    z = np.random.default_rng(0).standard_normal((100_000, len(K)))
    f = found.state.mean + z @ root.T
    log_prior = -0.5 * np.einsum("ij,ij->i", f, np.linalg.solve(K + 1e-12 * np.eye(len(K)), f.T).T)
    log_prior -= 0.5 * np.linalg.slogdet(K)[1]
    log_proposal = -0.5 * (z**2).sum(axis=1) - np.linalg.slogdet(root)[1]
    log_weight = log_likelihood(problem, theta, f) + log_prior - log_proposal
    largest = log_weight.max()
    weight = np.exp(log_weight - largest)
    exact, error = largest + np.log(weight.mean()), weight.std() / weight.mean() / np.sqrt(len(weight))
    assert error < 0.05
    assert -found.nlml <= exact + 4 * error
    gap = 2.0 if name == "student_t" else 0.6  # its tails are bounded once more, by normal ones
    assert -found.nlml == pytest.approx(exact, abs=gap + 4 * error)


def test_laplace_is_that_of_the_dense_process():
    """Newton steps on all rows, n×n, as in the textbook."""
    for name in ("bernoulli", "poisson", "negative_binomial"):
        with naming(name):
            problem, theta = latent_problem_of(name, "ard", Computation.CLOSED, 4)
            found = latent_evidence(problem, theta, "laplace", gradient=False, tol=1e-12)
            values, data, K = problem.layout.unpack(theta), observations(problem), prior_covariance(problem, theta)
            f = np.zeros(len(K))
            for _ in range(60):
                rows = problem.row_likelihood.derivatives(values, data.y, f + data.offset)
                W, g = data.weight * rows.curvature, data.weight * rows.slope
                f = K @ np.linalg.solve(np.eye(len(K)) + W[:, None] * K, W * f + g)
            rows = problem.row_likelihood.derivatives(values, data.y, f + data.offset)
            W = data.weight * rows.curvature
            quadratic = f @ np.linalg.solve(K, f)
            log_det = np.linalg.slogdet(np.eye(len(K)) + W[:, None] * K)[1]
            assert -found.nlml == pytest.approx(data.weight @ rows.value - 0.5 * quadratic - 0.5 * log_det, abs=1e-5)


def test_student_t_with_many_degrees_of_freedom_has_the_evidence_of_normal_noise():
    for kernel, computation, m in FORMS:
        with naming(kernel, m):
            problem, theta = latent_problem_of("student_t", kernel, computation, m)
            values = problem.layout.unpack(theta) | {"log_noise_scale": np.log(0.3), "log_dof": np.log(1e6)}
            of_kernel = resolve(kernel).parameters(problem.draws.shape)
            student = replace(problem, layout=Layout((*of_kernel, *StudentT().parameters())))
            rows = problem.rows.with_targets(problem.rows.y[:, :1], problem.rows.weight)
            layout = Layout((*of_kernel, *Gaussian().parameters()))
            normal = replace(problem, likelihood=Gaussian(), layout=layout, rows=rows)
            expected = nlml(normal, layout.pack(Gaussian().with_noise_variance(values, 0.3**2)))
            got = latent_evidence(student, student.layout.pack(values), "variational", gradient=False, tol=1e-10).nlml
            assert got == pytest.approx(expected, abs=2e-3)


def test_a_negative_binomial_without_dispersion_has_the_evidence_of_poisson():
    for kernel, computation, m in FORMS:
        for inference in ("variational", "laplace"):
            with naming(kernel, m, inference):
                problem, theta = latent_problem_of("poisson", kernel, computation, m)
                expected = latent_evidence(problem, theta, inference, gradient=False, tol=1e-10).nlml
                layout = Layout((*problem.layout.parameters, *NegativeBinomial().parameters()))
                assert Poisson().parameters() == ()
                dispersed = replace(problem, likelihood=NegativeBinomial(), layout=layout)
                values = problem.layout.unpack(theta) | {"log_dispersion": np.log(1e7)}
                got = latent_evidence(dispersed, layout.pack(values), inference, gradient=False, tol=1e-10).nlml
                assert got == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("name", ROWWISE)
def test_the_remainder_of_the_whole_objective_is_of_second_order(name):
    for form in FORMS:
        for inference in ("variational", "laplace")[: 1 if name == "student_t" else 2]:
            with naming(form, inference):
                problem, theta = latent_problem_of(name, *form)
                found = latent_evidence(problem, theta, inference, tol=1e-13)

                def value(point, problem=problem, inference=inference, sites=found.sites):
                    return latent_evidence(problem, point, inference, sites, gradient=False, tol=1e-13).nlml

                assert taylor_order(value, theta, found.nlml, found.gradient, steps=(1e-2, 2e-3)) > 1.9


@pytest.mark.parametrize("name", ROWWISE)
def test_a_sum_of_kernels_is_a_latent_function_like_any_other(name):
    problem, _ = latent_problem_of(name, "ard", None, 4)
    kernel = ARD() + GaussianMixture()
    shape = Shape.joined([Shape(3, (4,)), Shape(3, (2, 3))], [False, True])
    rng = np.random.default_rng(1)
    layout = Layout((*kernel.parameters(shape), *problem.likelihood.parameters()))
    made = replace(problem, kernel=kernel, layout=layout, draws=draw(shape, "fastfood", rng))
    theta = layout.pack({p.name: rng.uniform(-0.5, 0.5, p.shape) for p in layout.parameters})
    by_weights = latent_evidence(made, theta, "variational", tol=1e-12)
    by_rows = latent_evidence(replace(made, computation=Computation.ROWS), theta, "variational", tol=1e-12)
    assert by_weights.nlml == pytest.approx(by_rows.nlml, abs=1e-6)

    def value(point):
        return latent_evidence(made, point, "variational", by_weights.sites, gradient=False, tol=1e-13).nlml

    assert taylor_order(value, theta, by_weights.nlml, by_weights.gradient, steps=(1e-2, 2e-3)) > 1.9
