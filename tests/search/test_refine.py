"""What is learned from some rows is tuned to all of them."""

import pytest

from alakarte import GPRegressor
from alakarte.kernels import ARD
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 0.0}


@pytest.mark.parametrize("expansion", ["auto", "exact"])
def test_the_evidence_is_that_of_all_rows(expansion):
    X, y, _ = table(2, n=150)
    model = GPRegressor("ard", expansion=expansion, n_learning_rows=60, **SMALL).fit(X, y)
    assert (model.n_learning_rows_, model.n_basis_) == (60, 150)
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_noise_of_an_exact_process_is_tuned_to_all_rows():
    X, y, _ = table(2, n=150)
    model = GPRegressor("ard", n_learning_rows=60, **SMALL).fit(X, y)
    fixed = {"lengthscale": model.kernel_.lengthscale}
    best = GPRegressor(ARD(fixed=fixed), expansion="exact", max_iter=100, random_state=0, tol=1e-6).fit(X, y)
    assert model.log_marginal_likelihood_ == pytest.approx(best.log_marginal_likelihood_, abs=1e-3)
    assert model.noise_std_ == pytest.approx(best.noise_std_, rel=1e-2)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_fit_from_some_rows_sees_them_all_in_the_end(n_jobs):
    X, y, _ = table(2, n=400)
    settings = SMALL | {"tol": 1e9, "n_frequencies": 6, "n_learning_rows": 50, "n_jobs": n_jobs}
    model = GPRegressor("ard", **settings).fit(X, y)
    assert model.n_learning_rows_ == 50
    assert model.model_.posterior.total == 400
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)
    assert (model.theta_ == GPRegressor("ard", **(settings | {"n_jobs": 2})).fit(X, y).theta_).all()
