"""Progress: what to expect, what is done, a bar where there is a terminal."""

import io
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest

import alakarte.execution.progress
from alakarte import GPRegressor
from alakarte.search.optimise import Run
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def test_progress_says_what_to_expect(capsys):
    X, y, _ = table(2, n=200)
    GPRegressor("ard", verbose=2, **(SMALL | {"tol": 0.0})).fit(X, y)
    said = capsys.readouterr().out
    assert "200 rows: about" in said
    assert "MB beyond the data" in said
    assert " left" in said


def test_restarts_count_as_work_done():
    progress = alakarte.execution.progress.Progress(2, lambda value: -value)
    progress.plan(10, 10, 100.0, 0)
    report = progress.restart(2, 25.0)
    for index in (1, 2):
        report(index, Run(np.zeros(1), 1.0, 3, "", True, 0, []))
    assert (progress.finished, progress.planned) == (50.0, 100.0)


@pytest.mark.parametrize("installed", [True, False])
def test_a_bar_on_a_terminal_where_rich_is_installed(monkeypatch, capsys, installed):
    pytest.importorskip("rich")
    monkeypatch.setattr(alakarte.execution.progress, "_terminal", lambda: True)
    if not installed:
        monkeypatch.setitem(sys.modules, "rich.progress", None)
    X, y, _ = table(2, n=100)
    GPRegressor("ard", verbose=1, **(SMALL | {"tol": 0.0})).fit(X, y)
    said = capsys.readouterr().out
    assert "100 rows: about" in said
    assert ("━" in said or "╸" in said) == installed


def test_progress_is_told_on_request():
    X, y, _ = table(3, n=50)
    texts = []
    for verbose in (0, 1, 2):
        with redirect_stdout(io.StringIO()) as out:
            GPRegressor("ard", n_frequencies=6, verbose=verbose, **(SMALL | {"tol": 0.1})).fit(X, y)
        texts.append(out.getvalue())
    assert texts[0] == ""
    assert texts[1].count("restart") == 2
    assert "log evidence" in texts[1]
    assert texts[2].count("iteration ") > texts[1].count("iteration ")
