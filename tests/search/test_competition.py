"""Kernels learned side by side: who climbs on, and what remains when the user interrupts or time is over."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import alakarte.search.competition as competition
import alakarte.search.tails as tails
from alakarte.search import policy
from alakarte.search.candidates import menu
from alakarte.search.waves import look_for_waves
from problems import naming, rows_of, table
from search.searches import search_for

pytestmark = pytest.mark.usefixtures("one_blas_thread")
SHORT = {"n_restarts": 2, "max_iter": 3, "max_iter_restart": 2}


def auto(n=60, max_time=None, **settings):
    X, y, _ = table(2, n=n)
    return search_for("auto", *rows_of(X, y), max_time=max_time, **SHORT | settings)


def compete(search):
    """The search as it goes on, and the candidates, best first."""
    return competition.learn_candidates(search, menu(search), None)


def names(candidates):
    return [candidate.plan.kernel.name for candidate in candidates]


def in_order(ranking):
    return all(one.score >= other.score for one, other in pairwise(ranking))


def interrupting(real, after):
    """A function that the user interrupts after so many calls."""
    calls = []

    def call(*arguments, **named):
        calls.append(arguments)
        if len(calls) > after:
            raise KeyboardInterrupt
        return real(*arguments, **named)

    return call


@pytest.mark.parametrize(("step", "after", "left"), [("begin", 2, 2), ("climb", 1, 5), ("compare", 0, 1)])
def test_an_interruption_keeps_what_was_learned(step, after, left, monkeypatch):
    real = getattr(competition, step)
    if step == "compare":  # the first call fails, the one for the best alone does not
        calls = []
        broken = lambda *a: real(*a) if calls else calls.append(a) or (_ for _ in ()).throw(KeyboardInterrupt)  # noqa: E731
        monkeypatch.setattr(competition, step, broken)
    else:
        monkeypatch.setattr(competition, step, interrupting(real, after))
    search = auto()
    same, ranking = compete(search)
    assert same is search
    assert search.budget.interrupted
    assert len(ranking) == left
    assert in_order(ranking)


def far_out(n=60):
    """A table with an input far from all others."""
    X, y, _ = table(2, n=n)
    X[0, 1] = 1e4
    return search_for("auto", *rows_of(X, y), **SHORT)


@pytest.mark.parametrize("after", [0, 1])
def test_an_interruption_while_tails_are_tried_keeps_what_was_learned(after, monkeypatch):
    monkeypatch.setattr(tails, "climb", interrupting(tails.climb, after))
    search = far_out()
    try:
        _, ranking = compete(search)
    except KeyboardInterrupt:
        pytest.fail("five kernels had been learned, and are lost")
    assert search.budget.interrupted
    assert len(ranking) == 5
    assert in_order(ranking)


def test_an_interruption_before_anything_is_learned_passes_on(monkeypatch):
    monkeypatch.setattr(competition, "begin", interrupting(competition.begin, 0))
    with pytest.raises(KeyboardInterrupt):
        compete(auto())


def test_without_time_to_compare_the_best_goes_alone(monkeypatch):
    monkeypatch.setattr(competition, "time_to_compare", lambda search, n: 0.0 if n == 1 else float("inf"))
    _, ranking = compete(auto(max_time=1e6))
    assert len(ranking) == 1


def test_a_kernel_given_by_name_goes_alone_and_is_not_compared():
    X, y, _ = table(2, n=60)
    search = search_for("ard", *rows_of(X, y), **SHORT)
    same, [alone] = compete(search)
    assert same is search
    assert alone.compared is None
    assert alone.learned.problem.rows is search.rows


# --------------------------------------------------------------------------- starts from simpler kernels


def test_every_kernel_begins_from_the_simpler_one_that_has_begun_before(monkeypatch):
    real, begun, given = competition.begin, {}, {}

    def recorded(search, plan, *, simpler):
        given[plan.kernel.name] = simpler
        begun[plan.kernel.name] = real(search, plan, simpler=simpler)
        return begun[plan.kernel.name]

    monkeypatch.setattr(competition, "begin", recorded)
    compete(auto())
    assert set(begun) == {"rbf", "ard", "matern", "gm", "mm"}
    assert given["rbf"] is None
    for name, from_name in {"ard": "rbf", "matern": "ard", "gm": "ard", "mm": "matern"}.items():
        assert given[name] is begun[from_name], name


# --------------------------------------------------------------------------- who climbs on


def one_input_of_six(n=450, **settings):
    """A table on which one length-scale for all inputs is far behind."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 6))
    y = np.sin(5 * X[:, 0]) + 0.01 * rng.standard_normal(n)
    return search_for("auto", *rows_of(X, y), **{"n_restarts": 2, "max_iter": 20, "max_iter_restart": 10} | settings)


def test_a_kernel_far_behind_after_a_rung_is_not_learned_on_all_rows_but_is_ranked():
    search = one_input_of_six()
    _, ranking = compete(search)
    assert set(names(ranking)) == {"rbf", "ard", "matern", "gm", "mm"}
    assert in_order(ranking)
    rows = {candidate.plan.kernel.name: candidate.learned.problem.rows.n_rows for candidate in ranking}
    assert rows["rbf"] == 225
    assert rows[ranking[0].plan.kernel.name] == rows["ard"] == 450
    behind = {name: ranking[0].score - candidate.score for name, candidate in zip(names(ranking), ranking, strict=True)}
    assert behind["rbf"] > policy.DROPPED * np.sqrt(450)
    assert all(candidate.tuned.process.problem.rows is search.rows for candidate in ranking)  # its score is of all rows


def test_all_climb_to_the_end_where_none_is_far_behind(monkeypatch):
    monkeypatch.setattr(policy, "DROPPED", np.inf)
    search = one_input_of_six(max_iter=3, max_iter_restart=2)
    _, ranking = compete(search)
    assert len(ranking) == 5
    assert all(candidate.learned.problem.rows is search.rows for candidate in ranking)


def test_of_many_rows_a_kernel_is_dropped_sooner(monkeypatch):
    monkeypatch.setattr(policy, "DROPPED", np.inf)
    monkeypatch.setattr(policy, "DROPPED_OF_MANY", 0.0)
    monkeypatch.setattr(policy, "HOPELESS", np.inf)
    monkeypatch.setattr(policy, "FEW_ROWS", 449)
    search = one_input_of_six(max_iter=3, max_iter_restart=2)
    _, ranking = compete(search)
    assert set(names(ranking)) == {"ard", "matern", "gm", "mm"}
    assert sorted(candidate.learned.problem.rows.n_rows for candidate in ranking) == [225, 225, 225, 450]


def test_a_mixture_of_features_far_behind_after_a_few_steps_has_no_long_run(monkeypatch):
    monkeypatch.setattr(policy, "DROPPED_OF_MANY", 0.0)  # the best alone goes on
    monkeypatch.setattr(policy, "HOPELESS", np.inf)
    monkeypatch.setattr(policy, "FEW_ROWS", 59)
    monkeypatch.setattr(policy, "TRIAL_ITERATIONS", 2)
    _, ranking = compete(auto(expansion="fastfood", n_frequencies=8, n_learning_rows=60, max_iter=9))
    steps = {c.plan.kernel.name: [run.n_iter for run in c.learned.runs] for c in ranking}
    best = max(ranking, key=lambda c: -c.learned.run.nlml).plan.kernel.name
    for name in {"pwl", "gm"} - {best}:
        with naming(name):
            assert max(steps[name]) <= 2
    assert max(steps["ard"]) > 2  # cheap: its long run comes first


@pytest.mark.parametrize(("lead", "climbs"), [(0.06, False), (0.04, True), (-0.05, True)])
def test_closed_forms_wait_for_free_frequencies_and_climb_no_rung_far_behind(lead, climbs, monkeypatch):
    """`lead`: nats per row of few rows by which free frequencies are told to be ahead."""
    rng = np.random.default_rng(0)
    X = np.stack(np.meshgrid(np.arange(21.0), np.arange(21.0)), -1).reshape(-1, 2)
    y = np.sin(X @ [1.1, 0.4]) + 0.1 * rng.standard_normal(441)
    monkeypatch.setattr(policy, "FEW_ROWS", 440)
    settings = {"n_restarts": 1, "max_iter": 2, "max_iter_restart": 1}
    search = look_for_waves(search_for("auto", *rows_of(X, y), **settings))
    climbed, told = [], []
    real = competition.climb

    def scores(search, learned):
        told.append(len(learned))
        best = {"ssgpr": lead if len(told) > 1 else 0.0, "gm": 0.0}
        return [best.get(kernel.problem.kernel.name, -1.0) * search.rows.total for kernel in learned]

    def recorded(search, plan, kernel, stage):
        climbed.append(plan.kernel.name)
        return real(search, plan, kernel, stage)

    monkeypatch.setattr(competition, "expected_scores", scores)
    monkeypatch.setattr(competition, "climb", recorded)
    compete(search)
    assert climbed[0] == "ssgpr"
    assert ("gm" in climbed) is climbs


@pytest.mark.parametrize("expansion", ["auto", "fastfood", "dense"])
def test_kernels_compete_whatever_their_ladders(expansion):
    """With features asked for, some kernels learn in closed form on a ladder, others with features on all rows."""
    search = auto(n=450, expansion=expansion)
    _, ranking = compete(search)
    expected = {"rbf", "ard", "matern", "gm", "mm"} if expansion == "auto" else {"rbf", "ard", "pwl", "gm"}
    assert set(names(ranking)) == expected
    assert in_order(ranking)


@pytest.mark.parametrize("n_restarts", [1, 2])
def test_every_kernel_takes_steps_whatever_the_number_of_starts(n_restarts, monkeypatch):
    """One start has no first steps: that must not count as being far behind."""
    monkeypatch.setattr(policy, "FEW_ROWS", 59)
    _, ranking = compete(auto(n_restarts=n_restarts))
    assert set(names(ranking)) == {"ard", "matern", "gm", "mm"}
    for candidate in ranking:
        with naming(candidate.plan.kernel.name):
            assert candidate.learned.runs
            assert np.isfinite(candidate.learned.run.nlml)


# --------------------------------------------------------------------------- side by side


def test_few_rows_climb_side_by_side_and_more_one_by_one_with_the_same_bits(monkeypatch):
    rankings = []
    for n_jobs, few in ((1, True), (2, True), (2, False)):
        monkeypatch.setattr(competition, "run_together", together := Together(competition.run_together))
        monkeypatch.setattr(policy, "FEW_ROWS", 60 if few else 59)
        monkeypatch.setattr(policy, "HOPELESS", np.inf)
        search = auto(n=60)
        search = replace(search, settings=replace(search.settings, n_jobs=n_jobs))
        rankings.append({c.plan.kernel.name: c for c in compete(search)[1]})
        assert together.n_jobs == [n_jobs if few else 1]
    first, second, third = rankings
    assert set(first) == set(second) == {*third, "rbf"}
    for name, candidate in first.items():
        assert np.array_equal(candidate.learned.run.theta, second[name].learned.run.theta), name
    for name in ("ard", "matern"):
        assert np.isfinite(third[name].learned.run.nlml)


class Together:
    """`run_together` that remembers on how many threads."""

    def __init__(self, real):
        self.real = getattr(real, "real", real)
        self.n_jobs = []

    def __call__(self, tasks, n_jobs, on_interrupt):
        self.n_jobs.append(n_jobs)
        return self.real(tasks, n_jobs, on_interrupt)
