"""Generated rows in growing numbers: seconds of a fit, and rows in files that are never in memory at once.

In: nothing. Out: printed figures.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from alakarte import GPRegressor
from alakarte.data.arrays import ArrayRows
from alakarte.execution.threads import thread_count
from alakarte.posteriors.neighbours import neighbours_among
from bench.memory import resident, start_peak

CHUNK = 1_000_000  # rows that are made at once
INPUTS = 10


def growth(sizes=(1_000, 10_000, 100_000)) -> None:
    """Seconds of a default fit against rows, on 8 inputs."""
    rng = np.random.default_rng(0)
    for n in sizes:
        X = rng.standard_normal((n, 8))
        y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)
        began = time.perf_counter()
        model = GPRegressor(random_state=0).fit(X, y)
        seconds = time.perf_counter() - began
        print(f"fit of {n} × 8: {seconds:.1f} s, {model.kernel_.kernel.name}, {model.n_basis_} columns", flush=True)


def memmap(sizes=(2_000_000, 20_000_000)) -> None:
    """Rows in float32 files, read block by block: seconds per row and resident memory that is no page cache.

    Learned from 10,000 rows, whatever their number, so that seconds per row are those of the passes over all of them.
    """
    per_row = []
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write(n, Path(folder))
            command = [sys.executable, "-W", "ignore", "-m", "bench.large.from_files", str(n), folder]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        seconds, megabytes, noise, *_ = map(float, out)
        per_row.append(seconds / n)
        print(
            f"memmap of {n} × {INPUTS} float32: {seconds:.1f} s, {1e6 * seconds / n:.2f} µs per row, "
            f"{megabytes:.0f} MB that are no page cache, noise {noise:.3f} (0.1)",
            flush=True,
        )
    print(f"seconds per row, the larger over the smaller: {per_row[-1] / per_row[0]:.2f}")


def neighbours(n=2_000_000, n_inputs=11, n_queries=100_000, k=100) -> None:
    """Build and search among many rows: seconds on all cores, and memory beyond the table over that of the table."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, n_inputs)).cumsum(axis=0) / np.sqrt(n)  # near in time, near in space
    rows = ArrayRows(X, rng.standard_normal((n, 1)), np.broadcast_to(1.0, n))
    n_jobs, before = thread_count(None), start_peak()
    began = time.perf_counter()
    near = neighbours_among(rows, np.ones(n_inputs), n_jobs)
    near.nearest(near.points[:1], k)
    built = time.perf_counter()
    picked = np.sort(rng.choice(n, n_queries, replace=False))
    for part in np.array_split(picked, n_queries // 1_000):
        near.nearest_others(part, k, n_jobs=n_jobs)
    searched = time.perf_counter()
    memory = (resident("VmHWM") - before) * 2**20 / (8 * n * n_inputs)
    print(
        f"{n} × {n_inputs}: tree {built - began:.1f} s, {k} neighbours of {n_queries} rows {searched - built:.1f} s, "
        f"memory beyond the table {memory:.2f} of its size"
    )


def predictions(n=40_000, n_inputs=9, n_queries=100_000) -> None:
    """Mean and standard deviation from 100 neighbours: seconds of many rows, milliseconds of one."""
    rng = np.random.default_rng(0)
    X, queries = rng.standard_normal((n, n_inputs)), rng.standard_normal((n_queries, n_inputs))
    y = np.sign(X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(n)
    model = GPRegressor("matern12", expansion="local", random_state=0).fit(X, y)
    began, cpu = time.perf_counter(), time.process_time()
    model.predict(queries, return_std=True)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    began = time.perf_counter()
    for row in queries[:100]:
        model.predict(row[None], return_std=True)
    one = 10 * (time.perf_counter() - began)
    print(f"{n_queries} rows of {n_inputs} inputs: {seconds:.1f} s ({cpu:.1f} s of one core); one row {one:.2f} ms")


def write(n: int, folder: Path) -> None:
    """Files X (n, 10) and y (n,), made chunk by chunk; noise of 0.1."""
    X = np.memmap(folder / "X", dtype=np.float32, mode="w+", shape=(n, INPUTS))
    y = np.memmap(folder / "y", dtype=np.float32, mode="w+", shape=(n,))
    rng = np.random.default_rng(0)
    for start in range(0, n, CHUNK):
        part = slice(start, start + CHUNK)
        X[part] = rng.standard_normal((len(X[part]), INPUTS), dtype=np.float32)
        y[part] = np.sin(X[part, 0]) + X[part, 1] + 0.1 * rng.standard_normal(len(X[part]), dtype=np.float32)
    X.flush()
    y.flush()


def parquet(n=20_000_000, n_frequencies=64) -> None:
    """The same rows from a memory map and from Parquet files, each in a process of its own: seconds and memory.

    With few columns, so that the passes over the rows are cheap and the reading shows; with 0 the defaults.
    """
    with tempfile.TemporaryDirectory() as folder:
        write(n, Path(folder))
        write_parquet(n, Path(folder))
        for kind in ("memmap", "parquet"):
            command = [sys.executable, "-W", "ignore", "-m", "bench.large.from_files", str(n), folder]
            command += [str(n_frequencies), kind]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            seconds, megabytes, _, evidence, cpu = map(float, out)
            print(
                f"{kind} of {n} × {INPUTS} float32: {seconds:.1f} s, CPU {cpu:.1f} s, "
                f"{megabytes:.0f} MB that are no page cache, log evidence {evidence!r}",
                flush=True,
            )


def write_parquet(n: int, folder: Path) -> None:
    """Files of CHUNK rows with the numbers of `write`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    X = np.memmap(folder / "X", dtype=np.float32, mode="r", shape=(n, INPUTS))
    y = np.memmap(folder / "y", dtype=np.float32, mode="r", shape=(n,))
    for number, start in enumerate(range(0, n, CHUNK)):
        part = slice(start, start + CHUNK)
        columns = {f"x{j}": np.ascontiguousarray(X[part, j]) for j in range(INPUTS)} | {"y": np.array(y[part])}
        pq.write_table(pa.table(columns), folder / f"part-{number:04d}.parquet", row_group_size=CHUNK // 8)


GENERATED = {
    "growth": growth,
    "memmap": memmap,
    "neighbours": neighbours,
    "parquet": parquet,
    "parquet_defaults": lambda: parquet(n_frequencies=0),
    "predictions": predictions,
}
