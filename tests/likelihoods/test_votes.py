"""The link from votes to probabilities: limits, and derivatives against differences."""

import numpy as np
import pytest

from alakarte.likelihoods.votes import LINK_START, Link, link_prior, log_probability, log_probability_pullback

SHARES = np.array([0.5, 0.2, 0.3])
LINK = Link(0.3, -3.0, -1.5)


def votes(n_rows=9):
    """Votes that sum to one, some of them negative, and variances."""
    rng = np.random.default_rng(0)
    m = rng.uniform(-0.2, 1.0, (n_rows, 3))
    m[:, 2] = 1 - m[:, 0] - m[:, 1]
    return m, rng.uniform(0, 1, n_rows), rng.integers(0, 3, n_rows), rng.uniform(0.5, 2, n_rows)


def test_probabilities_sum_to_one_and_are_the_shares_where_nobody_votes():
    m, v, _, _ = votes()
    assert np.exp(log_probability(m, v, LINK, SHARES)).sum(axis=1) == pytest.approx(1)
    nobody = log_probability(SHARES[None], np.ones(1), Link(0.0, -3.0, -1.5), SHARES)
    assert np.exp(nobody[0]) == pytest.approx(SHARES)


def test_a_vote_that_all_neighbours_share_leaves_what_the_floor_leaves():
    sure = log_probability(np.array([[1.0, 0.0, 0.0]]), np.zeros(1), Link(0.0, np.log(1e-4), -9.0), SHARES)
    assert np.exp(sure[0, 1:]) == pytest.approx(1e-4 * 3 * SHARES[1:], rel=1e-3)


def test_votes_far_below_zero_lose_no_digits():
    m = np.array([[1e3 + 1, -1e3, 0.0]])
    log_p = log_probability(m, np.zeros(1), Link(0.0, -10.0, -9.0), SHARES)
    expected = 2 * (-10.0 + np.log(3 * 0.2)) - 2 * np.log(1e3)  # e²/|m|, over h of the first
    assert log_p[0, 1] == pytest.approx(expected, rel=1e-3)


def test_the_pullback_is_that_of_differences():
    m, v, labels, weight = votes()
    bar = log_probability_pullback(m, v, LINK, SHARES, (labels, weight))

    def value(m, v, link):
        return float(weight @ log_probability(m, v, Link(*link), SHARES)[np.arange(len(labels)), labels])

    assert bar.value == pytest.approx(value(m, v, LINK))
    rng, step = np.random.default_rng(1), 1e-6
    for _ in range(3):
        dm, dv, dl = rng.standard_normal(m.shape), rng.standard_normal(v.shape), rng.standard_normal(3)
        high, low = (value(m + sign * step * dm, v + sign * step * dv, LINK + sign * step * dl) for sign in (1, -1))
        along = np.sum(bar.votes * dm) + bar.variance @ dv + bar.link @ dl
        assert (high - low) / (2 * step) == pytest.approx(along, rel=1e-6)


def test_the_prior_of_the_link_is_least_at_its_start_and_its_slope_that_of_differences():
    assert link_prior(LINK_START, 2.0)[0] == 0
    link, step = LINK_START + np.array([0.3, -2.0, 1.0]), 1e-6
    value, slope = link_prior(link, 2.0)
    assert value == pytest.approx((4.0 + 1.0) / 8)
    for place in range(3):
        moved = step * np.eye(3)[place]
        high, low = link_prior(link + moved, 2.0)[0], link_prior(link - moved, 2.0)[0]
        assert (high - low) / (2 * step) == pytest.approx(slope[place], abs=1e-6)
