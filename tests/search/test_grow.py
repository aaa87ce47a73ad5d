"""More frequencies after learning: fresh ones, as many as gain, or as many as are asked for."""

import numpy as np
import pytest

import alakarte.search.grow
from alakarte import GPRegressor
from alakarte.execution.budget import Budget
from alakarte.kernels.registry import kernels, resolve
from alakarte.process.computation import Computation
from alakarte.records import Shape
from alakarte.search import policy
from alakarte.search.candidates import Candidate
from alakarte.search.compare import tune_one, with_columns
from alakarte.search.grow import grow
from alakarte.search.learn import Learned
from alakarte.search.optimise import Run
from alakarte.search.stopping import NOT_BEGUN
from problems import naming, scaling_of, table
from problems import problem as problem_for
from search.searches import search_for

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]


def test_fresh_frequencies_end_the_closed_form():
    problem, _ = problem_for("ard", n=50, computation=Computation.CLOSED)
    assert with_columns(problem, 64, np.random.default_rng(0)).computation is None


SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def test_kernels_whose_parameters_are_frequencies_keep_them():
    assert {name for name in kernels() if resolve(name).learns_frequencies} == {"fsard", "fsgbard", "ssgpr"}
    for name in kernels():
        with naming(name):  # what a kernel declares is what its parameters are
            few, many = (resolve(name).parameters(Shape(2, (m,))) for m in (3, 5))
            assert resolve(name).learns_frequencies == ([p.shape for p in few] != [p.shape for p in many])


def test_growth_ends_where_it_no_longer_pays():
    X, y, _ = table(2, n=300)
    model = GPRegressor("ard", expansion="fastfood", **SMALL).fit(X, y)
    assert model.n_posterior_frequencies_ > model.n_frequencies_
    assert "gain" in model.growth_reason_ or "most" in model.growth_reason_
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_growth_is_not_taken_back_and_only_taken_where_it_gains():
    problem, theta = problem_for("ard", n=200)
    first = tune_one(with_columns(problem, 16, np.random.default_rng(0)), theta, Budget())
    search = search_for("ard", problem.rows, scaling_of(problem.rows.x, problem.rows.y))
    run = Run(theta, first.nlml, 0, NOT_BEGUN, 0, [])
    learned = Learned(problem, run, [run], [run], problem.rows.total)
    grown = grow(search, Candidate(search.plan(problem.kernel), learned, first))
    assert first.n_basis == 16
    assert grown.tuned.nlml <= first.nlml
    assert grown.reason
    assert search.progress.said


def test_growth_goes_at_once_to_the_columns_that_are_expected_to_pay(monkeypatch):
    problem, theta = problem_for("ard", n=200)
    first = tune_one(with_columns(problem, 16, np.random.default_rng(0)), theta, Budget())
    search = search_for("ard", problem.rows, scaling_of(problem.rows.x, problem.rows.y))
    run = Run(theta, first.nlml, 0, NOT_BEGUN, 0, [])
    candidate = Candidate(search.plan(problem.kernel), Learned(problem, run, [run], [run], 1.0), first)
    gains = iter([8 * policy.GROWTH * problem.rows.total, 0.0])  # each doubling is expected to gain half of the last
    sizes, real = [], alakarte.search.grow.tune_one
    monkeypatch.setattr(alakarte.search.grow, "gain_of_last_doubling", lambda tuned: next(gains))
    monkeypatch.setattr(alakarte.search.grow, "tune_one", lambda *a: sizes.append(a[0].n_basis) or real(*a))
    grown = grow(search, candidate)
    assert sizes == [128]
    assert "gain" in grown.reason


@pytest.mark.parametrize("name", ["ard", "gm", "pwl", "ssgpr"])
def test_a_given_number_of_posterior_frequencies(name):
    X, y, _ = table(2, n=120)
    model = GPRegressor(name, n_components=2, n_frequencies=8, n_posterior_frequencies=40, **SMALL).fit(X, y)
    assert model.n_frequencies_ == 8
    assert model.n_posterior_frequencies_ == (8 if name == "ssgpr" else 40 if name != "ard" else 20)
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_a_given_number_of_frequencies_is_kept():
    X, y, _ = table(2, n=120)
    model = GPRegressor("gm", n_components=2, n_frequencies=8, **SMALL).fit(X, y)
    assert model.n_posterior_frequencies_ == 8
    assert model.n_basis_ == 64
