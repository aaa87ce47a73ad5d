"""Kernels learned side by side: what remains when the user interrupts, or time is over."""

import pytest

import alakarte.search.competition as competition
from alakarte.search.candidates import menu
from problems import rows_of, table
from search.searches import search_for

pytestmark = pytest.mark.usefixtures("one_blas_thread")
SHORT = {"n_restarts": 2, "max_iter": 3, "max_iter_restart": 2}


def auto():
    X, y, _ = table(2, n=60)
    return search_for("auto", *rows_of(X, y), **SHORT)


def interrupting(real, after):
    """A function that the user interrupts after so many calls."""
    calls = []

    def call(*arguments):
        calls.append(arguments)
        if len(calls) > after:
            raise KeyboardInterrupt
        return real(*arguments)

    return call


@pytest.mark.parametrize(("step", "after", "left"), [("begin", 2, 1), ("learn_long", 1, 2), ("compare", 0, 1)])
def test_an_interruption_keeps_what_was_learned(step, after, left, monkeypatch):
    real = getattr(competition, step)
    if step == "compare":  # the first call fails, the one for the best alone does not
        calls = []
        broken = lambda *a: real(*a) if calls else calls.append(a) or (_ for _ in ()).throw(KeyboardInterrupt)  # noqa: E731
        monkeypatch.setattr(competition, step, broken)
    else:
        monkeypatch.setattr(competition, step, interrupting(real, after))
    search = auto()
    ranking = competition.learn_candidates(search, menu(search), None)
    assert search.budget.interrupted
    assert len(ranking) == left
    assert ranking == sorted(ranking, key=lambda candidate: -candidate.score)


def test_an_interruption_before_anything_is_learned_passes_on(monkeypatch):
    monkeypatch.setattr(competition, "begin", interrupting(competition.begin, 0))
    search = auto()
    with pytest.raises(KeyboardInterrupt):
        competition.learn_candidates(search, menu(search), None)


def test_without_time_to_compare_the_best_goes_alone(monkeypatch):
    monkeypatch.setattr(competition, "time_to_compare", lambda search, n: 0.0 if n == 1 else float("inf"))
    X, y, _ = table(2, n=60)
    search = search_for("auto", *rows_of(X, y), max_time=1e6, **SHORT)
    assert len(competition.learn_candidates(search, menu(search), None)) == 1
