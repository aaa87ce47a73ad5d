"""Run cells, each in a process of its own, and add a line for each.

In: cells and the file of lines. Out: lines with the mean loss, its standard error, means of groups of rows, accuracy
and calibration, seconds and peak memory beyond the data. A cell that has a line is never run again.
"""

import importlib.metadata
import json
import platform
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

from bench.likelihoods.cells import METHODS, settings
from bench.likelihoods.ours import compile_first
from bench.likelihoods.outcome import Outcome
from bench.likelihoods.rows import Split, load
from bench.likelihoods.scores import class_figures, class_losses, kept, rate_error
from bench.likelihoods.sets import SETS
from bench.lines import append, prepare, read
from bench.memory import resident, start_peak

LINES = Path(__file__).parents[1] / "results" / "likelihoods.tsv"
CELL = ("set", "method", "seed")
# the fields of a line, with the digits that are kept
COLUMNS = dict.fromkeys(CELL) | {
    "loss": 5,
    "se": 3,
    "accuracy": 4,
    "ece": 3,
    "ece_drawn": 3,
    "rate_error": 3,
    "seconds": 3,
    "peak_mb": 3,
    "n_train": None,
    "n_test": None,
    "note": None,
    "groups": None,
}
SHARED = ("versions", "settings")
PACKAGES = ("alakarte", "numpy", "scikit-learn", "lightgbm", "statsmodels", "torch", "gpytorch")


def one(cell: dict) -> dict:
    """Fit and score one cell in this process."""
    warnings.simplefilter("ignore")
    known = SETS[cell["set"]]
    split = load(known, cell["seed"])
    before = start_peak()
    outcome = METHODS[known.kind][cell["method"]](split)
    peak = resident("VmHWM") - before
    losses, figures = scored(known.kind, split, outcome)
    empty = dict.fromkeys(("accuracy", "ece", "ece_drawn", "rate_error"))
    costs = {"seconds": outcome.seconds, "peak_mb": peak, "n_train": len(split.y), "n_test": len(split.y_test)}
    return empty | kept(losses, len(known.seeds)) | figures | costs | {"note": outcome.note}


def scored(kind: str, split: Split, outcome: Outcome) -> tuple[np.ndarray, dict[str, float]]:
    """The losses of test rows and what else is told of a kind."""
    if kind == "classes":
        figures = class_figures(split.y_test, outcome.predicted)
        return class_losses(split.y_test, outcome.predicted), figures
    if kind == "counts":
        has_truth = split.rate_test is not None and outcome.rate is not None
        figures = {"rate_error": rate_error(outcome.rate, split.rate_test)} if has_truth else {}
        return -outcome.predicted, figures
    return ((outcome.predicted - split.y_test) / split.y_std) ** 2, {}


def in_a_process(cell: dict, max_time: float | None) -> dict | None:
    """Fit and score one cell in another process; None if it fails or takes too long, with a message."""
    command = [sys.executable, "-m", "bench.likelihoods", "one", json.dumps(cell)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=max_time)
    except subprocess.TimeoutExpired:
        return _skipped(cell, f"took more than {max_time:g} s")
    if done.returncode:
        message = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return _skipped(cell, message[-1])
    return json.loads(done.stdout.splitlines()[-1])


def _skipped(cell: dict, reason: str) -> None:
    print(f"{cell['set']:<18}{cell['seed']:>2} {cell['method']:<24} skipped: {reason}", flush=True)


def key(line: dict) -> tuple:
    """What makes it the same run."""
    return tuple(line[name] for name in CELL)


def run(todo: list[dict], path: Path = LINES, max_time: float | None = None) -> list[dict]:
    """Run what has no line yet, show all of them, and give back all lines of the file."""
    prepare(path, COLUMNS)
    finished = {key(line): line for line in read(path)}
    left = [cell for cell in todo if key(cell) not in finished]
    if any(cell["method"].startswith("alakarte") for cell in left):
        compile_first()
    shared = {"versions": versions(), "settings": settings()}
    for cell in todo:
        if key(cell) not in finished and (found := in_a_process(cell, max_time)):
            append(path, cell | found | shared, COLUMNS, SHARED)
            finished[key(cell)] = cell | found
        if key(cell) in finished:
            show(finished[key(cell)])
    return list(finished.values())


def versions() -> dict[str, str]:
    """Of the packages that are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def show(line: dict) -> None:
    """Print one line."""
    accuracy = "" if line["accuracy"] is None else f"  accuracy {line['accuracy']:.4f}, calibration {line['ece']:.4f}"
    print(
        f"{line['set']:<18}{line['seed']:>2} {line['method']:<24}{line['loss']:9.4f} ± {line['se']:.4f}{accuracy}"
        f"{line['seconds']:9.1f} s{line['peak_mb']:7.0f} MB  {line['note'] or ''}",
        flush=True,
    )
