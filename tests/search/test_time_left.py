"""Only a limit of time brings more work."""

import pytest

import alakarte.search.time_left
from alakarte import GPRegressor
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def test_only_a_limit_brings_more_work(monkeypatch):
    X, y, _ = table(2, n=400)
    real, calls = alakarte.search.time_left._polish, []  # the last step of what is done with time left
    monkeypatch.setattr(alakarte.search.time_left, "_polish", lambda *a: calls.append(1) or real(*a))
    GPRegressor("gm", **SMALL).fit(X, y)
    assert not calls
    GPRegressor("gm", max_time=60, **SMALL).fit(X, y)
    assert calls


def test_where_no_step_was_taken_there_is_nothing_new_to_compare(monkeypatch):
    X, y, _ = table(2, n=60)
    compared = []
    real = alakarte.search.time_left.compare
    monkeypatch.setattr(alakarte.search.time_left, "compare", lambda *a: compared.append(1) or real(*a))
    monkeypatch.setattr(alakarte.search.time_left, "learn_further", lambda search, plan, learned, *a: learned)
    GPRegressor("ard", max_time=60, **SMALL).fit(X, y)
    assert not compared
