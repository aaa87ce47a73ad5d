"""Learning without an expansion where that is cheap, then a posterior of features like any other."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels.registry import kernels, resolve
from alakarte.learn import Settings, exactly
from alakarte.objective import has_closed_form
from alakarte.refit import enlarge
from alakarte.sizes import CLOSED_FLOPS, closed_flops
from problems import problem as problem_for
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 0.0}
CLOSED = {"rbf", "ard", "gm", "matern"}


def settings_for(name, n_components=1, expansion="fastfood", n_posterior_frequencies="auto"):
    rest = {"n_posterior_frequencies": n_posterior_frequencies}
    return Settings(resolve(name), n_components, 8, expansion, 1, 5, 2, 0.1, None, 1, **rest)


def test_kernels_that_need_no_expansion():
    assert {name for name in kernels() if has_closed_form(resolve(name))} == CLOSED


def test_pairs_of_rows_cost_the_more_the_more_inputs_and_components():
    assert closed_flops(2308, 128, 1) < CLOSED_FLOPS < closed_flops(2308, 128, 4)
    assert closed_flops(1000, 8, 8) < CLOSED_FLOPS < closed_flops(4000, 1, 1)


@pytest.mark.parametrize(
    ("name", "given", "n_rows", "n_inputs", "expected"),
    [
        ("ard", {}, 1000, 5, True),
        ("ard", {}, 4000, 5, False),
        ("ard", {"n_components": 64}, 2000, 128, True),  # it has no components
        ("gm", {"n_components": 4}, 1000, 5, True),
        ("gm", {"n_components": 4}, 2308, 128, False),
        ("pwl", {}, 100, 2, False),
        ("ssgpr", {}, 100, 2, False),
        ("ard", {"n_posterior_frequencies": 100}, 100, 2, False),
        ("ard", {"n_posterior_frequencies": None}, 100, 2, False),
        ("ard", {"expansion": "exact", "n_posterior_frequencies": None}, 10_000, 2, True),
    ],
)
def test_closed_where_cheap_and_no_number_of_columns_is_given(name, given, n_rows, n_inputs, expected):
    assert exactly(settings_for(name, **given), n_rows, n_inputs) is expected


@pytest.mark.parametrize("name", ["ard", "gm"])
def test_what_is_learned_is_what_an_exact_process_learns(name):
    X, y, _ = table(2, n=150)
    model = GPRegressor(name, **SMALL).fit(X, y)
    exact = GPRegressor(name, expansion="exact", **SMALL).fit(X, y)
    np.testing.assert_allclose(model.kernel_.lengthscale, exact.kernel_.lengthscale, rtol=1e-6)
    assert (model.n_frequencies_, exact.n_frequencies_, exact.n_posterior_frequencies_) == (0, 0, 0)
    assert model.n_posterior_frequencies_ > 0
    np.testing.assert_allclose(model.predict(X), exact.predict(X), atol=0.2 * y.std())
    assert "exactly" in model.summary()


def test_rows_join_the_posterior_of_a_kernel_learned_exactly():
    X, y, _ = table(2, n=150)
    model = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    before = model.log_marginal_likelihood_
    model.partial_fit(X[100:], y[100:])
    assert model.n_frequencies_ == 0
    assert model.log_marginal_likelihood_ != before


def test_fresh_frequencies_end_the_closed_form():
    problem, _ = problem_for("ard", n=50, form="exact")
    assert enlarge(problem, 64, np.random.default_rng(0)).form == "auto"


def test_a_given_number_of_rows_to_learn_from_counts():
    X, y, _ = table(2, n=3000)
    model = GPRegressor("ard", n_learning_rows=200, **SMALL).fit(X, y)
    assert (model.n_learning_rows_, model.n_frequencies_) == (200, 0)
