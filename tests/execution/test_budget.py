"""A limit of time is kept, an interruption keeps the best so far."""

import signal
import threading
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

import alakarte.execution.budget
import alakarte.search.competition
import alakarte.search.policy
import alakarte.search.run_stage
from alakarte import GPClassifier, GPRegressor
from alakarte.execution.budget import Budget
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def test_max_time_is_kept_and_gives_a_model():
    X, y, _ = table(3, n=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GPRegressor(max_time=0.2, random_state=0).fit(X, y)
    assert np.isfinite(model.predict(X[:5], return_std=True)).all()
    assert model.stop_reason_.startswith("max_time=0.2 s reached")
    assert len(model.ranking_) < 3


@pytest.mark.parametrize("limit", [3, 10, 40, 120])
@pytest.mark.parametrize("kernel", ["auto", "gm"])
def test_max_time_is_honoured_to_within_one_evaluation(monkeypatch, kernel, limit):
    """By a clock of its own, on which every evaluation takes a second."""
    X, y, _ = table(2, n=300)
    now, real = [0.0], alakarte.search.run_stage.nlml_gradient

    def timed(problem, theta):
        now[0] += 1
        return real(problem, theta)

    monkeypatch.setattr(alakarte.execution.budget, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", timed)
    settings = {"n_restarts": 3, "n_jobs": 1, "random_state": 0, "n_components": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GPRegressor(kernel, max_time=limit, tol=0.0, max_iter=10**6, **settings).fit(X, y)
    assert now[0] <= limit + 1
    assert np.isfinite(model.predict(X[:5], return_std=True)).all()


@pytest.fixture
def ctrl_c():
    """Python's own handler of SIGINT: a process started in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("after", [1, 3, 7])
def test_an_interruption_keeps_the_best_so_far(monkeypatch, after, ctrl_c):
    X, y, _ = table(2, n=200)
    calls, real = [], alakarte.search.run_stage.nlml_gradient

    def interrupted(problem, theta):
        calls.append(1)
        if len(calls) > after:
            signal.raise_signal(signal.SIGINT)
        return real(problem, theta)

    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", interrupted)
    settings = SMALL | {"n_jobs": 1, "n_restarts": 1, "tol": 0.0, "n_frequencies": 6}
    model = GPRegressor("ard", **settings)
    with pytest.raises(KeyboardInterrupt, match="best model so far is kept"):
        model.fit(X, y)
    assert model.stop_reason_ == "interrupted"
    assert not model.converged_
    assert np.isfinite(model.predict(X)).all()
    assert len(calls) == after + 1


def test_an_interruption_before_anything_is_known_passes_on(monkeypatch):
    def interrupted(problem, theta):
        raise KeyboardInterrupt

    X, y, _ = table(2, n=50)
    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", interrupted)
    with pytest.raises(KeyboardInterrupt):
        GPRegressor("ard", **SMALL).fit(X, y)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signal can be sent to a thread")
def test_ctrl_c_while_the_caller_waits_for_a_helper_ends_the_helper_and_keeps_the_best(monkeypatch, ctrl_c):
    """Two kernels climb side by side; the caller's is done, the other one would go on for a very long time."""
    X, y, _ = table(2, n=60)
    main, calls, caller_is_done = threading.main_thread(), [], threading.Event()
    climb, evaluate = alakarte.search.competition.climb, alakarte.search.run_stage.nlml_gradient

    def of_the_caller_at_once(search, plan, learned, stage):
        if threading.current_thread() is not main:
            return climb(search, plan, learned, stage)
        caller_is_done.wait(60)  # until the helper is at work
        return learned

    def of_the_helper_for_ever(problem, theta):
        if threading.current_thread() is not main and "climbing" in calls:
            calls.append(1)
            caller_is_done.set()
            if len(calls) == 5:
                time.sleep(0.2)  # the caller has come to wait
                signal.pthread_kill(main.ident, signal.SIGINT)
                time.sleep(0.2)
        return evaluate(problem, theta)

    def climb_together(search, climbing, rung):
        calls.append("climbing")
        return together(search, climbing[:2], rung)

    together = alakarte.search.competition._climb
    monkeypatch.setattr(alakarte.search.competition, "climb", of_the_caller_at_once)
    monkeypatch.setattr(alakarte.search.competition, "_climb", climb_together)
    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", of_the_helper_for_ever)
    monkeypatch.setattr(alakarte.search.policy, "RUNG_NATS", 0.0)
    monkeypatch.setattr(alakarte.search.policy, "PRICE", 0.0)
    model = GPRegressor(n_jobs=2, **(SMALL | {"tol": 0.0, "max_iter": 10**6}))
    with pytest.raises(KeyboardInterrupt, match="best model so far is kept"):
        model.fit(X, y)
    assert 5 <= len(calls) <= 7
    assert model.stop_reason_ == "interrupted"
    assert np.isfinite(model.predict(X, return_std=True)).all()


def test_a_share_within_a_share_leaves_the_outer_one_as_it_was():
    budget = Budget(100.0)
    with budget.part(0.5):
        outer = budget.until
        with budget.part(0.1, reserve=10.0):
            assert budget.until < outer
        assert budget.until == outer
    assert budget.until == float("inf")
    assert not Budget().patient
    assert not Budget().is_over()


def test_an_interruption_of_several_kernels_keeps_the_best_and_ends_what_is_around(monkeypatch):
    """Ctrl-C during `auto` says so, leaves a model that predicts, and does not let a surrounding loop go on."""
    X, y, _ = table(2, n=50)
    calls, real = [], alakarte.search.run_stage.nlml_gradient

    def interrupted(problem, theta):
        calls.append(theta)
        if len(calls) == 40:
            raise KeyboardInterrupt
        return real(problem, theta)

    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", interrupted)
    model = GPRegressor(n_jobs=1, **(SMALL | {"tol": 0.0}))
    with pytest.raises(KeyboardInterrupt):
        cross_val_score(model, X, y, cv=5)
    assert len(calls) == 40  # no further fold
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.stop_reason_ == "interrupted"
    assert np.isfinite(model.predict(X, return_std=True)).all()
    assert "interrupted" in model.summary()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_interrupted_classifier_predicts_the_labels_that_it_was_given(monkeypatch, n_classes, ctrl_c):
    X, y, _ = table(2, n=60)
    labels = np.array(["a", "b", "c"])[np.digitize(y, [np.median(y), np.inf if n_classes == 2 else np.max(y) / 2])]
    calls, real = [], alakarte.search.run_stage.nlml_gradient

    def interrupted(problem, theta):
        calls.append(theta)
        if len(calls) == 40:
            signal.raise_signal(signal.SIGINT)
        return real(problem, theta)

    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", interrupted)
    model = GPClassifier(n_jobs=1, random_state=0, tol=0.0)
    with pytest.raises(KeyboardInterrupt, match="best model so far is kept"):
        model.fit(X, labels)
    assert set(model.predict(X)) <= set(labels)
    assert model.score(X, labels) > 0.5


def test_work_that_would_end_too_late_does_not_begin(monkeypatch):
    monkeypatch.setattr(alakarte.execution.budget, "machine_rate", lambda: 1e9)
    budget = Budget(100.0)
    assert budget.allows(9e10)
    assert not budget.allows(2e11)
    with budget.part(0.5):
        assert not budget.allows(9e10)
    budget.observe(1e12, 1.0)  # faster than it seemed
    assert budget.allows(2e11)
    assert budget.first_seconds(2e11) == 200.0
    assert Budget().allows(1e30)
    budget.interrupted = True
    assert not budget.allows(1.0)


def test_the_rate_of_the_machine_is_measured_only_where_seconds_matter(monkeypatch):
    measured = []
    monkeypatch.setattr(alakarte.execution.budget, "machine_rate", lambda: measured.append(1) or 1e9)
    Budget().seconds(1.0)
    assert not measured
    budget = Budget(1.0)
    budget.seconds(1.0)
    budget.first_seconds(1.0)
    assert len(measured) == 1


@pytest.mark.parametrize("n_rows", [60, 2200, 5000])
def test_without_any_time_a_usable_model_is_there_at_once(monkeypatch, n_rows):
    """One kernel, one evaluation of each start that had begun, and one pass over all rows."""
    X, y, _ = table(3, n=n_rows)
    calls, real = [], alakarte.search.run_stage.nlml_gradient
    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", lambda *a: calls.append(1) or real(*a))
    model = GPRegressor(max_time=1e-6, random_state=0, n_jobs=2).fit(X, y)
    assert len(calls) <= 2
    assert len(model.ranking_) == 1
    assert model.stop_reason_ == "max_time=1e-06 s reached"
    assert np.isfinite(model.predict(X[:5], return_std=True)).all()
    assert model.score(X, y) > 0.2


def test_seconds_can_be_kept_for_what_follows():
    budget = Budget(10.0)
    with budget.without(4.0):
        assert 5 < budget.left() <= 6
        with budget.part(0.5):
            assert 6 < budget.until < 8
    assert 9 < budget.left() <= 10
    assert budget.until == float("inf")


def test_what_is_left_is_enough_for_so_many_flops(monkeypatch):
    monkeypatch.setattr(alakarte.execution.budget, "machine_rate", lambda: 1e9)
    assert Budget().flops_left() == float("inf")
    assert 9.9e9 < Budget(10.0).flops_left() <= 1e10
    assert Budget(0.0).flops_left() == 0
