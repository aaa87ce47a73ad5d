"""One stage: short runs from several starts, or a long one; the same bits for any number of threads."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte.search.run_stage
from alakarte import GPRegressor
from alakarte.likelihoods import Gaussian, gaussian
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml
from alakarte.search import policy
from alakarte.search.cost import expected_flops
from alakarte.search.learn import begin
from alakarte.search.plan import Stage
from alakarte.search.run_stage import long_run, short_stage
from alakarte.search.set_up import set_up
from alakarte.search.starts import Start
from alakarte.search.stopping import Stop
from problems import naming, rows_of, table
from search.searches import search_for

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def stage_of(kernel="ard", n=60, max_time=None, **settings):
    """A search, the plan of its kernel, its problem on all rows and a start."""
    search = search_for(kernel, *rows_of(*table(2, n=n)[:2]), max_time=max_time, **settings)
    plan = search.plan(search.settings.kernel)
    problem = set_up(plan, search.rows, search.scaling, np.random.default_rng(0))
    values = {p.name: np.zeros(p.shape) for p in problem.layout.parameters}
    return search, plan, problem, problem.layout.pack(values)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_restarts_count_as_work_done(n_jobs):
    search = search_for("ard", *rows_of(*table(2, n=60)[:2]), n_restarts=3, max_iter_restart=4)
    plan = search.plan(search.settings.kernel)
    plan = replace(plan, settings=replace(plan.settings, n_jobs=n_jobs))
    begun = begin(search, plan)
    assert len(begun.screened) == 3
    assert search.progress.finished == pytest.approx(3 * expected_flops(4, plan.evaluation_flops(60, closed=True)))


def test_short_runs_have_the_same_bits_side_by_side_and_one_by_one(monkeypatch):
    search, plan, problem, theta = stage_of("gm", n_components=2, n_frequencies=8)
    starts = [Start(theta + 0.1 * index, hold_noise_down=index == 1) for index in range(3)]
    found = [short_stage(search, plan, problem.with_jobs(n_jobs), starts, 6) for n_jobs in (1, 3)]
    monkeypatch.setattr(policy, "SIDE_BY_SIDE", 0)
    found.append(short_stage(search, plan, problem.with_jobs(2), starts, 6))
    for runs in found:
        assert [run.start for run in runs] == [0, 1, 2]
        assert all(run.n_iter <= 6 for run in runs)
        for run, first in zip(runs, found[0], strict=True):
            assert run.nlml == first.nlml
            assert np.array_equal(run.theta, first.theta)


def test_noise_is_held_down_where_a_start_asks_for_it_and_noise_and_rows_are_open(monkeypatch):
    cases = [  # settings, whether the start asks for it, whether noise is held down
        ({}, True, True),
        ({}, False, False),
        ({"noise_std": 0.2}, True, False),
        ({"n_learning_rows": None}, True, False),
        ({"n_learning_rows": 40}, True, False),
    ]
    tasks = []
    monkeypatch.setattr(alakarte.search.run_stage, "short_runs", lambda made, *_: tasks.append(made[0]) or [])
    for settings, asks, held in cases:
        with naming(settings, asks):
            search, plan, problem, theta = stage_of(n_frequencies=8, n_components=1, **settings)
            short_stage(search, plan, problem, [Start(theta, hold_noise_down=asks)], 6)
            assert (tasks[-1].first_upper is not None) == held
            if held:
                upper = problem.layout.bounds()[1]
                below = tasks[-1].first_upper < upper
                assert [label for label, is_below in zip(problem.layout.labels(), below, strict=True) if is_below] == [
                    p.name for p in Gaussian().parameters()
                ]
                assert tasks[-1].first_upper[below] == pytest.approx(np.log(gaussian.HELD_DOWN))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
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


@pytest.mark.parametrize("kernel", ["ard", "gm"])
def test_a_long_run_ends_no_worse_than_it_began(kernel):
    search, plan, problem, theta = stage_of(kernel, n_components=2, n_frequencies=8, lengthscale_spread=None)
    first = nlml(problem, theta)
    for max_iter in (0, 1, 12):
        with naming(max_iter):
            after, run = long_run(search, plan, problem, theta, Stage(60, max_iter, 0.0))
            assert after.rows is problem.rows
            assert run.n_iter <= max_iter
            assert run.nlml <= first
            assert run.nlml == pytest.approx(nlml(problem, run.theta), rel=1e-12)
    assert run.nlml < first - 1


def test_a_run_stops_where_a_window_gains_less_than_it_must():
    search, plan, problem, theta = stage_of(n_components=2, n_frequencies=8)
    for stage in (Stage(60, 100, 1e9), Stage(60, 100, 0.0, 1e9)):  # in nats, or by its price
        with naming(stage):
            _, run = long_run(search, plan, problem, theta, stage)
            assert run.ending.stop is Stop.LITTLE_GAIN
            assert run.n_iter == policy.WINDOW + 1


def test_where_the_user_gives_time_a_flop_costs_less(monkeypatch):
    limits = []
    real = alakarte.search.run_stage.minimise
    monkeypatch.setattr(alakarte.search.run_stage, "minimise", lambda *a: limits.append(a[2]) or real(*a))
    for max_time in (None, 1e6):
        search, plan, problem, theta = stage_of(n_components=2, n_frequencies=8, max_time=max_time)
        long_run(search, plan, problem, theta, Stage(60, 1, 0.0, 1.0))
    hasty, patient = (limit.price for limit in limits)
    assert hasty == pytest.approx(policy.PATIENCE * patient)


def test_mixed_precision_ends_in_double():
    search, plan, problem, theta = stage_of(n=200, n_components=2, n_frequencies=8, precision="mixed")
    assert plan.precision == "mixed"
    after, run = long_run(search, plan, problem, theta, Stage(200, 20, 0.0))
    assert after.precision == "double"
    assert run.nlml == pytest.approx(nlml(after, run.theta), rel=1e-12)
    double = replace(problem, precision="double")
    _, alone = long_run(
        search, replace(plan, settings=replace(plan.settings, precision="double")), double, theta, Stage(200, 20, 0.0)
    )
    assert run.nlml < alone.nlml + 1


def test_where_mixed_precision_is_too_rough_double_has_all_iterations(monkeypatch):
    search, plan, problem, theta = stage_of(n=200, n_components=2, n_frequencies=8, precision="mixed")
    monkeypatch.setattr(policy, "MIXED_NATS", -1.0)  # no difference is small enough
    _, run = long_run(search, plan, problem, theta, Stage(200, 7, 0.0))
    assert any("double" in text for text in search.progress.said)
    assert run.n_iter == 14


def test_by_default_some_of_many_rows_are_learned_from_in_single_precision(monkeypatch):
    search, plan, problem, theta = stage_of(n=200, n_components=2, precision="auto")
    assert plan.precision == "double"  # learns from the rows that the posterior has
    monkeypatch.setattr(policy, "SMALL_ROWS", 199)
    assert plan.precision == "mixed"
    assert replace(plan, settings=replace(plan.settings, n_posterior_frequencies=None)).precision == "double"
    seen, real = [], alakarte.search.run_stage.nlml_gradient
    monkeypatch.setattr(
        alakarte.search.run_stage, "nlml_gradient", lambda problem, theta: seen.append(problem) or real(problem, theta)
    )
    features = replace(problem, computation=Computation.WEIGHTS)
    after, run = long_run(search, plan, features, theta, Stage(200, 5, 0.0))
    assert {each.precision for each in seen} == {"mixed"}  # accurate enough: no step in double follows
    assert after.precision == "double"
    assert run.nlml == nlml(after, run.theta)


def test_where_mixed_precision_finds_no_better_point_double_goes_on(monkeypatch):
    """Slopes of float32 may be wrong where values are accurate: then a line has no better point, and nothing ended."""
    search, plan, problem, theta = stage_of(n=200, n_components=2, precision="auto")
    monkeypatch.setattr(policy, "SMALL_ROWS", 199)
    seen, real = [], alakarte.search.run_stage.nlml_gradient

    def upside_down(problem, theta):
        seen.append(problem.precision)
        value, gradient = real(problem, theta)
        return value, -gradient if problem.precision == "mixed" else gradient

    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", upside_down)
    features = replace(problem, computation=Computation.WEIGHTS)
    _, run = long_run(search, plan, features, theta, Stage(200, 5, 0.0))
    assert set(seen) == {"mixed", "double"}
    assert run.nlml < nlml(features, theta) - 1
