"""Progress of a fit: an estimate, then a bar (rich, where it is installed and there is a terminal) or plain lines.

In: planned and finished work from the stages. Out: text on standard output when `verbose` asks for it. Decides nothing.
"""

import sys
import time

import numpy as np


class Progress:
    """Prints; at verbose=1 at most a line a second while iterating, at verbose=2 every iteration."""

    def __init__(self, verbose: int, to_user):
        self.verbose = verbose
        self.to_user = to_user  # nlml -> log marginal likelihood in nats of the user's y
        self.began = self.spoke = time.perf_counter()
        self.planned = self.finished = 0.0  # flops
        self.each = self.stage_left = 0.0  # flops of an iteration, of the present stage
        self.title = ""
        self.bar = _bar() if verbose == 1 else None

    def plan(self, n_rows, n_columns, flops, n_bytes):
        """The estimate before a fit; the rate is that of a small matrix product."""
        self.planned = flops
        if self.verbose:
            seconds = flops / _rate()
            text = f"{n_rows} rows: about {_duration(seconds)}, up to {n_columns} columns, {n_bytes / 1e6:.0f} MB"
            self.say(text + " beyond the data")

    def say(self, text):
        """One line."""
        if self.verbose and self.bar is not None:
            self.bar.console.print(f"[alakarte] {time.perf_counter() - self.began:6.1f} s  {text}", markup=False)
        elif self.verbose:
            print(f"[alakarte] {time.perf_counter() - self.began:6.1f} s  {text}", flush=True)

    def restart(self, n_starts, flops):
        """A line for each finished restart, and the flops that were planned for it."""
        if not self.verbose:
            return None

        def report(index, run):
            self.finished += flops
            evidence = self.to_user(run.value)
            self.say(f"restart {index}/{n_starts}: log evidence {evidence:.2f} after {run.n_iter} iterations")

        return report

    def stage(self, name, n_rows, n_basis, max_iter, flops):
        """What is next, and the flops of one of its evaluations."""
        self.each = flops
        self.stage_left = self.each * max_iter
        self.title = f"{name}: {n_rows} rows, {'exact' if n_basis is None else f'{n_basis} columns'}"
        self.say(f"{self.title}, at most {max_iter} iterations")

    def iteration(self, max_iter):
        """A line a second, or the bar."""
        if not self.verbose:
            return None

        def report(n_iter, value):
            self._advance(min(self.each, self.stage_left))
            now = time.perf_counter()
            text = f"iteration {n_iter}/{max_iter}, log evidence {self.to_user(value):.2f}"
            if self.bar is not None:
                self.bar.update(0, completed=self.finished, total=self.planned, description=f"{self.title}, {text}")
            elif self.verbose > 1 or now - self.spoke >= 1:
                self.spoke = now
                self.say(text + self._left())

        return report

    def done(self, run):
        """The end of a stage."""
        self._advance(self.stage_left)
        if self.verbose:
            self.say(f"log evidence {self.to_user(run.value):.2f} after {run.n_iter} iterations: {run.reason}")

    def close(self):
        """The end of a fit."""
        if self.bar is not None:
            self.bar.stop()

    def _advance(self, flops):
        self.stage_left -= flops
        self.finished += flops
        self.planned = max(self.planned, self.finished)

    def _left(self):
        if not 0 < self.finished < self.planned:
            return ""
        elapsed = time.perf_counter() - self.began
        return f", about {_duration(elapsed * (self.planned - self.finished) / self.finished)} left"


def _duration(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _rate():
    """Flops a second of a small product: what most of a fit consists of."""
    square = np.ones((768, 768))
    square @ square
    began = time.perf_counter()
    square @ square
    return 2 * 768**3 / (time.perf_counter() - began)


def _terminal():
    return sys.stdout.isatty()


def _bar():
    """A bar of rich on a terminal, or None."""
    if not _terminal():
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
