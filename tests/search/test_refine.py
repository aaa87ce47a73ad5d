"""What is learned from some rows and with some columns learns on from more of them; closed forms stay as they are."""

import pytest

import alakarte.search.refine
from alakarte import GPRegressor
from alakarte.kernels import ARD
from alakarte.search import policy
from alakarte.search.candidates import Candidate
from alakarte.search.compare import compare
from alakarte.search.learn import learn
from alakarte.search.refine import refine
from problems import rows_of, table
from search.searches import search_for

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 0.0}


@pytest.mark.parametrize("expansion", ["auto", "exact"])
def test_the_evidence_is_that_of_all_rows(expansion):
    X, y, _ = table(2, n=150)
    model = GPRegressor("ard", expansion=expansion, n_learning_rows=60, **SMALL).fit(X, y)
    assert (model.n_learning_rows_, model.n_basis_) == (60, 150)
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_a_closed_form_is_left_as_it_was_learned():
    """From some rows where the user gave them: the evidence is that of all, at the same parameters."""
    X, y, _ = table(2, n=150)
    model = GPRegressor("ard", n_learning_rows=60, **SMALL).fit(X, y)
    learned_noise_std = float(model.noise_std_ / model.model_.calibration.scale[0])
    fixed = {"lengthscale": model.kernel_.lengthscale, "amplitude": model.kernel_.amplitude}
    settings = {"expansion": "exact", "noise_std": learned_noise_std, "random_state": 0}
    same = GPRegressor(ARD(fixed=fixed), **settings).fit(X, y)
    assert model.log_marginal_likelihood_ == pytest.approx(same.log_marginal_likelihood_, rel=1e-9)
    search = search_for("ard", *rows_of(X, y), n_learning_rows=60, n_restarts=2, max_iter=3, max_iter_restart=2)
    plan = search.plan(search.settings.kernel)
    learned = learn(search, plan)
    [refined] = refine(search, [Candidate(plan, learned, None)])
    assert refined.learned is learned


def test_features_learn_further_where_more_columns_pay_and_keep_the_better(monkeypatch):
    monkeypatch.setattr(policy, "MORE", -1.0)  # they always pay
    X, y, _ = table(2, n=300)
    search = search_for("pwl", *rows_of(X, y), n_components=1, n_restarts=2, max_iter=3, max_iter_restart=2)
    plan = search.plan(search.settings.kernel)
    [before] = compare(search, [(plan, learn(search, plan))])
    [after] = refine(search, [before])
    assert after.score >= before.score
    assert after.doublings == 0
    assert len(after.learned.runs) > len(before.learned.runs) or after.learned is before.learned
    assert refine(search, [after])[0].learned is after.learned  # once


def test_some_of_the_rows_are_not_learned_from_again_with_more_columns(monkeypatch):
    for name, value in (("MORE", -1.0), ("SECOND_COLUMNS", 8192), ("SMALL_ROWS", 199), ("MAIN_ROWS", 100)):
        monkeypatch.setattr(policy, name, value)  # more columns always pay
    X, y, _ = table(2, n=300)
    search = search_for("pwl", *rows_of(X, y), n_components=1, n_restarts=2, max_iter=3, max_iter_restart=2)
    plan = search.plan(search.settings.kernel)
    [before] = compare(search, [(plan, learn(search, plan))])
    seen, real = [], alakarte.search.refine.learn_further
    monkeypatch.setattr(alakarte.search.refine, "learn_further", lambda *a: seen.append(a[3]) or real(*a))
    refine(search, [before])
    assert [(problem.rows.n_rows, problem.n_basis) for problem in seen] == [(300, before.learned.problem.n_basis)]
    seen.clear()
    refine(search, [before], doublings=1)  # as under `max_time`
    assert seen[0].n_basis == 2 * 8192


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_fit_from_some_rows_sees_them_all_in_the_end(n_jobs):
    X, y, _ = table(2, n=400)
    settings = SMALL | {"tol": 1e9, "n_frequencies": 6, "n_learning_rows": 50, "n_jobs": n_jobs}
    model = GPRegressor("ard", **settings).fit(X, y)
    assert model.n_learning_rows_ == 50
    assert model.model_.posterior.total == 400
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)
    assert (model.theta_ == GPRegressor("ard", **(settings | {"n_jobs": 2})).fit(X, y).theta_).all()
