"""Progress of a fit: a bar on a terminal (rich, where it is installed), else records of the logger `alakarte`.

In: planned and finished work. Out: text, when `verbose` asks for it. Decides nothing. Where logging has not been set
up, records of a fit that was asked to speak go to standard output.
"""

import logging
import os
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sklearn

from alakarte.execution.budget import machine_rate

_NOT_THE_USERS = tuple(f"{folder}{os.sep}" for folder in (Path(__file__).parents[1], Path(sklearn.__file__).parent))
LOGGER = logging.getLogger("alakarte")
LOGGER.addHandler(logging.NullHandler())  # silent unless an application, or `verbose`, asks for more


def warn(text: str, category: type[Warning]) -> None:
    """A warning that points at the line of the user's, past the library and scikit-learn; a record of the logger."""
    LOGGER.warning(text)
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def tell(text: str) -> None:
    """What happened to work that knows of no fit: a line of a fit that speaks, else a record of the logger."""
    fit = next((fit for fit in list(_speaking) if fit.verbose), None)
    if fit is None:
        LOGGER.info(text)
    else:
        fit.say(text)


class Progress:
    """Speaks; at verbose=1 at most once per second while iterating, at verbose=2 at every iteration."""

    def __init__(
        self,
        verbose: int,
        log_evidence: Callable[[float, float], float],
        listener: Callable[[str], None] | None = None,
    ):
        self.verbose = verbose
        self.listener = listener  # told of each "iteration" and "restart" that has ended
        self.log_evidence = log_evidence  # of an nlml and the weight of its rows, in nats of the user's y
        self.began = time.perf_counter()
        self.lock = threading.Lock()
        self.planned = self.finished = 0.0  # flops
        self.bar = _bar() if verbose == 1 else None
        self.speaks = bool(verbose) and self.bar is None
        if self.speaks:
            _output.open()
        _speaking.add(self)

    def estimate(self, n_rows: int, n_columns: int, flops: float, n_bytes: float) -> None:
        """The estimate before a fit; the rate is that of a small matrix product."""
        self.planned = flops
        if self.verbose:
            seconds = flops / machine_rate()
            text = f"{n_rows} rows: about {_duration(seconds)}, up to {n_columns} columns, {n_bytes / 1e6:.0f} MB"
            self.say(text + " beyond the data")

    def say(self, text: str) -> None:
        """One line, or one record."""
        if not self.verbose:
            return
        line = f"{time.perf_counter() - self.began:6.1f} s  {text}"
        if self.bar is not None:
            self.bar.console.print(f"[alakarte] {line}", markup=False)
        else:
            LOGGER.info(line)

    def restart_finished(self, title: str, of_starts: tuple[int, int], end: tuple[float, int], total: float) -> None:
        """The end of a short run: its number and that of all, its nlml and iterations, the weight of its rows."""
        (index, n_starts), (nlml, n_iter) = of_starts, end
        self.tell("restart")
        if self.verbose:
            evidence = self.log_evidence(nlml, total)
            self.say(f"{title}, restart {index}/{n_starts}: log evidence {evidence:.2f} after {n_iter} iterations")

    def tell(self, task: str) -> None:
        """A piece of work has ended."""
        if self.listener is not None:
            self.listener(task)

    def stage(self, title: str, total: float, max_iter: int, flops: float, planned: float) -> "StageProgress":
        """What is next: rows of such a weight, the flops of an iteration and those that it will mostly take."""
        self.say(f"{title}, at most {max_iter} iterations")
        return StageProgress(self, title, total, max_iter, flops, planned)

    def close(self) -> None:
        """The end of a fit."""
        _speaking.discard(self)
        if self.bar is not None:
            self.bar.stop()
        if self.speaks:
            self.speaks = False
            _output.close()

    def advance(self, flops: float) -> None:
        """So much work is finished, on any thread."""
        with self.lock:
            self.finished += flops
            self.planned = max(self.planned, self.finished)

    def time_left(self) -> str:
        """Seconds for what is planned, at the rate of all threads so far; nothing where nothing is known."""
        if not 0 < self.finished < self.planned:
            return ""
        elapsed = time.perf_counter() - self.began
        return f", about {_duration(elapsed * (self.planned - self.finished) / self.finished)} left"


_speaking: weakref.WeakSet[Progress] = weakref.WeakSet()


class StageProgress:
    """Speaks for one long run; several may climb side by side, and each of their lines says whose it is."""

    def __init__(self, whole: Progress, title: str, total: float, max_iter: int, flops: float, planned: float):
        self.whole, self.title, self.total, self.max_iter = whole, title, total, max_iter
        self.flops, self.left = flops, planned
        self.spoke = time.perf_counter()

    def iteration(self, n_iter: int, nlml: float) -> None:
        """A line per second, or the bar."""
        self._advance(min(self.flops, self.left))
        whole = self.whole
        whole.tell("iteration")
        if not whole.verbose:
            return
        now = time.perf_counter()
        evidence = whole.log_evidence(nlml, self.total)
        text = f"{self.title}: iteration {n_iter}/{self.max_iter}, log evidence {evidence:.2f}"
        if whole.bar is not None:
            whole.bar.update(0, completed=whole.finished, total=whole.planned, description=text)
        elif whole.verbose > 1 or now - self.spoke >= 1:
            self.spoke = now
            whole.say(text + whole.time_left())

    def finished(self, nlml: float, n_iter: int, reason: str) -> None:
        """The end of the run; what it did not need counts as done."""
        self._advance(self.left)
        if self.whole.verbose:
            evidence = self.whole.log_evidence(nlml, self.total)
            self.whole.say(f"{self.title}: log evidence {evidence:.2f} after {n_iter} iterations: {reason}")

    def _advance(self, flops: float) -> None:
        self.left -= flops
        self.whole.advance(flops)


class _Output:
    """Lets the logger speak while fits last; to standard output where nobody has set up logging.

    Counts who is inside: the first opens, the last restores what was.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0
        self.level = logging.NOTSET
        self.handler: logging.Handler | None = None

    def open(self) -> None:
        with self.lock:
            self.depth += 1
            if self.depth == 1:
                self.level = LOGGER.level
                if not LOGGER.isEnabledFor(logging.INFO):
                    LOGGER.setLevel(logging.INFO)
                if not _is_heard(LOGGER):
                    self._listen()

    def _listen(self) -> None:
        self.handler = logging.StreamHandler(sys.stdout)
        self.handler.setFormatter(logging.Formatter("[alakarte] %(message)s"))
        self.handler.addFilter(lambda record: record.levelno < logging.WARNING)  # Python prints warnings itself
        LOGGER.addHandler(self.handler)

    def close(self) -> None:
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                LOGGER.setLevel(self.level)
                if self.handler is not None:
                    LOGGER.removeHandler(self.handler)
                    self.handler = None


_output = _Output()


def _is_heard(logger: logging.Logger | None) -> bool:
    """Whether somebody listens to a logger or to one above it."""
    while logger is not None:
        if any(not isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False


def _duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _bar() -> Any:
    """A bar of rich on a terminal, or None."""
    if not _is_terminal():
        return None
    try:
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar
        from rich.table import Column
    except ImportError:
        return None
    text = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis"))
    # a long text must not squeeze out the bar and the time left
    kept = [Column(min_width=width) for width in (20, 7, 8)]
    bar = Bar(
        BarColumn(20, table_column=kept[0]),
        TimeElapsedColumn(table_column=kept[1]),
        TimeRemainingColumn(table_column=kept[2]),
        text,
    )
    bar.add_task("fit")
    bar.start()
    return bar
