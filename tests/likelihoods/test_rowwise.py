"""Likelihoods of one latent value per row: derivatives, averages, limits, predictive distributions."""

import numpy as np
import pytest

from alakarte.likelihoods import Bernoulli, NegativeBinomial, Poisson, StudentT
from alakarte.likelihoods.categorical import log_softmax_at, slopes, softmax
from alakarte.likelihoods.registry import likelihoods
from problems import naming

ALL = [kind() for kind in likelihoods().values() if not kind.is_exact]
F, H = np.linspace(-2.0, 2.0, 7), 1e-5
Y = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0])


def test_derivatives_by_the_function_are_those_of_differences():
    for likelihood in ALL:
        with naming(likelihood.name):
            values = likelihood.start()
            low, here, high = (likelihood.derivatives(values, Y, F + step) for step in (-H, 0.0, H))
            assert here.slope == pytest.approx((high.value - low.value) / (2 * H), abs=1e-6)
            assert -here.curvature == pytest.approx((high.slope - low.slope) / (2 * H), abs=1e-5)
            assert here.third == pytest.approx(-(high.curvature - low.curvature) / (2 * H), abs=1e-4)


def test_derivatives_by_the_parameters_are_those_of_differences():
    for likelihood in ALL:
        values = likelihood.start()
        for name, part in likelihood.by_parameter(values, Y, F).items():
            with naming(f"{likelihood.name} {name}"):
                low, high = (likelihood.derivatives(values | {name: values[name] + step}, Y, F) for step in (-H, H))
                assert part.value == pytest.approx((high.value - low.value) / (2 * H), abs=1e-6)
                assert part.slope == pytest.approx((high.slope - low.slope) / (2 * H), abs=1e-5)
                assert part.curvature == pytest.approx((high.curvature - low.curvature) / (2 * H), abs=1e-4)


def test_slope_and_curvature_are_those_of_the_average():
    mean, variance = F, np.linspace(0.2, 1.0, 7)
    for likelihood in ALL:
        with naming(likelihood.name):
            values = likelihood.start()
            here = likelihood.expected(values, Y, mean, variance)
            high, low = (likelihood.expected(values, Y, mean + step, variance).value for step in (H, -H))
            assert here.slope == pytest.approx((high - low) / (2 * H), abs=1e-5)
            high, low = (likelihood.expected(values, Y, mean, variance + step).value for step in (H, -H))
            assert here.curvature == pytest.approx(-(high - low) / H, rel=2e-4, abs=1e-5)


def test_a_predictive_density_is_that_of_fine_quadrature():
    grid = np.linspace(-12, 12, 20001)
    for likelihood in ALL:
        with naming(likelihood.name):
            values = likelihood.start()
            y, mean, variance = np.array([1.0]), np.array([0.3]), np.array([0.7])
            density = np.exp(-0.5 * (grid - mean) ** 2 / variance) / np.sqrt(2 * np.pi * variance)
            inner = np.exp([likelihood.derivatives(values, y, np.array([f])).value[0] for f in grid[::20]])
            whole = np.sum(inner * density[::20]) * (grid[20] - grid[0])
            assert likelihood.log_predictive(values, y, mean, variance)[0] == pytest.approx(np.log(whole), abs=1e-4)


def test_derivatives_of_a_predictive_density_are_those_of_differences():
    mean, variance = F, np.linspace(0.2, 1.0, 7)
    for likelihood in (Bernoulli(), NegativeBinomial(), Poisson()):
        values = likelihood.start()
        here = likelihood.predictive(values, Y, mean, variance)
        steps = {"by_mean": (H, 0.0, {}), "by_variance": (0.0, H, {})}
        steps |= {name: (0.0, 0.0, {name: H}) for name in here.by_parameter}
        for name, (by_mean, by_variance, by_parameter) in steps.items():
            with naming(f"{likelihood.name} {name}"):
                high, low = (
                    likelihood.log_predictive(
                        values | {key: values[key] + sign * step for key, step in by_parameter.items()},
                        Y,
                        mean + sign * by_mean,
                        variance + sign * by_variance,
                    )
                    for sign in (1, -1)
                )
                found = here.by_parameter[name] if by_parameter else getattr(here, name)
                assert found == pytest.approx((high - low) / (2 * H), abs=2e-5)


def test_a_negative_binomial_with_little_dispersion_is_poisson():
    values = {"log_dispersion": np.asarray(np.log(1e6))}
    counts = np.arange(7.0)
    assert NegativeBinomial().log_mass(values, counts, F) == pytest.approx(Poisson().log_mass({}, counts, F), abs=1e-3)


def test_a_student_t_with_many_degrees_of_freedom_is_normal():
    values = {"log_noise_scale": np.asarray(0.0), "log_dof": np.asarray(np.log(1e7))}
    normal = -0.5 * (Y - F) ** 2 - 0.5 * np.log(2 * np.pi)
    assert StudentT().derivatives(values, Y, F).value == pytest.approx(normal, abs=1e-5)


def test_quantiles_of_counts_are_where_their_probabilities_add_up():
    values, mean, variance = NegativeBinomial().start(), np.array([0.0, 2.0]), np.array([0.3, 0.1])
    for level in (0.05, 0.5, 0.95):
        quantile = NegativeBinomial().quantile(values, level, mean, variance)
        mass = NegativeBinomial().probabilities(values, np.arange(2000.0), mean, variance)
        assert mass.sum(axis=1) == pytest.approx([1, 1], abs=1e-4)
        assert quantile.tolist() == np.argmax(mass.cumsum(axis=1) >= level, axis=1).tolist()


def test_probabilities_of_two_classes_are_averages():
    drawn = 0.5 + 2.0 * np.random.default_rng(0).standard_normal(400_000)
    average = np.mean(1 / (1 + np.exp(-drawn)))
    assert Bernoulli().probability(np.array([0.5]), np.array([4.0]))[0] == pytest.approx(average, abs=3e-3)


def test_slopes_of_softmax_are_those_of_differences():
    f, labels = np.random.default_rng(0).standard_normal((4, 3)), np.array([0, 2, 1, 1])
    exact = slopes(softmax(f), labels, np.ones(4))
    for k in range(3):
        step = H * np.eye(3)[k]
        difference = (log_softmax_at(f + step, labels) - log_softmax_at(f - step, labels)) / (2 * H)
        assert exact[:, k] == pytest.approx(difference, abs=1e-8)
