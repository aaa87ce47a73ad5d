"""Probabilities from neighbours: rows that come and go, tiles, threads, what there is not."""

import pickle

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.errors import IllConditioned, Unavailable
from alakarte.kernels.matern import matern_form
from alakarte.likelihoods.votes import LINK_START
from alakarte.posteriors.local import LocalPosterior, stored_weight
from alakarte.posteriors.neighbours import Neighbours
from alakarte.posteriors.votes import VotesPosterior
from alakarte.records import Spectrum

SHARES = np.array([0.5, 0.3, 0.2])


def table(n, seed=0, d=2):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    return ArrayRows(x, (x[:, :1] > 0) + (x[:, 1:2] > 0.5) * 1.0, np.ones(n))


def posterior_of(rows, k=12):
    scale = np.array([2.0, 0.5])
    spectrum = Spectrum(np.zeros(1), scale[None])
    near = Neighbours(rows.x * scale, scale)
    core = LocalPosterior(
        spectrum, matern_form(0.5), near, rows.y, stored_weight(rows.weight), k, rows.total, 0.1, np.nan
    )
    return VotesPosterior(core, LINK_START, SHARES, rows.total, np.nan, 0.1)


def test_probabilities_sum_to_one_and_do_not_depend_on_company_or_threads():
    posterior, x = posterior_of(table(300)), table(150, 1).x
    log_p = posterior.log_probability(x)
    assert np.exp(log_p).sum(axis=1) == pytest.approx(1)
    assert np.array_equal(posterior.log_probability(x, n_jobs=2), log_p)
    assert np.array_equal(posterior.log_probability(x[77:78])[0], log_p[77])
    assert np.array_equal(pickle.loads(pickle.dumps(posterior)).log_probability(x), log_p)


def test_votes_sum_to_one_and_a_query_far_from_all_rows_has_the_shares():
    posterior, x = posterior_of(table(300)), table(50, 1).x
    assert posterior.mean(x).sum(axis=1) == pytest.approx(1)
    assert posterior.mean(np.full((1, 2), 1e6))[0] == pytest.approx(SHARES)
    assert posterior.variance(np.full((1, 2), 1e6))[0] == pytest.approx(np.ones(3))


def test_rows_join_and_leave():
    first, more, x = table(200), table(80, 2), table(40, 1).x
    joined = posterior_of(first).changed(more, 1)
    both = ArrayRows(np.vstack([first.x, more.x]), np.vstack([first.y, more.y]), np.ones(280))
    assert np.array_equal(joined.log_probability(x), posterior_of(both).log_probability(x))
    assert joined.total == 280
    left = joined.changed(more, -1)
    assert np.array_equal(left.log_probability(x), posterior_of(first).log_probability(x))
    with pytest.raises(IllConditioned):
        left.changed(more, -1)


def test_there_is_no_function_to_draw():
    posterior = posterior_of(table(50))
    with pytest.raises(Unavailable, match="no latent function"):
        posterior.covariance(np.zeros((2, 2)))
    with pytest.raises(Unavailable, match="predict_proba"):
        posterior.sample(np.zeros((2, 2)), 3, np.random.default_rng(0))
