"""What a plan decides, seen in whole fits: no expansion where that is cheap, features like any other beyond."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.search import policy
from alakarte.search.cost import closed_flops
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 0.0}


@pytest.mark.parametrize("name", ["ard", "gm"])
def test_few_rows_get_an_exact_process_and_features_where_asked_for(name, monkeypatch):
    X, y, _ = table(2, n=150)
    monkeypatch.setattr(policy, "RUNG_NATS", 0.0)  # the last rung stops as a run on all rows does
    exact = GPRegressor(name, expansion="exact", **SMALL).fit(X, y)
    model = GPRegressor(name, **SMALL).fit(X, y)
    np.testing.assert_allclose(model.predict(X), exact.predict(X), rtol=1e-6)
    assert (model.n_frequencies_, model.n_posterior_frequencies_, model.n_basis_) == (0, 0, 150)
    assert "exact on 150 rows" in model.summary()
    expanded = GPRegressor(name, expansion="fastfood", **SMALL).fit(X, y)
    np.testing.assert_allclose(expanded.kernel_.lengthscale, exact.kernel_.lengthscale, rtol=1e-6)
    assert expanded.n_frequencies_ == 0 < expanded.n_posterior_frequencies_
    np.testing.assert_allclose(expanded.predict(X), exact.predict(X), atol=0.2 * y.std())
    assert "exactly" in expanded.summary()


def test_a_kernel_pruned_to_what_is_cheap_has_fresh_columns_like_the_others(monkeypatch):
    X, y, _ = table(2, n=150)
    monkeypatch.setattr(policy, "VANISHED", 0.3)
    for name in ("LEARN_CLOSED_FLOPS", "KEEP_CLOSED_FLOPS"):
        monkeypatch.setattr(policy, name, closed_flops(150, 2, 3))
    model = GPRegressor("gm", n_restarts=1, max_iter=20, random_state=0).fit(X, y)
    assert model.n_components_ < 4
    assert model.n_frequencies_ > 0
    assert model.n_posterior_frequencies_ > model.n_frequencies_ // 4
    assert model.growth_reason_ != ""


def test_more_rows_keep_the_closed_form_and_are_all_seen_in_the_end(monkeypatch):
    X, y, _ = table(2, n=150)
    monkeypatch.setattr(policy, "FIRST_ROWS", 30)
    monkeypatch.setattr(policy, "LEARN_CLOSED_FLOPS", closed_flops(60, 2, policy.FIRST_COMPONENTS))
    monkeypatch.setattr(policy, "KEEP_CLOSED_FLOPS", closed_flops(150, 2, 1))
    model = GPRegressor("ard", **SMALL | {"max_iter": 60}).fit(X, y)
    assert (model.n_learning_rows_, model.n_frequencies_, model.n_basis_) == (150, 0, 150)
    assert model.n_iter_ <= policy.DEAR_ITERATIONS  # of the last run, on all rows
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)
    begun = GPRegressor("ard", n_learning_rows=37, **SMALL | {"max_iter": 60}).fit(X, y)  # the first rung
    assert model.log_marginal_likelihood_ > begun.log_marginal_likelihood_
    assert GPRegressor("ard", expansion="fastfood", **SMALL).fit(X, y).n_frequencies_ > 0


def test_a_given_number_of_rows_to_learn_from_counts():
    X, y, _ = table(2, n=3000)
    model = GPRegressor("ard", n_learning_rows=200, **SMALL).fit(X, y)
    assert (model.n_learning_rows_, model.n_frequencies_) == (200, 0)
