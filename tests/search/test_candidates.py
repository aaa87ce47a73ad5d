"""The menu: which kernels stand on it, for few rows and for exact kernels; and what is expected of them."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels.registry import resolve
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.objective import nlml
from alakarte.process.problem import process_at
from alakarte.search import policy
from alakarte.search.candidates import Candidate, contenders, expected_score, expected_scores
from alakarte.search.learn import Learned
from alakarte.search.optimise import Run
from alakarte.search.stopping import NOT_BEGUN
from problems import problem, scaling_of, table
from search.searches import search_for

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_the_menu_of_few_rows_has_a_rough_kernel():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (120, 1))
    y = np.abs(X[:, 0]) + np.sign(X[:, 0] - 0.3) + 0.02 * rng.standard_normal(120)
    settings = {"n_restarts": 2, "max_iter": 30, "random_state": 0}
    ranking = GPRegressor(**settings).fit(X, y).ranking_
    found = {one["kernel"]: one["log_marginal_likelihood"] for one in ranking}
    assert found["matern"] > found["ard"]
    assert "matern" not in [one["kernel"] for one in GPRegressor(expansion="fastfood", **settings).fit(X, y).ranking_]


SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def in_order(ranking):
    """Best first, by evidence less half a nat per parameter."""
    score = [one["log_marginal_likelihood"] - one["n_parameters"] / 2 for one in ranking]
    return score == sorted(score, reverse=True)


def test_few_rows_have_a_menu_of_closed_forms():
    X, _, _ = table(3, n=150)
    y = X.sum(axis=1) + np.random.default_rng(0).standard_normal(150)  # waves would add kernels
    model, again = (GPRegressor(n_jobs=n_jobs, **SMALL).fit(X, y) for n_jobs in (1, 2))
    columns = {one["kernel"]: one["n_basis"] for one in model.ranking_}
    assert columns == dict.fromkeys(("ard", "rbf", "matern", "gm", "mm"), 150)
    assert in_order(model.ranking_)
    assert (again.theta_ == model.theta_).all()
    assert (again.predict(X) == model.predict(X)).all()


def test_few_rows_of_a_round_function():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((560, 12))
    f = np.exp(-0.05 * (X**2).sum(axis=1))
    y, new = f[:60] + 0.01 * rng.standard_normal(60), slice(60, None)
    errors = {}
    for kernel in ("auto", "rbf", "ard"):
        model = GPRegressor(kernel, random_state=0, max_iter=40).fit(X[:60], y)
        mean, std = model.predict(X[new], return_std=True)
        errors[kernel] = np.sqrt(np.mean((mean - f[new]) ** 2)) / f.std()
        covered = np.mean(np.abs(f[new] - mean) < 1.96 * std)
        assert kernel != "auto" or covered > 0.95
    assert errors["auto"] < 0.7 * errors["rbf"] < errors["ard"]  # rough kernels, half as far off, share the average


def test_the_menu_of_exact_kernels():
    X, y, _ = table(2, n=60)
    model = GPRegressor(expansion="exact", **SMALL).fit(X, y)
    assert [one["kernel"] for one in model.ranking_].count("matern") == 1
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_a_simpler_kernel_stands_before_those_that_begin_from_it():
    for menu in (policy.CLOSED_MENU, policy.FEATURE_MENU):
        names = [resolve(name).name for name in menu]
        for place, name in enumerate(names):
            nests = resolve(name).nests
            assert nests not in names[place:], name
    assert {resolve(name).nests for name in policy.CLOSED_MENU} == {None, "rbf", "ard", "matern"}


def test_the_score_that_some_rows_promise_for_all():
    """Log evidence in proportion to the rows, less half a nat per number learned; where all were seen, the score."""
    made, theta = problem("ard", (3, 1, 8), n=40)
    search = search_for("ard", made.rows, scaling_of(made.rows.x, made.rows.y))
    some = made.on(made.rows.take(np.arange(10)))
    for part in (made, some):
        run = Run(theta, 12.5, 0, NOT_BEGUN, 0, [])
        expected = -12.5 * made.rows.total / part.rows.total - 0.5 * 5
        learned = Learned(part, run, [run], [run], part.rows.total)
        assert expected_score(search, learned) == pytest.approx(expected, rel=1e-12)


def test_where_rows_show_waves_kernels_are_valued_on_the_rows_of_the_one_that_has_seen_fewest():
    """Free frequencies have learned from all rows, closed forms from some: other rows tell another evidence per row."""
    made, theta = problem("ard", (3, 1, 8), n=40)
    search = search_for("ard", made.rows, scaling_of(made.rows.x, made.rows.y))
    some = made.on(search.subsets.first(10))
    run = Run(theta, 12.5, 0, NOT_BEGUN, 0, [])
    learned = [Learned(part, run, [run], [run], part.rows.total) for part in (made, some)]
    total = made.rows.total
    alone = -12.5 * total / some.rows.total - 2.5
    assert expected_scores(search, learned) == pytest.approx([-12.5 - 2.5, alone], rel=1e-12)
    with_waves = replace(search, waves=object())
    on_some = -nlml(some, theta) * total / some.rows.total - 2.5
    assert expected_scores(with_waves, learned) == pytest.approx([on_some, alone], rel=1e-12)


def test_contenders_are_less_than_the_square_root_of_the_rows_behind_on_the_same_inputs():
    made, theta = problem("ard", (3, 1, 8), n=40)
    search = search_for("ard", made.rows, scaling_of(made.rows.x, made.rows.y))
    process, run = process_at(made, theta), Run(theta, 0.0, 0, NOT_BEGUN, 0, [])
    learned, plan = Learned(made, run, [run], [run], made.rows.total), search.plan(made.kernel)
    most = policy.DROPPED_OF_MANY * np.sqrt(made.rows.total)
    ranking = [
        Candidate(plan, learned, TunedProcess(process, theta, behind, None), compressed=compressed)
        for behind, compressed in ((0.0, False), (0.5 * most, True), (0.99 * most, False), (1.01 * most, False))
    ]
    assert contenders(search, ranking) == [ranking[0], ranking[2]]
