"""Learning without an expansion where that is cheap, then a posterior of features like any other."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte.estimators.online
import alakarte.search.learn
import alakarte.search.sizes
from alakarte import GPRegressor
from alakarte.data.arrays import Rows
from alakarte.errors import InvalidInput
from alakarte.kernels import ARD
from alakarte.kernels.registry import kernels, resolve
from alakarte.posteriors.posterior import posterior
from alakarte.process.objective import has_closed_form, model_at, nlml
from alakarte.search.grow import enlarge
from alakarte.search.learn import Settings, exactly
from alakarte.search.sizes import CLOSED_FLOPS, KEPT_FLOPS, closed_flops, closed_rows
from alakarte.search.stages import LAST_FLOPS, LAST_ITERATIONS
from problems import problem as problem_for
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 0.0}
CLOSED = {"rbf", "ard", "gm", "matern", "mm"}


def settings_for(name, n_components=1, expansion="fastfood", n_posterior_frequencies="auto"):
    rest = {"n_posterior_frequencies": n_posterior_frequencies}
    return Settings(resolve(name), n_components, 8, expansion, 1, 5, 2, 0.1, None, 1, **rest)


def test_kernels_that_need_no_expansion():
    assert {name for name in kernels() if has_closed_form(resolve(name))} == CLOSED


def test_pairs_of_rows_cost_the_more_the_more_inputs_and_components():
    assert closed_flops(1300, 128, 1) < CLOSED_FLOPS < closed_flops(1300, 128, 4)
    assert closed_flops(1000, 8, 8) < CLOSED_FLOPS < closed_flops(2000, 1, 1)


@pytest.mark.parametrize(
    ("name", "given", "n_rows", "n_inputs", "expected"),
    [
        ("ard", {}, 1000, 5, True),
        ("ard", {}, 4000, 5, True),
        ("ard", {}, 5000, 5, False),
        ("ard", {"n_components": 64}, 2000, 128, True),  # it has no components
        ("gm", {"n_components": 4}, 1000, 5, True),
        ("gm", {"n_components": 4}, 2308, 128, True),
        ("gm", {"n_components": 4}, 4000, 128, False),
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
def test_few_rows_get_an_exact_process_and_features_where_asked_for(name):
    X, y, _ = table(2, n=150)
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


def test_rows_join_and_leave_an_exact_process():
    X, y, weight = table(2, n=150)
    model = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    theta, before = model.theta_, model.predict(X, return_std=True)
    model.partial_fit(X[100:], y[100:], weight[100:]).partial_fit(X[:10], y[:10])
    rows = Rows(np.vstack([X, X[:10]]), np.append(y, y[:10])[:, None], np.ones(160), scaling=model._scaling)
    rows.weight[100:150] = weight[100:]
    dense = replace(model._problem, rows=rows.whole())
    z = model._scaling.inputs(X)
    assert model.n_basis_ == 150  # ten rows came twice
    np.testing.assert_allclose(model._posterior.mean(z), posterior(model_at(dense, theta)).mean(z), atol=1e-8)
    evidence = -nlml(dense, theta) - rows.total * np.log(model._scaling.y_scale)
    assert model.log_marginal_likelihood_ == pytest.approx(evidence, rel=1e-9)
    model.forget(X[:10], y[:10]).forget(X[100:], y[100:], weight[100:])
    np.testing.assert_allclose(model.predict(X, return_std=True), before, atol=1e-8)
    assert model.n_posterior_frequencies_ == 0


def test_an_exact_process_becomes_features_where_rows_become_many(monkeypatch):
    monkeypatch.setattr(alakarte.estimators.online, "MOST_FLOPS", closed_flops(120, 2, 1))
    X, y, _ = table(2, n=150)
    model = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    before = model.predict(X)
    model.partial_fit(X[100:], y[100:])
    assert model.n_posterior_frequencies_ > 0
    assert model.n_basis_ == model._posterior.features.n_basis
    alone = GPRegressor("ard", **SMALL).fit(X[:100], y[:100])
    model.forget(X[100:], y[100:])
    np.testing.assert_allclose(model.predict(X[:100]), before[:100], atol=0.05 * y.std())
    assert model.log_marginal_likelihood_ == pytest.approx(alone.log_marginal_likelihood_, abs=5)
    with_more = GPRegressor("ard", **SMALL).fit(X, y).predict(X)
    np.testing.assert_allclose(model.partial_fit(X[100:], y[100:]).predict(X), with_more, atol=0.3 * y.std())


def test_a_change_that_fails_leaves_an_exact_process_as_it_was(monkeypatch):
    X, y, _ = table(2, n=100)
    model = GPRegressor("ard", **SMALL).fit(X, y)
    before = model.predict(X)
    with pytest.raises(InvalidInput, match="at least one must remain"):
        model.forget(np.vstack([X, X]), np.append(y, y))
    with pytest.raises(InvalidInput, match="no set of rows can have"):
        model.forget(X[:10] + 1, y[:10])
    monkeypatch.setattr(alakarte.estimators.online, "MOST_FLOPS", 0)
    with pytest.raises(InvalidInput, match="no set of rows can have"):
        model.forget(X[:50] + 3, y[:50])
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_posterior_frequencies_ == 0


def test_the_menu_of_few_rows_has_a_rough_kernel():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (120, 1))
    y = np.abs(X[:, 0]) + np.sign(X[:, 0] - 0.3) + 0.02 * rng.standard_normal(120)
    settings = {"n_restarts": 2, "max_iter": 30, "random_state": 0}
    ranking = GPRegressor(**settings).fit(X, y).ranking_
    found = {one["kernel"]: one["log_marginal_likelihood"] for one in ranking}
    assert found["matern"] > found["ard"]
    assert "matern" not in [one["kernel"] for one in GPRegressor(expansion="fastfood", **settings).fit(X, y).ranking_]


def test_fresh_frequencies_end_the_closed_form():
    problem, _ = problem_for("ard", n=50, form="exact")
    assert enlarge(problem, 64, np.random.default_rng(0)).form == "auto"


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


def test_a_kernel_pruned_to_what_is_cheap_has_fresh_columns_like_the_others(monkeypatch):
    X, y, _ = table(2, n=150)
    monkeypatch.setattr(alakarte.search.learn, "VANISHED", 0.3)
    for name in ("CLOSED_FLOPS", "KEPT_FLOPS"):
        monkeypatch.setattr(alakarte.search.learn, name, closed_flops(150, 2, 3))
    model = GPRegressor("gm", n_restarts=1, max_iter=20, random_state=0).fit(X, y)
    assert model.n_components_ < 4
    assert model.n_frequencies_ > 0
    assert model.n_posterior_frequencies_ > model.n_frequencies_ // 4
    assert model.growth_reason_ != ""


@pytest.mark.parametrize("n_components", [1, 4])
def test_rows_to_learn_from_without_an_expansion(n_components):
    most = closed_rows(10**6, 26, n_components)
    assert closed_flops(most, 26, n_components) <= CLOSED_FLOPS < closed_flops(most + 1, 26, n_components)
    assert closed_rows(most, 26, n_components) == most
    assert LAST_ITERATIONS * KEPT_FLOPS <= LAST_FLOPS  # the last steps see all rows


def test_more_rows_keep_the_closed_form_and_are_all_seen_in_the_end(monkeypatch):
    X, y, _ = table(2, n=150)
    for module in (alakarte.search.learn, alakarte.search.sizes):
        monkeypatch.setattr(module, "CLOSED_FLOPS", closed_flops(60, 2, 1))
        monkeypatch.setattr(module, "KEPT_FLOPS", closed_flops(150, 2, 1))
    model = GPRegressor("ard", **SMALL).fit(X, y)
    assert (model.n_learning_rows_, model.n_frequencies_, model.n_basis_) == (150, 0, 150)
    assert len(model.trace_["value"]) <= 3 * LAST_ITERATIONS  # of the last run, on all rows
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)
    begun = GPRegressor("ard", n_learning_rows=60, **SMALL).fit(X, y)
    assert model.log_marginal_likelihood_ > begun.log_marginal_likelihood_
    assert GPRegressor("ard", expansion="fastfood", **SMALL).fit(X, y).n_frequencies_ > 0


def test_a_given_number_of_rows_to_learn_from_counts():
    X, y, _ = table(2, n=3000)
    model = GPRegressor("ard", n_learning_rows=200, **SMALL).fit(X, y)
    assert (model.n_learning_rows_, model.n_frequencies_) == (200, 0)
