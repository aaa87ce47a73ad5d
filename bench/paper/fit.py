"""One cell, fitted and scored, in the process that calls.

In: a `Cell`. Out: the fields of its line. Peak memory is that of the fit beyond the data; CPU seconds are those of all
threads, which can be compared where other work runs beside it.
"""

import importlib.metadata
import os
import platform
import time
import warnings

from alakarte import GPRegressor
from bench.folds import fold
from bench.memory import resident, start_peak
from bench.paper.cells import PROTOCOL, Cell, settings
from bench.scores import scores_of


def versions() -> dict[str, str]:
    """Of what decides the bits."""
    packages = ("alakarte", "numpy", "scipy", "numba")
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in packages}


def result(cell: Cell, n_jobs: int | None = None, data: str | None = None) -> dict:
    """Fit one fold and score it; `data` is the data directory, for a process with an older environment."""
    if data is not None:
        os.environ["ALAKARTE_DATA"] = data
    x_train, y_train, x_test, y_test = fold(cell.set, cell.fold)
    before = start_peak()
    model = GPRegressor(n_jobs=n_jobs, **settings(cell, len(x_train) + len(x_test)))
    began, work = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that the paper's protocol does not allow
        model.fit(x_train, y_train)
    seconds, cpu_seconds, peak = time.perf_counter() - began, time.process_time() - work, resident("VmHWM") - before
    work = time.process_time()
    model.predict(x_test, return_std=True)
    test_cpu_seconds = time.process_time() - work
    return scores_of(model, x_test, y_test, y_train.std()) | {
        "log_evidence": getattr(model, "log_marginal_likelihood_", None),  # neighbours have none
        "n_train": len(y_train),
        "n_test": len(y_test),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "test_cpu_seconds": test_cpu_seconds,
        "peak_mb": peak,
        "evaluations": model.n_evaluations_,
        "columns": model.n_basis_,
        "chosen": model.kernel_.kernel.name if cell.mode == "auto" else None,
        "threads": n_jobs,
        "versions": versions(),
        "protocol": PROTOCOL,
    }
