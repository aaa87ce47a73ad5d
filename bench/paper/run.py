"""Run cells one after the other or side by side, each in a process of its own, and add a JSON line for each.

In: `Cell`s and the file of lines. Out: lines. A cell that has a line is never run again; a stopped run goes on where it
was. Peak memory is that of the fit beyond the data.
"""

import importlib.metadata
import json
import multiprocessing
import os
import platform
import sys
import time
import warnings
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path

import numpy as np

from alakarte import GPRegressor
from alakarte.metrics import coverage, log_density
from bench.folds import fold
from bench.memory import resident, start_peak
from bench.paper.cells import Cell, schedule, settings

LINES = Path(__file__).parents[1] / "results" / "paper.jsonl"


def read(path: Path = LINES) -> list[dict]:
    """Lines of finished runs."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]  # one cut off is run again


def finished(lines) -> dict[tuple, dict]:
    """Lines by the key of their cell."""
    return {tuple(line[name] for name in Cell.__dataclass_fields__): line for line in lines}


def _mend(path: Path) -> None:
    """An empty file if there is none; without a line that was cut off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_bytes() if path.exists() else b""
    if not text or not text.endswith(b"\n"):
        path.write_bytes(text[: text.rfind(b"\n") + 1])


def versions() -> dict[str, str]:
    """Of what decides the bits."""
    packages = ("alakarte", "numpy", "scipy", "numba")
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in packages}


def result(cell: Cell, n_jobs: int | None = None, data: str | None = None) -> dict:
    """Fit one fold and score it; `data` is the data directory, for a process with an older environment."""
    if data is not None:
        os.environ["ALAKARTE_DATA"] = data
    x_train, y_train, x_test, y_test = fold(cell.set, cell.fold)
    n_rows = len(x_train) + len(x_test)
    before = start_peak()
    given = settings(cell, n_rows)
    model = GPRegressor(n_jobs=n_jobs, **given)
    began, work = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that the paper's protocol does not allow
        model.fit(x_train, y_train)
    seconds, cpu_seconds, peak = time.perf_counter() - began, time.process_time() - work, resident("VmHWM") - before
    began, work = time.perf_counter(), time.process_time()
    mean, std = model.predict(x_test, return_std=True)
    test_seconds, test_cpu_seconds = time.perf_counter() - began, time.process_time() - work
    rmse = float(np.sqrt(np.mean((mean - y_test) ** 2)))
    found = {
        "rmse": rmse,
        "rmse_over_std": rmse / float(y_train.std()),
        "log_density": float(log_density(y_test, mean, std).mean()),
        "log_density_standardised": float(log_density(y_test, mean, std).mean() + np.log(y_train.std())),
        "coverage": float(coverage(y_test, mean, std)),
        "log_evidence": model.log_marginal_likelihood_,
        "n_train": len(y_train),
        "n_test": len(y_test),
        "n_inputs": x_train.shape[1],
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,  # of all threads: comparable where other work runs beside it
        "test_seconds": test_seconds,
        "test_cpu_seconds": test_cpu_seconds,
        "peak_mb": peak,
        "evaluations": model.n_evaluations_,
        "kernel": model.kernel_.kernel.name,
        "columns": model.n_basis_,
        "schedule": schedule(cell, n_rows),
        "settings": given,
        "threads": n_jobs,
        "versions": versions(),
    }
    return {name: float(f"{value:.7g}") if isinstance(value, float) else value for name, value in found.items()}


def run(todo: list[Cell], path: Path = LINES, max_time: float | None = None, side_by_side: int = 1, say=print) -> int:
    """Run what has no line yet; the number of cells that failed. Stops starting cells after `max_time` seconds."""
    done = finished(read(path))
    todo = list(dict.fromkeys(todo))
    left = [cell for cell in todo if cell.key() not in done]
    say(f"{len(todo)} cells, {len(todo) - len(left)} of them finished before")
    _mend(path)
    began, n_failed, clock = time.perf_counter(), 0, _Clock(done.values())
    n_jobs = None if side_by_side == 1 else 1
    with ProcessPoolExecutor(side_by_side, mp_context=_fresh_processes(), max_tasks_per_child=1) as pool:
        running, queue = {}, list(left)
        while queue or running:
            late = max_time is not None and time.perf_counter() - began > max_time
            while queue and not late and len(running) < side_by_side:
                cell = queue.pop(0)
                running[pool.submit(result, cell, n_jobs, os.environ.get("ALAKARTE_DATA"))] = cell
            if not running:
                say(f"{len(queue)} cells are left: --max-time is over")
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                cell = running.pop(future)
                try:
                    line = asdict(cell) | future.result()
                except FileNotFoundError as error:  # a set that is not there
                    say(str(error))
                    queue = [other for other in queue if other.set != cell.set]
                    n_failed += 1
                    continue
                except Exception as error:
                    say(f"{cell.set} {cell.method} fold {cell.fold} failed: {type(error).__name__}: {error}")
                    n_failed += 1
                    continue
                with path.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(line, separators=(",", ":")) + "\n")
                clock.add(line)
                say(f"{_text(line)}  {_duration(clock.left([*queue, *running.values()]) / side_by_side)} left")
    return n_failed


def _fresh_processes():
    """A context whose processes have nothing of the last run, but the imports where the system allows that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


class _Clock:
    """How long cells take: that of the same set and method, else of the method, else of all."""

    def __init__(self, lines):
        self.seconds = {}
        for line in lines:
            self.add(line)

    def add(self, line):
        for key in ((line["set"], line["method"], line["Q"], line["m"]), line["method"], None):
            self.seconds.setdefault(key, []).append(line["seconds"] + 3)

    def left(self, cells) -> float:
        total = 0.0
        for cell in cells:
            for key in ((cell.set, cell.method, cell.Q, cell.m), cell.method, None):
                if key in self.seconds:
                    total += sum(self.seconds[key]) / len(self.seconds[key])
                    break
        return total


def _duration(seconds: float) -> str:
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _text(line) -> str:
    size = "" if line["Q"] is None else f" Q={line['Q']} m={line['m']}"
    return (
        f"{line['set']:<15}{line['method'] + size:<22}fold {line['fold']}  RMSE {line['rmse']:<10.4g}"
        f"coverage {line['coverage']:.2f} {line['seconds']:8.1f} s"
    )


def smoke(path: Path, names=("concreteslump", "machine", "yacht")) -> int:
    """Run three sets × seven methods × one fold from scratch and compare with the committed lines."""
    from bench.paper.cells import cells
    from bench.paper.published import PAPER

    committed = finished(read(LINES))
    path.unlink(missing_ok=True)
    todo = cells(names, folds=[0], modes=("paper",))
    n_bad = run(todo, path, side_by_side=2)
    for line in read(path):
        key = tuple(line[name] for name in Cell.__dataclass_fields__)
        if key not in committed:
            print(f"{line['set']} {line['method']}: no committed line to compare with", file=sys.stderr)
            n_bad += 1
            continue
        # another processor rounds otherwise and may end in another optimum
        slack = max(0.1 * committed[key]["rmse"], 0.5 * PAPER[line["set"]].figures[line["method"]].sd)
        if abs(line["rmse"] - committed[key]["rmse"]) > slack:
            text = f"RMSE {line['rmse']:.4g}, committed {committed[key]['rmse']:.4g}, allowed ± {slack:.2g}"
            print(f"{line['set']} {line['method']}: {text}", file=sys.stderr)
            n_bad += 1
    print("all agree with the committed lines" if not n_bad else f"{n_bad} do not agree")
    return n_bad
