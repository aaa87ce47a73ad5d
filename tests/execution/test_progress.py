"""Progress: what to expect, what is done; a bar where there is a terminal, records of a logger where there is none."""

import logging
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import alakarte.execution.progress
from alakarte import GPRegressor
from alakarte.errors import Unavailable
from alakarte.execution.progress import LOGGER, Progress, warn
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


@pytest.fixture
def said(caplog):
    """What the logger has said so far, warnings aside, as one text."""
    caplog.set_level(logging.INFO, "alakarte")
    return lambda: "\n".join(record.getMessage() for record in caplog.records if record.levelno == logging.INFO)


def test_progress_says_what_to_expect(said):
    X, y, _ = table(2, n=200)
    GPRegressor("ard", verbose=2, **(SMALL | {"tol": 0.0})).fit(X, y)
    assert "200 rows: about" in said()
    assert "MB beyond the data" in said()
    assert " left" in said()


def test_restarts_count_as_work_done(said):
    progress = Progress(2, lambda nlml, total: -nlml)
    progress.estimate(10, 10, 100.0, 0)
    for index in (1, 2):
        progress.advance(25.0)
        progress.restart_finished("ard", (index, 2), (1.0, 3), 10.0)
    progress.close()
    assert (progress.finished, progress.planned) == (50.0, 100.0)
    assert "ard, restart 2/2: log evidence -1.00 after 3 iterations" in said()


def test_a_stage_counts_as_done_when_it_ends_early(said):
    progress = Progress(2, lambda nlml, total: -nlml)
    progress.estimate(10, 10, 100.0, 0)
    stage = progress.stage("ard, 10 rows, exact", 10.0, 8, 5.0, planned=40.0)
    stage.iteration(1, 1.0)
    assert progress.finished == 5.0
    stage.finished(1.0, 1, "interrupted")
    progress.close()
    assert (progress.finished, progress.planned) == (40.0, 100.0)
    for text in (
        "ard, 10 rows, exact, at most 8 iterations",
        "exact: iteration 1/8",
        "after 1 iterations: interrupted",
    ):
        assert text in said()


def test_stages_side_by_side_count_their_own_work(said):
    """One that ends early counts what is left of it alone, and each of its lines has its name and its rows."""
    progress = Progress(2, lambda nlml, total: -nlml - total)
    progress.estimate(10, 10, 100.0, 0)
    first = progress.stage("ard, 10 rows", 10.0, 8, 5.0, planned=40.0)
    second = progress.stage("gm with 4 components, 20 rows", 20.0, 3, 10.0, planned=30.0)
    first.iteration(1, 1.0)
    second.iteration(1, 2.0)
    first.iteration(2, 1.0)
    assert progress.finished == 20.0
    first.finished(1.0, 2, "enough")
    assert progress.finished == 50.0
    for n_iter in (2, 3, 4):  # more than were planned
        second.iteration(n_iter, 2.0)
    assert progress.finished == 70.0
    assert "left" in progress.time_left()
    progress.close()
    assert "ard, 10 rows: iteration 2/8, log evidence -11.00" in said()
    assert "gm with 4 components, 20 rows: iteration 1/3, log evidence -22.00" in said()


def test_every_line_of_kernels_that_climb_side_by_side_says_whose_it_is(said):
    X, y, _ = table(2, n=120)
    GPRegressor(verbose=2, n_jobs=2, **(SMALL | {"tol": 0.0})).fit(X, y)
    lines = [line for line in said().splitlines() if "log evidence" in line]
    kernel = r"(rbf|ard|matern|(gm|mm) with \d components?)"
    where = r"(, restart \d/\d|, \d+ rows, exact|): (iteration \d+/\d+, )?log evidence "
    assert [line for line in lines if not re.fullmatch(rf" *[\d.]+ s  {kernel}{where}.*", line)] == []
    iterations = [line for line in lines if "iteration " in line and ", exact: " in line]
    assert {re.search(kernel, line)[1].split()[0] for line in iterations} == {"rbf", "ard", "matern", "gm", "mm"}


@pytest.mark.parametrize("installed", [True, False])
def test_a_bar_on_a_terminal_where_rich_is_installed(monkeypatch, capsys, said, installed):
    pytest.importorskip("rich")
    monkeypatch.setattr(alakarte.execution.progress, "_is_terminal", lambda: True)
    if not installed:
        monkeypatch.setitem(sys.modules, "rich.progress", None)
    X, y, _ = table(2, n=100)
    GPRegressor("ard", verbose=1, **(SMALL | {"tol": 0.0})).fit(X, y)
    drawn = capsys.readouterr().out
    assert "100 rows: about" in (drawn if installed else said())
    assert ("━" in drawn or "╸" in drawn) == installed
    assert (said() == "") == installed


def test_progress_is_told_on_request(caplog, said):
    X, y, _ = table(3, n=50)
    texts = []
    for verbose in (0, 1, 2):
        GPRegressor("ard", n_frequencies=6, verbose=verbose, **(SMALL | {"tol": 0.1})).fit(X, y)
        texts.append([record.getMessage() for record in caplog.records if record.levelno == logging.INFO])
        caplog.clear()
    assert texts[0] == []
    counts = [sum(word in line for line in texts[1]) for word in ("restart", "log evidence")]
    assert counts[0] == 2 < counts[1]
    assert sum("iteration " in line for line in texts[2]) > sum("iteration " in line for line in texts[1])


class Kept(logging.Handler):
    """An application's handler."""

    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


def test_records_reach_the_handler_of_an_application(capsys):
    X, y, _ = table(2, n=50)
    handler, level = Kept(), LOGGER.level
    logging.getLogger().addHandler(handler)
    try:
        GPRegressor("ard", **SMALL).fit(X, y)
        assert not [record for record in handler.records if record.levelno < logging.WARNING]
        GPRegressor("ard", verbose=1, **SMALL).fit(X, y)
    finally:
        logging.getLogger().removeHandler(handler)
    told = [record for record in handler.records if record.levelno == logging.INFO]
    assert {record.name for record in told} == {"alakarte"}
    assert any("50 rows: about" in record.getMessage() for record in told)
    assert capsys.readouterr().out == ""  # the application alone decides where they go
    assert LOGGER.level == level


FIT = """
import logging
import numpy as np
from alakarte import GPRegressor
X = np.random.default_rng(0).standard_normal((50, 2))
logger = logging.getLogger("alakarte")
before = list(logger.handlers), logger.level
GPRegressor("ard", n_restarts=2, max_iter=3, max_iter_restart=2, random_state=0, verbose={verbose}).fit(X, X[:, 0])
assert (logger.handlers, logger.level) == before
assert all(isinstance(handler, logging.NullHandler) for handler in logger.handlers)
assert logging.getLogger().handlers == []
"""


def run_without_logging(verbose):
    """Standard output and error of a fit in a process of its own, in which nobody has set up logging."""
    command = [sys.executable, "-W", "ignore", "-c", FIT.format(verbose=verbose)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_lines_go_to_standard_output_where_logging_was_not_set_up():
    out, error = run_without_logging(verbose=1)
    assert error == ""
    assert "50 rows: about" in out
    assert "restart 2/2" in out
    assert all(line.startswith("[alakarte] ") for line in out.splitlines())
    assert len(set(out.splitlines())) == len(out.splitlines())  # each of them once


def test_a_fit_that_was_not_asked_to_speak_is_silent():
    assert run_without_logging(verbose=0) == ("", "")


def test_a_fit_that_fails_leaves_the_logger_as_it_was():
    X, y, _ = table(2, n=20)
    before = list(LOGGER.handlers), LOGGER.level
    with pytest.raises(Unavailable):
        GPRegressor("pwl", expansion="exact", verbose=1, **SMALL).fit(X, y)
    assert (LOGGER.handlers, LOGGER.level) == before


def test_a_warning_is_a_record_too(caplog):
    def library():
        warn("too short", ConvergenceWarning)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        library()
    [warning], [record] = caught, caplog.records
    assert (warning.category, str(warning.message)) == (ConvergenceWarning, "too short")
    assert warning.filename == __file__  # of the caller
    assert (record.name, record.levelno, record.getMessage()) == ("alakarte", logging.WARNING, "too short")


def test_a_fit_that_stops_early_gives_a_warning_and_a_record(caplog):
    X, y, _ = table(3)
    settings = {"n_components": 1, "n_frequencies": 6, "n_restarts": 2, "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="max_iter=2") as caught:
        GPRegressor("ard", max_iter=2, **settings).fit(X, y)
    [warning], [record] = caught, caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == str(warning.message)
    assert warning.filename == __file__


def test_two_fits_that_speak_at_once_leave_the_logger_as_it_was():
    logger = logging.getLogger("alakarte")
    before = logger.level, list(logger.handlers)
    first, second = (Progress(2, lambda nlml, total: -nlml) for _ in range(2))
    first.close()
    assert logger.isEnabledFor(logging.INFO)  # the second still speaks
    second.close()
    second.close()  # twice is once
    assert (logger.level, list(logger.handlers)) == before


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_evidence_that_is_told_is_that_of_the_rows_it_was_learned_on(said):
    """In the user's nats: units of y shift it by log(units) per row of the stage, not per row of the table."""
    X, y, _ = table(2, n=1500)
    told = []
    for units in (1.0, 1e3):
        settings = {"n_frequencies": 4, "n_restarts": 2, "max_iter": 1, "max_iter_restart": 1, "random_state": 0}
        GPRegressor("ard", verbose=2, n_jobs=1, **settings).fit(X, y * units)
        lines = [line for line in said().splitlines() if "restart 1/2" in line]
        told.append(float(re.search(r"log evidence (-?[\d.]+)", lines[-1])[1]))
    assert told[0] - told[1] == pytest.approx(1000 * np.log(1e3), abs=0.1)
