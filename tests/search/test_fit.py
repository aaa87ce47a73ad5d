"""A fit ends with the best point it has seen and says, once, where it did not converge."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import alakarte.search.run_stage
from alakarte import GPRegressor
from alakarte.process.objective import nlml_gradient
from alakarte.search import policy
from problems import naming, problem, table, values_at
from search.searches import Failing

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def check_fit_with_failures(seed, monkeypatch):
    X, y, _ = table(2, n=12)
    function = Failing(nlml_gradient, seed)
    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", function)
    settings = {"n_components": 1, "n_frequencies": 4, "n_restarts": 2, "max_iter": 6, "max_iter_restart": 2}
    settings["lengthscale_spread"] = None  # the best evidence is sought, nothing else
    model = GPRegressor("ard", **settings, n_jobs=1, random_state=seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert function.n_failed > 0 or all("early: max_iter=6 reached." in str(warning.message) for warning in caught)
    assert len(caught) <= 1
    assert all(warning.category is ConvergenceWarning for warning in caught)
    assert ("gave no finite value" in model.stop_reason_) <= (len(caught) == 1)
    assert model.converged_ == (not caught)
    best = max(-value for value, _ in function.seen) - 12 * np.log(y.std())
    assert model.log_marginal_likelihood_ == pytest.approx(best, rel=1e-12)
    assert all(np.isfinite(part).all() for part in model.predict(X, return_std=True))


def test_failures_inside_a_fit_give_the_best_point_and_one_warning(monkeypatch):
    for seed in range(100):
        with naming(seed):
            check_fit_with_failures(seed, monkeypatch)


def test_a_fit_that_never_gets_a_number_ends_with_a_warning(monkeypatch):
    X, y, _ = table(2, n=12)
    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", lambda problem, theta: (np.nan, theta))
    model = GPRegressor("ard", n_components=1, n_frequencies=4, n_restarts=2, n_jobs=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="no finite value") as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert not model.converged_
    assert np.isfinite(model.predict(X)).all()


def fit(kernel="ard", **settings):
    X, y, _ = table(3)
    defaults = {"n_components": 1, "n_frequencies": 6, "n_restarts": 2, "random_state": 0, "n_jobs": 1}
    return GPRegressor(kernel, **(defaults | settings)).fit(X, y)


def test_a_short_fit_warns_once_and_says_what_to_raise():
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 reached.*raise max_iter \(now 2\)") as caught:
        model = fit(max_iter=2)
    assert len(caught) == 1
    assert not model.converged_
    assert "max_iter=2" in model.stop_reason_
    assert model.n_iter_ == 2


@pytest.mark.parametrize(("kernel", "n_rows"), [("ard", 60), ("ard", 450), ("gm", 60), ("gm", 450)])
def test_a_short_fit_warns_once_whatever_the_number_of_its_runs(kernel, n_rows, monkeypatch):
    monkeypatch.setattr(policy, "NEAR", np.inf)  # the two best starts of a mixture are tried on more rows
    X, y, _ = table(3, n=n_rows)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 reached.*raise max_iter \(now 1\)") as caught:
        model = GPRegressor(kernel, max_iter=1, max_iter_restart=1, n_restarts=3, random_state=0, n_jobs=1).fit(X, y)
    assert len(caught) == 1
    assert not model.converged_


def test_a_long_fit_does_not_warn():
    model = fit(max_iter=300)
    assert model.converged_
    assert model.n_iter_ < 300


def test_without_iterations_the_fit_is_its_start():
    model = fit(max_iter=0)
    made, _ = problem("ard", (3, 1, 6))
    values = values_at(made, model.theta_)
    assert np.exp(values["log_amplitude"]) == pytest.approx([1.0])
    assert np.exp(values["log_noise_std"]) == pytest.approx(0.1)
    assert (model.n_iter_, model.n_evaluations_, len(model.starts_)) == (0, 1, 1)


def test_without_iterations_every_kernel_of_the_menu_is_at_its_start():
    X, _, _ = table(3, n=60)
    y = X.sum(axis=1) + np.random.default_rng(0).standard_normal(60)  # waves would add kernels
    model = GPRegressor(max_iter=0, random_state=0, n_jobs=1).fit(X, y)
    assert (model.n_iter_, model.n_evaluations_, len(model.starts_)) == (0, 5, 1)
    assert model.noise_std_ == pytest.approx(0.1 * y.std())


def test_a_fit_without_noise_does_not_warn():
    X = np.linspace(0, 6, 40)[:, None]
    model = GPRegressor("ard", n_components=2, n_frequencies=8, random_state=0, n_jobs=1).fit(X, np.sin(X[:, 0]))
    assert model.converged_
    assert np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 1e-3
