"""Tails of inputs are drawn in where the best kernel is clearly better for it, and for all kernels then."""

import numpy as np
import pytest

import alakarte.search.tails
from alakarte.data.arrays import ArrayRows
from alakarte.kernels.registry import resolve
from alakarte.process.objective import nlml
from alakarte.search import policy
from alakarte.search.learn import begin, climb
from alakarte.search.tails import draw_in_tails
from problems import heavy, naming, posterior_at, rows_of, table
from search.searches import search_for

pytestmark = pytest.mark.usefixtures("one_blas_thread")
SHORT = {"n_restarts": 2, "max_iter": 10, "max_iter_restart": 5}


def learned_on(X, y, names=("rbf", "ard"), rows=None):
    """A search of several kernels, and some of them after a first rung."""
    search = search_for("auto", *rows_of(X, y), **SHORT)
    contestants = []
    for name in names:
        plan = search_for(name, search.rows, search.scaling, **SHORT).plan(resolve(name))
        stage = plan.priced(rows or search.rows.n_rows, 5)
        contestants.append((plan, climb(search, plan, begin(search, plan), stage)))
    return search, contestants


def test_nothing_happens_where_no_input_lies_far_out():
    X, y, _ = table(2, n=60)
    search, learned = learned_on(np.clip(X, -2, 2), y)
    search.progress.said.clear()
    same, again = draw_in_tails(search, learned)
    assert same is search
    assert again is learned
    assert not search.progress.said


def test_nothing_happens_when_time_is_over():
    search, learned = learned_on(*heavy(200))
    search.budget.interrupted = True
    same, again = draw_in_tails(search, learned)
    assert same is search
    assert again is learned


def test_all_kernels_move_to_compressed_inputs_where_the_best_is_clearly_better_for_it():
    search, learned = learned_on(*heavy(200))
    compressed, moved = draw_in_tails(search, learned)
    assert compressed.compressed
    assert not search.compressed
    assert any("far out" in text for text in search.progress.said)
    assert [plan for plan, _ in moved] == [plan for plan, _ in learned]
    gains = []
    for (_, before), (plan, after) in zip(learned, moved, strict=True):
        with naming(plan.kernel.name):
            assert np.array_equal(after.problem.rows.whole().x, compressed.rows.whole().x)
            assert after.run.n_iter <= policy.TRIAL_ITERATIONS
            assert after.run.nlml == pytest.approx(nlml(after.problem, after.run.theta), rel=1e-12)
            gains.append(before.run.nlml - after.run.nlml)
    assert max(gains) > policy.CLEARLY


def test_inputs_stay_where_the_evidence_is_not_clearly_better(monkeypatch):
    for name in ("CLEARLY", "CLEARLY_PER_ROW"):
        with monkeypatch.context() as patch, naming(name):
            patch.setattr(policy, name, np.inf)
            patch.setattr(alakarte.search.tails, "_left_out_error", lambda learned: 1.0)
            search, learned = learned_on(*heavy(200))
            same, after = draw_in_tails(search, learned)
            assert same is search
            best = min(range(2), key=lambda index: learned[index][1].nlml_per_row)
            for index, ((_, old), (_, new)) in enumerate(zip(learned, after, strict=True)):
                assert (new is old) == (index != best)  # the best keeps the steps that it took for this
                assert new.run.nlml <= old.run.nlml
                assert new.problem.rows is old.problem.rows


@pytest.mark.parametrize("clearly", [np.inf, 0.0])
def test_rows_left_out_decide_where_the_evidence_is_not_clear(monkeypatch, clearly):
    errors = {True: 0.99, False: 1.0}  # of compressed inputs, and of those as they are
    asked = []

    def left_out_error(learned):
        asked.append(learned.problem.rows.whole().x.max() < far)
        return errors[asked[-1]]

    search, learned = learned_on(*heavy(200))
    far = search.rows.whole().x.max()
    monkeypatch.setattr(policy, "CLEARLY_PER_ROW", 0.0)
    monkeypatch.setattr(policy, "CLEARLY", clearly)
    monkeypatch.setattr(alakarte.search.tails, "_left_out_error", left_out_error)
    assert draw_in_tails(search, learned)[0].compressed
    assert sorted(asked) == ([False, True] if clearly else [])
    errors[True] = 1.01
    assert draw_in_tails(search, learned)[0].compressed is (clearly == 0)


def test_the_error_of_rows_left_out_is_that_of_refits():
    search, [(_, kernel), _] = learned_on(*heavy(30))
    rows, expected = search.rows.whole(), 0.0
    for i in range(30):
        kept = np.arange(30) != i
        rest = ArrayRows(rows.x[kept], rows.y[kept], rows.weight[kept])
        mean = posterior_at(kernel.problem.on(rest), kernel.run.theta).mean(rows.x[[i]])[0]
        expected += rows.weight[i] * ((mean - rows.y[i]) ** 2).sum()
    assert alakarte.search.tails._left_out_error(kernel) == pytest.approx(expected, rel=1e-6)


def test_both_take_the_same_steps_on_the_rows_of_the_last_rung(monkeypatch):
    real, seen = alakarte.search.tails.climb, []
    monkeypatch.setattr(alakarte.search.tails, "climb", lambda *a: seen.append(a) or real(*a))
    search, learned = learned_on(*heavy(200), names=("ard",), rows=100)
    compressed, [(_, moved)] = draw_in_tails(search, learned)
    assert [a[0].compressed for a in seen] == [False, True]
    assert [a[3].n_rows for a in seen] == [100, 100]
    assert [a[3].max_iter for a in seen] == [policy.TRIAL_ITERATIONS] * 2
    assert all(a[2] is learned[0][1] for a in seen)
    if compressed.compressed:
        assert moved.problem.rows is compressed.subsets.first(100)
    assert np.array_equal(compressed.subsets.order, search.subsets.order)
