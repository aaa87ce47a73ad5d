"""Run cells, each in a process of its own, and add a line for each.

In: cells and the file of lines. Out: lines with RMSE (own units and over std(y)), log density, coverage, seconds and
peak memory beyond the data. A cell that has a line is never run again.
"""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

from alakarte import GPRegressor
from bench.large.cells import load
from bench.large.near import distances, quarters, some_rows
from bench.large.peers import METHODS
from bench.lines import append, prepare, read
from bench.memory import resident, start_peak
from bench.scores import scores

LINES = Path(__file__).parents[1] / "results" / "large.tsv"
CELL = ("set", "fold", "method", "max_time")
# the fields of a line, with the digits that are kept
COLUMNS = dict.fromkeys(CELL, 6) | {
    "rmse": 6,
    "rmse_over_std": 6,
    "log_density_standardised": 6,
    "coverage": 6,
    "n_test": None,
    "seconds": 6,
    "peak_mb": 6,
    "quarters": None,
    "note": None,
}


def one(cell: dict) -> dict:
    """Fit and score one cell in this process."""
    warnings.simplefilter("ignore")
    x_train, y_train, x_test, y_test = load(cell["set"], cell["fold"])
    before = start_peak()
    settings = {"max_time": cell["max_time"]} if cell["max_time"] else {}
    found = METHODS[cell["method"]](x_train, y_train, x_test, **settings)
    peak, y_std = resident("VmHWM") - before, y_train.std()
    some = some_rows(len(y_test))
    near = distances(x_train, x_test[some]), (found.mean - y_test)[some] / y_std, found.std[some] / y_std
    costs = {"n_test": len(y_test), "seconds": found.seconds, "peak_mb": peak, "note": found.note}
    costs["quarters"] = quarters(*near, found.dof)
    return scores(y_test, found.mean, found.std, y_std, found.dof) | costs


def in_a_process(cell: dict) -> dict | None:
    """Fit and score one cell in another process; None if a peer is missing or fails, with a message."""
    command = [sys.executable, "-m", "bench.large", "--one", json.dumps(cell)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
        print(f"{cell['set']:<15}{cell['method']:<20} skipped: {last}", flush=True)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def key(line: dict) -> tuple:
    """What makes it the same run."""
    return tuple(line[name] for name in CELL)


def run(todo: list[dict], path: Path = LINES) -> list[dict]:
    """Run what has no line yet, show all of them, and give back all lines of the file."""
    prepare(path, COLUMNS)
    finished = {key(line): line for line in read(path)}
    compile_first()
    for cell in todo:
        if key(cell) not in finished and (found := in_a_process(cell)):
            append(path, cell | found, COLUMNS)
            finished[key(cell)] = cell | found
        if key(cell) in finished:
            show(finished[key(cell)])
    return list(finished.values())


def compile_first() -> None:
    """Fill the cache of compiled code, before any clock runs."""
    GPRegressor(random_state=0, max_iter=2).fit(np.eye(9), np.arange(9.0))


def label(line: dict) -> str:
    """The method, and its limit of time if there is one."""
    return line["method"] + (f" {line['max_time']:g} s" if line["max_time"] else "")


def show(line: dict) -> None:
    """Print one line."""
    print(
        f"{line['set']:<15}{line['fold']:>2} {label(line):<20}{line['rmse']:10.4f}{line['rmse_over_std']:9.4f}"
        f"{line['log_density_standardised']:9.3f}{line['coverage']:7.3f}{line['seconds']:9.1f} s"
        f"{line['peak_mb']:7.0f} MB  {line['note']}",
        flush=True,
    )
