"""Learning one kernel: the best of the restarts goes on, noise is held down at first, empty components fall."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from alakarte.kernels import PiecewiseLinear
from alakarte.likelihoods import gaussian
from alakarte.process.objective import nlml
from alakarte.search import policy
from alakarte.search.learn import Learned, begin, prune
from alakarte.search.optimise import Run
from alakarte.search.stopping import NOT_BEGUN
from problems import plan_of, problem, rows_of, table, values_at
from search.searches import search_for

short_fits = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def test_best_of_the_restarts_continues():
    X, y, _ = table(3)
    settings = {"n_components": 1, "n_frequencies": 6, "n_restarts": 4, "max_iter": 5, "max_iter_restart": 3}
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        model = GPRegressor("ard", **settings, random_state=0).fit(X, y)
    screened = [start["log_marginal_likelihood"] for start in model.starts_]
    assert len(screened) == 4
    assert len(set(screened)) == 4
    assert model.log_marginal_likelihood_ >= max(screened)
    assert model.trace_["value"][0] == pytest.approx(max(screened), rel=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_restarts_count_as_work_done(n_jobs):
    search = search_for("ard", *rows_of(*table(2, n=60)[:2]), n_restarts=3, max_iter_restart=4)
    plan = search.plan(search.settings.kernel)
    plan = replace(plan, settings=replace(plan.settings, n_jobs=n_jobs))
    begun = begin(search, plan)
    assert len(begun.screened) == 3
    assert search.progress.finished == pytest.approx(3 * 4 * plan.evaluation_flops(60, closed=True))


@short_fits
def test_noise_held_down_at_first_finds_what_all_is_noise_hides(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 32))  # two inputs of 32 count
    y = np.sin(5 * X[:, 0]) * np.cos(2.5 * X[:, 1]) + 0.1 * rng.standard_normal(600)
    found = {}
    for bound in (gaussian.HELD_DOWN, 1e3):
        monkeypatch.setattr(gaussian, "HELD_DOWN", bound)
        model = GPRegressor("ard", n_posterior_frequencies=None, max_iter=60, random_state=2).fit(
            X, y
        )  # half of the seeds do
        found[bound] = model.log_marginal_likelihood_
    assert found[0.3] > found[1e3] + 20


@short_fits
def test_amplitudes_stay_near_the_targets_where_frequencies_are_drawn_afresh():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.01 * rng.standard_normal(80)  # a plane: any large amplitude will do
    largest = {}
    for fresh in ("auto", None):
        model = GPRegressor("pwl", n_posterior_frequencies=fresh, n_restarts=2, max_iter=30, random_state=0).fit(X, y)
        largest[fresh] = model.kernel_.amplitude.max() / y.std()
    assert largest["auto"] < 10.001 < largest[None]
    free = PiecewiseLinear(bounds={"amplitude": (1.0, 1e4)})
    model = GPRegressor(free, n_restarts=2, max_iter=30, random_state=0).fit(X, y)
    assert model.kernel_.amplitude.max() / y.std() > 10.001


@short_fits
def test_components_without_weight_are_dropped(monkeypatch):
    X, y, _ = table(2, n=400)
    monkeypatch.setattr(policy, "VANISHED", 0.2)  # a fifth of the variance, so that some component falls
    model = GPRegressor("gm", **(SMALL | {"max_iter": 20})).fit(X, y)
    assert model.n_components_ == len(model.kernel_.amplitude) < 4
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_components_are_dropped_by_their_share_of_the_variance():
    """An amplitude of 2e-3 beside one of 1 has 4e-6 of the variance: below the 1e-5 that a component must have."""
    made, theta = problem("gm", (2, 3, 4))
    for small, left in ((2e-3, 2), (5e-3, 3)):
        values = values_at(made, theta) | {"log_amplitude": np.log([1.0, small, 1.0])}
        run = Run(made.layout.pack(values), 0.0, 1, NOT_BEGUN, 0, [])
        plan = plan_of("gm", made.rows, n_components=3, n_frequencies=4)
        plan, learned = prune(plan, Learned(made, run, [run], [run], 1.0))
        assert plan.n_components == learned.problem.draws.shape.n_components == left
        kept = learned.problem.layout.unpack(learned.run.theta)
        assert np.exp(kept["log_amplitude"]) == pytest.approx([1.0] * 2 if left == 2 else [1.0, small, 1.0])
        assert np.isfinite(nlml(learned.problem, learned.run.theta))
