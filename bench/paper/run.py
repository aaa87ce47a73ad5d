"""Run cells one after the other or side by side, each in a process of its own, and add a line for each.

In: `Cell`s and the file of lines. Out: lines. A cell that has a line is never run again; a stopped run goes on where it
was.
"""

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path

from bench.lines import append, prepare, read
from bench.paper.cells import Cell
from bench.paper.clock import Clock, duration
from bench.paper.fit import result
from bench.paper.lines import COLUMNS, LINES, SHARED, finished


def run(todo: list[Cell], path: Path = LINES, max_time: float | None = None, side_by_side: int = 1, say=print) -> int:
    """Run what has no line yet; the number of cells that failed. Stops starting cells after `max_time` seconds."""
    prepare(path, COLUMNS)
    done = finished(read(path))
    todo = list(dict.fromkeys(todo))
    left = [cell for cell in todo if cell.key() not in done]
    say(f"{len(todo)} cells, {len(todo) - len(left)} of them finished before")
    queue = _Queue(left, path, Clock(done.values()), side_by_side, say)
    queue.work(None if max_time is None else time.perf_counter() + max_time)
    return queue.n_failed


class _Queue:
    """Cells that wait, cells that run, and what becomes of them."""

    def __init__(self, cells: list[Cell], path: Path, clock: Clock, side_by_side: int, say: Callable):
        self.waiting, self.running, self.n_failed = list(cells), {}, 0
        self.path, self.clock, self.side_by_side, self.say = path, clock, side_by_side, say

    def work(self, until: float | None) -> None:
        """All of them, or none that would start after a moment of `time.perf_counter`."""
        with ProcessPoolExecutor(self.side_by_side, mp_context=_fresh_processes(), max_tasks_per_child=1) as pool:
            while self.waiting or self.running:
                if until is None or time.perf_counter() < until:
                    self._start(pool)
                if not self.running:
                    self.say(f"{len(self.waiting)} cells are left: --max-time is over")
                    break
                for future in wait(self.running, return_when=FIRST_COMPLETED).done:
                    self._finish(self.running.pop(future), future)

    def _start(self, pool) -> None:
        """As many as may run side by side."""
        n_jobs = None if self.side_by_side == 1 else 1
        while self.waiting and len(self.running) < self.side_by_side:
            cell = self.waiting.pop(0)
            self.running[pool.submit(result, cell, n_jobs, os.environ.get("ALAKARTE_DATA"))] = cell

    def _finish(self, cell: Cell, future) -> None:
        """Add the line of a cell, or say why there is none."""
        try:
            line = asdict(cell) | future.result()
        except FileNotFoundError as error:  # a set that is not there: its other cells need not be tried
            self.say(str(error))
            self.waiting = [other for other in self.waiting if other.set != cell.set]
            self.n_failed += 1
        except Exception as error:
            self.say(f"{cell.set} {cell.method} fold {cell.fold} failed: {type(error).__name__}: {error}")
            self.n_failed += 1
        else:
            append(self.path, line, COLUMNS, SHARED)
            self.clock.add(line)
            seconds = self.clock.left([*self.waiting, *self.running.values()]) / self.side_by_side
            self.say(f"{_text(line)}  {duration(seconds)} left")


def _fresh_processes():
    """A context whose processes have nothing of the last run, but the imports where the system allows that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bench.paper.fit"])
    return context


def _text(line: dict) -> str:
    size = "" if line["Q"] is None else f" Q={line['Q']} m={line['m']}"
    return (
        f"{line['set']:<15}{line['method'] + size:<22}fold {line['fold']}  RMSE {line['rmse']:<10.4g}"
        f"coverage {line['coverage']:.2f} {line['seconds']:8.1f} s"
    )
