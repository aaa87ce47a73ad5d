"""Frequencies set free are kept only where rows held out prefer them."""

import numpy as np
import pytest

import alakarte.search.learn
from alakarte.data.arrays import Rows
from alakarte.data.standardise import standardise
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.kernels.registry import resolve
from alakarte.search.free_frequencies import n_free, release, split
from alakarte.search.grow import enlarge, refit
from alakarte.search.stages import shuffle

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]


def test_free_frequencies_are_kept_only_where_held_out_rows_prefer_them():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (900, 2))
    y = np.sign(np.sin(6 * X[:, 0])) + 0.05 * rng.standard_normal(900)
    settings = alakarte.search.learn.Settings(resolve("ard"), 1, 8, "fastfood", 1, 5, 2, 0.1, None, 1)
    scaling = standardise(X, y)
    rows = Rows(X, y[:, None], np.ones(900), scaling=scaling).whole()
    shuffled = shuffle(rows, np.random.default_rng(2))
    learned = alakarte.search.learn.learn(settings, shuffled, scaling, np.random.default_rng(0), Progress(0, None))
    final = refit(enlarge(learned.problem, 20, rng), learned.run.theta, Budget())
    said = []
    progress = Progress(0, None)
    progress.say = said.append
    found = release(settings, final, rows, scaling, np.random.default_rng(1), progress, Budget())
    before, after = (
        float(word.rstrip(",")) for word in said[-1].split() if word.strip("-,").replace(".", "").isdigit()
    )
    assert (found is not None) == (after > before)
    assert found is not None
    own, free, at = found
    assert own.kernel.name == "ssgpr"
    assert at.sums.total == 900
    assert free.problem.rows.n_rows == 810  # what judged it was not learned


def test_shares_become_whole_numbers():
    assert split(np.array([1.0, 1.0]), 10) == (5, 5)
    assert split(np.array([1.0, 0.0, 3.0]), 8) == (2, 1, 5)
    assert sum(split(np.array([1e-9, 1.0, 1e-9]), 7)) == 7
    assert n_free(100, 10) == 0
    assert n_free(10**6, 5) == 0
    assert 64 <= n_free(10**5, 5) <= 1024
