"""The posterior from neighbours: the closed form where all rows are neighbours, laws of bits, rows that come and go."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.errors import IllConditioned
from alakarte.kernels.registry import resolve
from alakarte.posteriors.local import LocalPosterior, stored_weight
from alakarte.posteriors.neighbours import neighbours_among
from alakarte.process.conditionals import search_scale
from alakarte.process.problem import process_at
from problems import dense_process, posterior_at, problem

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def local_posterior(made, theta, k):
    process, rows = process_at(made, theta), made.rows
    y, weight = rows.targets()
    near = neighbours_among(rows, search_scale(process.spectrum))
    parts = near, y, stored_weight(weight), k, rows.total
    return LocalPosterior(process.spectrum, process.closed_form, *parts, process.noise_variance, np.nan)


def queries(n=9, d=3):
    return np.random.default_rng(5).standard_normal((n, d))


@pytest.mark.parametrize("name", ["matern12", "gm"])
def test_with_all_rows_as_neighbours_it_is_the_closed_form(name):
    x = queries()
    made, theta = problem(resolve(name), (3, 2, 8), "exact", n=30, n_targets=2)
    made = made.on(replace(made.rows, weight=np.random.default_rng(0).uniform(0.5, 2, made.rows.n_rows)))
    got, expected = local_posterior(made, theta, 100), posterior_at(made, theta)
    assert np.allclose(got.mean(x), expected.mean(x), atol=1e-9)
    assert np.allclose(got.variance(x), expected.variance(x), atol=1e-9)
    assert np.allclose(got.covariance(x), expected.covariance(x), atol=1e-9)


def test_a_query_is_predicted_from_its_nearest_rows_alone():
    made, theta = problem(resolve("matern32"), (3, 1, 8), "exact", n=60)
    posterior, x = local_posterior(made, theta, 7), queries(1)
    near = posterior.neighbours.nearest(x * posterior.neighbours.scale, 7)[0]
    expected = dense_process(made.on(made.rows.take(np.sort(near))), theta, x)
    assert np.allclose(posterior.mean(x), expected.mean)
    assert np.allclose(posterior.variance(x)[:, 0], expected.covariance.diagonal())


def test_covariances_have_the_variances_on_their_diagonal_and_are_positive():
    made, theta = problem(resolve("matern12"), (3, 1, 8), "exact", n=80)
    posterior, x = local_posterior(made, theta, 6), queries(40)
    x[1] = x[0] + 1e-9
    covariance = posterior.covariance(x)[:, :, 0]
    assert np.array_equal(covariance.diagonal(), posterior.variance(x)[:, 0])
    assert np.linalg.eigvalsh(covariance).min() > -1e-9
    assert covariance[0, 1] == pytest.approx(covariance[0, 0], abs=1e-6)


def test_covariances_do_not_depend_on_how_the_union_is_cut(monkeypatch):
    made, theta = problem(resolve("matern12"), (3, 1, 8), "exact", n=80)
    posterior, x = local_posterior(made, theta, 6), queries(40)
    whole = posterior.covariance(x)
    monkeypatch.setattr("alakarte.posteriors.local._KERNEL_VALUES", 300)
    assert np.allclose(posterior.covariance(x), whole, atol=1e-12)


def test_samples_have_the_moments_of_the_posterior():
    made, theta = problem(resolve("matern12"), (3, 1, 8), "exact", n=60, n_targets=2)
    posterior, x, n_samples = local_posterior(made, theta, 6), queries(4), 40_000
    samples = posterior.sample(x, n_samples, np.random.default_rng(0))
    for target in range(2):
        covariance, drawn = posterior.covariance(x)[:, :, target], samples[:, target]
        error = np.abs(drawn.mean(axis=1) - posterior.mean(x)[:, target])
        assert (error < 5 * np.sqrt(covariance.diagonal() / n_samples)).all()
        scale = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
        assert (np.abs(np.cov(drawn) - covariance) < 5 * np.sqrt(2 / n_samples) * scale).all()


def test_bits_do_not_depend_on_company_order_threads_or_pickling():
    made, theta = problem(resolve("matern12"), (3, 1, 8), "exact", n=300)
    posterior, x = local_posterior(made, theta, 20), queries(300)
    mean, variance = posterior.mean_and_variance(x)
    order = np.random.default_rng(0).permutation(300)
    for other in (posterior, pickle.loads(pickle.dumps(posterior))):
        shuffled = other.mean_and_variance(x[order], n_jobs=2)
        assert np.array_equal(shuffled[0], mean[order])
        assert np.array_equal(shuffled[1], variance[order])
        assert np.array_equal(other.mean(x[7:8]), mean[7:8])


def test_rows_that_come_and_go_leave_the_posterior_of_the_rest():
    made, theta = problem(resolve("matern32"), (3, 1, 8), "exact", n=60, n_targets=2)
    rows = replace(made.rows, weight=np.where(np.arange(made.rows.n_rows) % 2, 2.0, 1.0))
    n = rows.n_rows
    some, others, x = rows.take(np.arange(n - 9)), rows.take(np.arange(n - 9, n)), queries()
    whole, less = (local_posterior(made.on(part), theta, 8) for part in (rows, some))
    for got, expected in ((less.changed(others, 1), whole), (whole.changed(others, -1), less)):
        assert np.array_equal(got.mean(x), expected.mean(x))
        assert np.array_equal(got.variance(x), expected.variance(x))
        assert got.total == expected.total
    with pytest.raises(IllConditioned, match="removed"):
        less.changed(others, -1)


def test_a_row_that_comes_twice_weighs_two():
    made, theta = problem(resolve("matern32"), (3, 1, 8), "exact", n=12)
    rows, x = made.rows, queries()
    posterior = local_posterior(made, theta, 50)
    doubled = local_posterior(made.on(replace(rows, weight=2 * rows.weight)), theta, 50)
    twice = posterior.changed(rows, 1)
    assert np.allclose(twice.mean(x), doubled.mean(x))
    assert np.allclose(twice.variance(x), doubled.variance(x))
    once = twice.changed(ArrayRows(rows.x, rows.y, rows.weight), -1)
    assert np.array_equal(once.mean(x), posterior.mean(x))


def test_a_row_is_left_out_of_its_own_prediction():
    made, theta = problem(resolve("matern32"), (3, 1, 8), "exact", n=40, n_targets=2)
    rows = replace(made.rows, weight=np.where(np.arange(made.rows.n_rows) % 3, 1.0, 2.0))
    posterior = local_posterior(made.on(rows), theta, 9)
    some = rows.take(np.array([2, 6, 31]))
    mean, variance = posterior.leave_one_out(some.whole())
    for place, row in enumerate((2, 6, 31)):
        one = ArrayRows(rows.x[row : row + 1], rows.y[row : row + 1], np.ones(1))
        expected = posterior.changed(one, -1)
        assert mean[place] == pytest.approx(expected.mean(one.x)[0])
        assert variance[place] == pytest.approx(expected.variance(one.x)[0])
    with pytest.raises(IllConditioned, match="not fitted"):
        posterior.leave_one_out(ArrayRows(rows.x[:2] + 1, rows.y[:2], np.ones(2)).whole())


def test_rows_that_were_near_are_left_out_with_it():
    made, theta = problem(resolve("matern32"), (3, 1, 8), "exact", n=60)
    made = made.on(replace(made.rows, weight=np.ones(made.rows.n_rows)))
    posterior, row = local_posterior(made, theta, 7), np.array([4])
    near = posterior.neighbours.nearest_others(row, 12)[0]
    mean, variance = posterior.without_each(row, n_passed=5)
    rest = made.rows.take(np.sort(near[5:]))
    expected = dense_process(made.on(rest), theta, made.rows.x[row])
    assert np.allclose(mean, expected.mean)
    assert np.allclose(variance[:, 0], expected.covariance.diagonal())


def test_doubt_widens_what_is_far_and_keeps_means_and_correlations():
    made, theta = problem(resolve("matern12"), (3, 1, 8), "exact", n=80)
    learned, x = local_posterior(made, theta, 6), queries(40)
    x[-1] = 1e6
    doubting, variance = replace(learned, doubt=0.7), learned.variance(x)
    prior = np.exp(2 * learned.spectrum.log_amplitude).sum()
    expected = np.minimum(variance * (1 + variance / learned.noise_variance) ** 0.7, prior)
    assert np.allclose(doubting.variance(x), expected)
    assert (expected[:-1] > variance[:-1]).all()
    assert doubting.variance(x)[-1] == pytest.approx(prior)
    assert np.array_equal(doubting.mean(x), learned.mean(x))
    before, after = learned.covariance(x)[:, :, 0], doubting.covariance(x)[:, :, 0]
    assert np.allclose(after.diagonal(), expected[:, 0])
    root = np.sqrt(expected / variance)[:, 0]
    assert np.allclose(after, root[:, None] * before * root)
    assert np.allclose(doubting.without_each(np.arange(9))[1], doubting.doubted(learned.without_each(np.arange(9))[1]))


def test_a_query_that_nothing_is_unknown_of_stays_so_under_doubt():
    made, theta = problem(resolve("matern32"), (3, 1, 8), "exact", n=30)
    doubting = replace(local_posterior(made, theta, 6), doubt=1.0)
    assert doubting.doubted(np.zeros(2)) == pytest.approx(0.0)
