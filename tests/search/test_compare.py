"""Kernels of the menu are compared on the same rows, by evidence less half a nat per parameter."""

import numpy as np
import pytest

import alakarte.posteriors.build as build
import alakarte.search.compare
import alakarte.search.competition
import alakarte.search.context
import alakarte.search.fit
import alakarte.search.refine
from alakarte import GPRegressor
from alakarte.process.objective import nlml
from alakarte.search import policy
from alakarte.search.compare import compare
from alakarte.search.cost import compare_columns
from alakarte.search.learn import learn
from problems import rows_of, table
from search.searches import search_for

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def big_table(n=21_000, d=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    return X, (np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(n)).astype(dtype)


def test_kernels_are_learned_from_the_same_rows_and_compared_in_one_pass_over_all(monkeypatch):
    X, y = big_table(n=9_000)
    monkeypatch.setattr(alakarte.search.context, "compare_columns", lambda n_rows: 256)  # what takes the time
    passes, real_pass = [], alakarte.search.compare.statistics_of_each
    monkeypatch.setattr(
        alakarte.search.compare,
        "statistics_of_each",
        lambda *a: passes.append((a[0].n_rows, len(a[1]))) or real_pass(*a),
    )
    learned, real = [], alakarte.search.competition.climb
    monkeypatch.setattr(alakarte.search.competition, "climb", lambda *a: learned.append(real(*a)) or learned[-1])
    monkeypatch.setattr(policy, "HOPELESS", np.inf)
    stages, real_further = [], alakarte.search.refine.learn_further
    monkeypatch.setattr(
        alakarte.search.refine, "learn_further", lambda *a: stages.append(a[3].rows.n_rows) or real_further(*a)
    )
    model = GPRegressor(random_state=0, n_restarts=2, max_iter=3, max_iter_restart=2, n_components=1).fit(X, y)
    assert sum(place["n_neighbors"] == 0 for place in model.ranking_) == 3
    assert len({one.problem.kernel.name for one in learned}) == 3
    assert all(one.problem.rows is learned[0].problem.rows for one in learned)
    assert passes[0] == (9_000, 3)
    assert {rows for rows, _ in passes} == {9_000}
    assert stages[-1] == 9_000


def in_order(ranking):
    """Best first, by evidence less half a nat per parameter."""
    score = [one["log_marginal_likelihood"] - one["n_parameters"] / 2 for one in ranking]
    return score == sorted(score, reverse=True)


def test_the_menu_ranks_by_evidence_at_equal_columns():
    X, y, _ = table(3, n=150)
    model = GPRegressor(n_jobs=1, expansion="fastfood", **SMALL).fit(X, y)
    assert {one["kernel"] for one in model.ranking_} == {"ard", "rbf", "pwl", "gm"}
    assert in_order(model.ranking_)
    columns = compare_columns(150)
    for one in model.ranking_:  # evenly over the components
        assert columns - 4 * one["n_components"] < one["n_basis"] <= columns
    assert model.kernel_.kernel.name == model.ranking_[0]["kernel"]
    text = model.summary()
    assert all(words in text for words in ("learned", "log evidence", "parameters", "columns"))
    again = GPRegressor(n_jobs=2, expansion="fastfood", **SMALL).fit(X, y)
    assert (again.theta_ == model.theta_).all()
    assert (again.predict(X) == model.predict(X)).all()


def test_a_few_nats_do_not_buy_many_parameters():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 4))
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.3 * rng.standard_normal(60)
    model = GPRegressor(n_restarts=2, max_iter_restart=5, max_iter=40, random_state=0).fit(X, y)
    assert in_order(model.ranking_)
    assert model.kernel_.kernel.name == "ard"
    kept, most = model.ranking_[0], max(model.ranking_, key=lambda one: one["log_marginal_likelihood"])
    assert most["log_marginal_likelihood"] > kept["log_marginal_likelihood"] + 1
    assert most["n_parameters"] > kept["n_parameters"] + 4


def test_a_kernel_far_behind_after_a_few_steps_is_not_learned_further(monkeypatch):
    X, y, _ = table(3, n=150)
    real, names = alakarte.search.competition.climb, []
    monkeypatch.setattr(alakarte.search.competition, "climb", lambda *a: names.append(a[1].kernel.name) or real(*a))
    monkeypatch.setattr(policy, "HOPELESS", 0.0)
    model = GPRegressor(**SMALL).fit(X, y)
    assert len(names) == len(model.ranking_) == 5  # few rows: there is time
    names.clear()
    monkeypatch.setattr(policy, "FEW_ROWS", 100)
    model = GPRegressor(**SMALL).fit(X, y)
    assert len(names) == 1
    assert len(model.ranking_) == 4  # without rbf


@pytest.mark.parametrize("n_rows", [60, 150])
def test_a_closed_form_is_compared_as_it_is(n_rows):
    """Nothing is tuned, whether it was learned from all rows or from some of them."""
    X, y, _ = table(2, n=150)
    search = search_for("ard", *rows_of(X, y), n_learning_rows=n_rows, n_restarts=2, max_iter=3, max_iter_restart=2)
    plan = search.plan(search.settings.kernel)
    learned = learn(search, plan)
    assert learned.problem.rows.n_rows == n_rows
    [candidate] = compare(search, [(plan, learned)])
    assert candidate.tuned.theta is learned.run.theta
    assert candidate.tuned.process.problem.rows is search.rows
    assert candidate.tuned.nlml == pytest.approx(nlml(learned.problem.on(search.rows), learned.run.theta), rel=1e-12)
    assert candidate.tuned.n_basis == 150


def test_features_are_tuned_to_fresh_frequencies():
    X, y, _ = table(2, n=150)
    settings = {"expansion": "fastfood", "n_restarts": 2, "max_iter": 3, "max_iter_restart": 2}
    search = search_for("pwl", *rows_of(X, y), **settings)
    plan = search.plan(search.settings.kernel)
    learned = learn(search, plan)
    [candidate] = compare(search, [(plan, learned)])
    assert candidate.tuned.process.problem.draws is not learned.problem.draws
    assert candidate.tuned.nlml <= nlml(candidate.tuned.process.problem, learned.run.theta) + 1e-6


def test_vanished_components_are_not_compared(monkeypatch):
    monkeypatch.setattr(policy, "VANISHED", 0.3)
    search = search_for("gm", *rows_of(*table(2, n=150)[:2]), n_restarts=2, max_iter=8, max_iter_restart=2)
    plan = search.plan(search.settings.kernel)
    learned = learn(search, plan)
    [candidate] = compare(search, [(plan, learned)])
    assert candidate.plan.n_components < plan.n_components == 4
    assert candidate.n_parameters < learned.problem.layout.size
    assert candidate.tuned.nlml == pytest.approx(
        nlml(candidate.learned.problem.on(search.rows), candidate.learned.run.theta), rel=1e-12
    )


@pytest.mark.parametrize("kernel", ["ard", "auto"])
def test_a_closed_form_is_factorised_once_for_its_evidence_and_its_posterior(monkeypatch, kernel):
    """On few rows the factors of all are kept, on more those of one alone."""
    solved = {name: [] for name in ("compare", "build", "fit")}
    for name, module in (("compare", alakarte.search.compare), ("build", build), ("fit", alakarte.search.fit)):
        real = module.row_space
        monkeypatch.setattr(module, "row_space", lambda p, real=real, name=name: solved[name].append(p) or real(p))
    X, y, _ = table(2, n=60)
    model = GPRegressor(kernel, **SMALL).fit(X, y)
    assert len(solved["compare"]) == max(len(model.ranking_), 1)
    assert not solved["build"]
    assert not solved["fit"]
    assert np.isfinite(model.predict(X, return_std=True)).all()
    monkeypatch.setattr(policy, "FEW_ROWS", 50)
    GPRegressor(kernel, **SMALL).fit(X, y)
    assert len(solved["build"]) == (kernel == "auto")
