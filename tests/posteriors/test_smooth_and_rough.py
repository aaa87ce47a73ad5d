"""Features and neighbours together: leave-one-out against refits, one variance, rows that come and go."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte.kernels.registry import resolve
from alakarte.posteriors.local import LocalPosterior, stored_weight
from alakarte.posteriors.neighbours import neighbours_among
from alakarte.posteriors.smooth_and_rough import MOST_DRAWN, left_out, left_out_residuals, smooth_and_rough
from alakarte.process.conditionals import search_scale
from alakarte.process.problem import process_at
from problems import posterior_at, problem

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def queries(n=9, d=3):
    return np.random.default_rng(5).standard_normal((n, d))


def both(made, theta, k=6):
    """The posterior, and its smooth part."""
    smooth = posterior_at(made, theta)
    left = left_out_residuals(smooth, made.rows)
    kernel, point = problem(resolve("matern12"), (3, 1, 8), "exact", n=10)
    process = process_at(kernel, point)
    near = neighbours_among(made.rows, search_scale(process.spectrum))
    y, weight = made.rows.targets()
    parts = near, left, stored_weight(weight), k, made.rows.total
    rough = LocalPosterior(process.spectrum, process.closed_form, *parts, process.noise_variance, np.nan)
    return smooth_and_rough(smooth, rough, y), smooth


def test_residuals_are_those_without_the_row():
    """In units of the standard deviation that the features of all other rows expect."""
    made, theta = problem("gm", (3, 2, 8), n=60, n_targets=2)
    made = made.on(replace(made.rows, weight=np.ones(made.rows.n_rows)))
    rows, smooth = made.rows, posterior_at(made, theta)
    left = left_out(smooth, rows.x, rows.y, rows.weight)
    for row in (0, 17):
        others = posterior_at(made.on(made.rows.take(np.delete(np.arange(made.rows.n_rows), row))), theta)
        mean, variance = others.mean_and_variance(made.rows.x[row : row + 1])
        spread = np.sqrt((variance + smooth.noise_variance) / smooth.noise_variance)
        assert np.allclose(left[row, :-1], ((made.rows.y[row] - mean) / spread)[0], rtol=1e-6)
        assert np.exp(left[row, -1]) == pytest.approx(1 / spread[0, 0], rel=1e-6)


def test_small_leverages_come_from_draws_and_large_ones_are_exact():
    made, theta = problem("gm", (3, 2, 8), n=3000)
    rows, smooth = made.rows, posterior_at(made, theta)
    exact, drawn = left_out(smooth, rows.x, rows.y, rows.weight), left_out_residuals(smooth, rows)
    leverage = 1 - np.exp(2 * exact[:, -1])
    assert 0 < (leverage < MOST_DRAWN / 2).sum() < rows.n_rows
    error = np.abs(drawn[:, 0] / exact[:, 0] - 1)
    assert np.all(error < 0.25 * leverage / (1 - leverage))  # 9 % of h, halved by the root: under six of its deviations
    assert np.all(error[leverage > 1.5 * MOST_DRAWN] == 0)
    assert not np.all(error[leverage < MOST_DRAWN / 2] == 0)


def test_the_covariance_has_the_variance_on_its_diagonal():
    made, theta = problem("gm", (3, 2, 8), n=60)
    posterior, x = both(made, theta)[0], queries(30)
    covariance = posterior.covariance(x)[:, :, 0]
    assert np.allclose(covariance.diagonal(), posterior.variance(x)[:, 0])
    assert np.linalg.eigvalsh(covariance).min() > -1e-9
    assert posterior.sample(x, 5, np.random.default_rng(0)).shape == (30, 1, 5)


def test_far_from_all_rows_it_has_the_mean_and_the_doubt_of_features():
    made, theta = problem("ard", (3, 1, 8), n=60)
    posterior, smooth = both(made, theta)
    far = np.full((1, 3), 1e6)
    assert np.allclose(posterior.mean(far), smooth.mean(far), atol=1e-6)
    expected = (1 + smooth.variance(far) / smooth.noise_variance) * (
        posterior.rough.variance(far) + posterior.noise_variance
    )
    assert np.allclose(posterior.variance(far) + posterior.noise_variance, expected)


def test_rows_that_come_and_go_leave_the_posterior_of_the_rest():
    made, theta = problem("gm", (3, 2, 8), n=60, n_targets=2)
    n = made.rows.n_rows
    some, others = made.rows.take(np.arange(n - 7)), made.rows.take(np.arange(n - 7, n))
    whole, less = both(made, theta)[0], both(made.on(some), theta)[0]
    for got, expected in ((less.changed(others, 1), whole), (whole.changed(others, -1), less)):
        assert np.allclose(got.mean(queries()), expected.mean(queries()), atol=1e-6)
        assert np.allclose(got.variance(queries()), expected.variance(queries()), atol=1e-6)
        assert got.total == pytest.approx(expected.total)


def test_a_row_is_left_out_of_both_parts():
    made, theta = problem("gm", (3, 2, 8), n=60)
    posterior, smooth = both(made, theta)
    picked = np.array([3, 40])
    block = made.rows.take(picked).whole()
    mean, variance = posterior.leave_one_out(block)
    smooth_mean, smooth_variance = smooth.leave_one_out(block)
    rough_mean, rough_variance = posterior.rough.without_each(picked)
    stretch = 1 + smooth_variance / smooth.noise_variance
    assert np.allclose(stretch[:, 0], np.exp(-2 * left_out(smooth, block.x, block.y, block.weight)[:, -1]))
    assert np.allclose(mean, smooth_mean + np.sqrt(stretch) * rough_mean)
    assert np.allclose(variance + posterior.noise_variance, stretch * (rough_variance + posterior.noise_variance))
