"""Frequencies set free are kept only where rows held out prefer them."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte.search.free_frequencies
from alakarte.execution.budget import Budget
from alakarte.search.candidates import Candidate
from alakarte.search.compare import tune_one, with_columns
from alakarte.search.cost import free_frequencies
from alakarte.search.free_frequencies import split, try_free_frequencies
from alakarte.search.grow import Grown
from alakarte.search.learn import learn
from problems import rows_of
from search.searches import Told, search_for

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]


@pytest.fixture(scope="module")
def begun():
    """A search with time left on steps along one input, its ranking, and a process of few columns."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (900, 2))
    y = np.sign(np.sin(6 * X[:, 0])) + 0.05 * rng.standard_normal(900)
    settings = {"expansion": "fastfood", "n_restarts": 1, "max_iter": 40, "max_iter_restart": 2}
    search = search_for("ard", *rows_of(X, y), max_time=600, **settings)
    plan = search.plan(search.settings.kernel)
    learned = learn(search, plan)
    few = with_columns(learned.problem.on(search.rows), 20, rng)
    tuned = tune_one(few, learned.run.theta, search.budget)
    return search, [Candidate(plan, learned, tuned)], Grown(tuned)


def densities(search):
    """Of held-out rows before and with free frequencies, as they were told."""
    words = search.progress.said[-1].split()
    return [float(word.rstrip(",")) for word in words if word.strip("-,").replace(".", "").isdigit()]


def test_free_frequencies_are_kept_where_held_out_rows_prefer_them(begun):
    search, ranking, grown = begun
    [free, *others], now = try_free_frequencies(search, ranking, grown)
    before, after = densities(search)
    assert after > before
    assert others == ranking
    assert free.plan.kernel.name == "ssgpr"
    assert now.tuned is free.tuned
    assert free.tuned.sums.total == 900
    assert free.learned.problem.rows.n_rows == 810  # what judged it was not learned


def test_free_frequencies_are_dropped_where_held_out_rows_do_not_prefer_them(begun, monkeypatch):
    search, ranking, grown = begun
    real = alakarte.search.free_frequencies.held_out
    monkeypatch.setattr(alakarte.search.free_frequencies, "held_out", lambda *a: -real(*a))
    assert try_free_frequencies(search, ranking, grown) == (ranking, grown)
    before, after = densities(search)
    assert after < before


def test_free_frequencies_are_tried_only_under_a_limit(begun):
    search, ranking, grown = begun
    search = replace(search, budget=Budget(), progress=Told())
    assert try_free_frequencies(search, ranking, grown) == (ranking, grown)
    assert not search.progress.said


def test_shares_become_whole_numbers():
    assert split(np.array([1.0, 1.0]), 10) == (5, 5)
    assert split(np.array([1.0, 0.0, 3.0]), 8) == (2, 1, 5)
    assert sum(split(np.array([1e-9, 1.0, 1e-9]), 7)) == 7
    assert free_frequencies(100, 10) == 0
    assert free_frequencies(10**6, 5) == 0
    assert 64 <= free_frequencies(10**5, 5) <= 1024
