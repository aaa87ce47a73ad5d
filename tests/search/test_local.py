"""Learning by rows given their neighbours: stages, fresh rows, what is remembered."""

from dataclasses import replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.execution.budget import Budget
from alakarte.kernels.registry import resolve
from alakarte.likelihoods import Gaussian
from alakarte.search.local import begin_local, learn_local, local_rows, with_enough_noise
from problems import rows_of
from search.searches import search_for


def made(n=500, kernel="matern12", copies=1, **settings):
    """A search on rows of a rough function, some with the same inputs, and its kernel at the start."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.uniform(-2, 2, (n // copies, 2)), copies, axis=0)
    y = np.sign(np.sin(5 * X[:, 0])) + 0.05 * rng.standard_normal(n)
    search = search_for(resolve(kernel), *rows_of(X, y), **settings)
    local = local_rows(search)
    return search, begin_local(search, search.plan(resolve(kernel)), local)


def test_rows_to_judge_by_are_not_learned_from():
    _, begun = made()
    local = begun.local
    assert not set(local.fresh) & set(local.picked(policy.LOCAL_ROWS))
    assert local.fresh.size == 250
    assert set(local.picked(100)) < set(local.picked(200))


def test_stages_raise_the_density_of_fresh_rows():
    search, begun = made()
    learned = learn_local(search, begun, ((200, 8, 10), (250, 12, 10)))
    assert len(learned.runs) == 2
    fresh = begun.local.fresh
    assert learned.log_density(fresh, 12).mean() > begun.log_density(fresh, 12).mean() + 0.2


def test_one_metric_is_remembered_at_a_time():
    search, begun = made()
    learned = learn_local(search, begun, ((100, 8, 3),))
    assert learned.neighbours.n_rows == 500
    assert len(begun.local.found) == 1
    assert learned.neighbours is learned.neighbours


def test_no_stage_begins_when_time_is_over():
    search, begun = made(max_time=1e-9)
    learned = learn_local(search, begun, ((100, 8, 3), (100, 8, 3)))
    assert len(learned.runs) == 1


def test_the_posterior_predicts_what_fresh_rows_were_judged_by():
    search, begun = made()
    learned = learn_local(search, begun, ((200, 8, 5),))
    row = begun.local.fresh[:1]
    mean, variance = learned.moments(row, 10)
    block = begun.local.rows.whole()
    posterior = learned.posterior(10).changed(begun.local.rows.take(row), -1)
    assert np.allclose(posterior.mean(block.x[row]), mean)
    assert np.allclose(posterior.variance(block.x[row])[:, 0] + posterior.noise_variance, variance)


def noise_variance(learned):
    return learned.problem.noise.noise_variance(learned.problem.layout.unpack(learned.theta))


def test_noise_grows_where_fresh_rows_ask_for_it_alone():
    """Copies contradict each other: too little noise is doubled up to what fresh rows tell."""
    _, begun = made(copies=2)
    values = begun.problem.layout.unpack(begun.theta)
    theta = begun.problem.layout.pack(begun.problem.noise.with_noise_variance(values, 1e-6))
    without = replace(begun, runs=(replace(begun.run, theta=theta),))
    mended = with_enough_noise(Budget(), without, 12)
    fresh = begun.local.fresh
    assert noise_variance(mended) > 100 * noise_variance(without)
    assert mended.log_density(fresh, 12).mean() > without.log_density(fresh, 12).mean()
    assert with_enough_noise(Budget(), mended, 12).theta.tolist() == mended.theta.tolist()
    assert with_enough_noise(Budget(max_time=0.0), without, 12) is without


def test_noise_that_the_user_gives_stays():
    _, begun = made(likelihood=Gaussian(0.01))
    assert with_enough_noise(Budget(), begun, 12) is begun
