"""`python -m bench.files.streaming [million rows …]`: `alakarte predict` on generated Parquet of 8 columns.

Rows per second of processor time beyond those of a first part, which pays for the start of a process, and peak memory
of the command, beside `predict` on an array in this process; of shorter runs the best of three.
"""

import os
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from alakarte import GPRegressor
from alakarte.data.schema import NUMBER, ColumnSchema, Schema

NAMES = [f"x{j}" for j in range(8)]
PART = 1 << 18
FIRST = 1 << 16  # rows of the command's parts
LONG = 5e6  # rows from which one run will do


def table(path: Path, n_rows: int) -> None:
    """Write so many rows, part by part."""
    rng = np.random.default_rng(0)
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, PART):
            X = rng.standard_normal((min(PART, n_rows - start), 8))
            writer.write_table(pa.table(dict(zip(NAMES, X.T, strict=True))))


def model() -> GPRegressor:
    """With 1,024 columns, and the schema that `alakarte fit` would keep."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(1)
    X = rng.standard_normal((3000, 8))
    fitted = GPRegressor("ard", n_frequencies=512, max_iter=2, n_restarts=1, random_state=0)
    fitted.fit(X, np.sin(X).sum(axis=1) + 0.1 * rng.standard_normal(3000))
    fitted.model_ = replace(fitted.model_, input_names=tuple(NAMES))
    fitted.schema_ = Schema(tuple(ColumnSchema(name, NUMBER) for name in NAMES), "y")
    return fitted


def peak_and_seconds(folder: Path, std: bool) -> tuple[float, float]:
    """Megabytes and seconds of processor time of the command on `table.parquet`."""
    files = [str(folder / name) for name in ("model.alk", "table.parquet", "out.parquet")]
    command = [sys.executable, "-m", "alakarte", "predict", *files[:2], "-o", files[2], *["--std"] * std]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def best(folder: Path, std: bool, n_rows: float) -> tuple[float, float]:
    """The same, of three runs the one with the least seconds, or of a single long one."""
    runs = [peak_and_seconds(folder, std) for _ in range(1 if n_rows >= LONG or std else 3)]
    return min(runs, key=lambda run: run[1])


def main(millions: list[float]) -> None:
    """A line for each size."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        fitted = model()
        fitted.save(place / "model.alk")
        table(place / "table.parquet", FIRST)
        first = {std: best(place, std, FIRST)[1] for std in (False, True)}
        X = np.random.default_rng(2).standard_normal((1_000_000, 8))
        for std in (False, True):
            some = X[:50_000] if std else X
            fitted.predict(some[:1000], return_std=std)
            start = time.process_time()
            fitted.predict(some, return_std=std)
            on_arrays = len(some) / (time.process_time() - start)
            print(f"array, std={std}: {on_arrays:,.0f} rows per second", flush=True)
            for number in [1.0] if std else millions:
                table(place / "table.parquet", round(number * 1e6))
                peak, seconds = best(place, std, number * 1e6)
                rate = (number * 1e6 - FIRST) / (seconds - first[std])
                compared = f"{rate / on_arrays:.2f} of the array's"
                print(f"{number:g} M rows, std={std}: {rate:,.0f} a second, {compared}, {peak:.0f} MB", flush=True)


if __name__ == "__main__":
    main([float(each) for each in sys.argv[1:]] or [2.0, 20.0])
