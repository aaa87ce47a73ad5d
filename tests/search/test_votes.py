"""What votes learn: irrelevant inputs, the better kernel, the link, one length-scale of a category, bits."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte.search.policy as policy
from alakarte.data.arrays import ArrayRows
from alakarte.data.standardise import Scaling
from alakarte.search.views import View
from alakarte.search.votes import learn_votes
from search.searches import search_for


def rows_of(n=900, seed=0):
    """Three inputs, of which the last says nothing, and two classes with a rough border."""
    x = np.random.default_rng(seed).uniform(-2, 2, (n, 3))
    y = (np.floor(2 * x[:, 0]) + np.floor(2 * x[:, 1])) % 2
    return ArrayRows(x, y[:, None], np.ones(n))


def search_of(rows, kernel="auto", **settings):
    ones = np.ones(rows.n_inputs)
    scaling = Scaling(0 * ones, ones, ones > 0, np.zeros(1), np.ones(1))
    search = search_for(kernel, rows, scaling)
    return replace(search, settings=replace(search.settings, n_neighbors=30, **settings))


def view_of(*given, **settings):
    """All inputs of such a search."""
    return View(search_of(*given, **settings))


@pytest.fixture(autouse=True)
def _few_rows(monkeypatch):
    monkeypatch.setattr(policy, "CLASS_LOCAL_STAGES", ((200, 16, 10), (400, 24, 15)))


def test_an_input_that_says_nothing_gets_a_long_length_scale():
    votes = learn_votes(view_of(rows_of()), np.full(2, 0.5))
    relevant, other, useless = np.exp(votes.learned.problem.layout.unpack(votes.learned.theta)["log_lengthscale"])
    assert useless > 3 * max(relevant, other)
    assert votes.log_loss(30) < 0.5


def test_the_link_suits_fresh_rows():
    votes = learn_votes(view_of(rows_of(), "matern12"), np.full(2, 0.5))
    worse = votes.link + np.array([0.3, 0.0, 0.0])
    assert votes.log_loss(30) < replace(votes, link=worse).log_loss(30)


def test_a_kernel_given_by_name_goes_alone_with_variance_one():
    votes = learn_votes(view_of(rows_of(), "matern32"), np.full(2, 0.5))
    values = votes.learned.problem.layout.unpack(votes.learned.theta)
    assert votes.learned.problem.kernel.nu == 1.5
    assert values["log_amplitude"] == pytest.approx(0.0)


def test_threads_change_no_bits():
    one, two = (learn_votes(view_of(rows_of(), n_jobs=jobs), np.full(2, 0.5)) for jobs in (1, 2))
    assert np.array_equal(one.learned.theta, two.learned.theta)
    assert np.array_equal(one.link, two.link)


def test_rows_to_judge_by_are_not_learned_from():
    votes = learn_votes(view_of(rows_of(), "matern12"), np.full(2, 0.5))
    order = votes.learned.local.order
    assert np.intersect1d(votes.fresh, order[len(votes.fresh) :]).size == 0
