"""One pass over rows on threads and on a Dask cluster of this machine, and what a killed worker costs.

    python -m bench.large.cluster [ROWS] [COLUMNS] [WORKERS …]

In: nothing; rows of 11 inputs are generated. Out: printed seconds, and CPU seconds of all processes, of a pass on two
threads and on so many workers (1, 2 and 4), in turn, bytes of the sums, whether the bits are equal, the memory that the
driver takes (Linux), and the seconds of a fit one of whose workers is killed.
"""

import logging
import os
import signal
import sys
import threading
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from alakarte import GPRegressor
from alakarte.data.table import training_table
from alakarte.execution.randomness import streams
from alakarte.execution.threads import one_blas_thread
from alakarte.features.draws import draw
from alakarte.features.feature_map import feature_map
from alakarte.kernels import ARD
from alakarte.likelihoods import Gaussian
from alakarte.process.sums import statistics
from alakarte.records import Shape
from bench.large.from_files import Watch
from bench.memory import resident

INPUTS = 11
REPEATS = 2


def made(n: int):
    """X (n, 11) float32 and y (n,)."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, INPUTS), dtype=np.float32)
    return X, np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(n, dtype=np.float32)


def features(n_columns: int):
    """A feature map of `ard` with so many columns."""
    draws = draw(Shape(INPUTS, (n_columns // 2,)), "fastfood", streams(0)())
    values = {"log_amplitude": np.zeros(1), "log_lengthscale": np.zeros((1, INPUTS))}
    return feature_map(ARD().spectrum(values, draws), draws)


def seconds_of_pass(rows, n_columns: int, n_jobs: int, client=None):
    """Seconds and CPU seconds of a pass, and the sums."""
    phi = features(n_columns)
    began, cpu = time.perf_counter(), cpu_seconds(client)
    with one_blas_thread():
        sums = statistics(rows, phi, n_jobs)
    return time.perf_counter() - began, cpu_seconds(client) - cpu, sums


def cpu_seconds(client) -> float:
    """Of this process and of all workers."""
    of_workers = {} if client is None else client.run(time.process_time)
    return time.process_time() + sum(of_workers.values())


def memory_of_pass(rows, n_columns: int) -> float:
    """Most megabytes of this process that are no page cache during a pass, beyond those before."""
    watch, before = Watch(), resident("RssAnon")
    watch.start()
    seconds_of_pass(rows, n_columns, 1)
    watch.done.set()
    return watch.peak - before


def on_workers(n_workers: int):
    """A cluster of this machine, bound to loopback."""
    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )


def passes(n: int, n_columns: int, workers) -> None:
    """Seconds of a pass on threads and on workers, the least of some in turn."""
    X, y = made(n)
    here = training_table(GPRegressor(), X, y, None, Gaussian().scaling).rows
    triangle = 8 * n_columns * (n_columns + 1) // 2 / 1e6
    print(f"pass over {n} × {INPUTS}, {n_columns} columns, {triangle:.1f} MB per lane", flush=True)
    for n_workers in workers:
        with on_workers(n_workers) as cluster, Client(cluster) as client:
            chunks = (-(-n // 16), INPUTS)
            collection = da.from_array(X, chunks=chunks), da.from_array(y, chunks=chunks[:1])
            there = training_table(GPRegressor(), *collection, None, Gaussian().scaling).rows
            seconds_of_pass(here, 16, 2)  # compiles, and brings the rows to the workers
            seconds_of_pass(there, 16, 1, client)
            runs = []
            for _ in range(REPEATS):
                threads, remote = seconds_of_pass(here, n_columns, 2), seconds_of_pass(there, n_columns, 1, client)
                runs.append((*threads[:2], *remote[:2]))
            on_threads, cpu_on_threads, seconds, cpu = (min(each) for each in zip(*runs, strict=True))
            ratios = f"{seconds / on_threads:.2f} and {cpu / cpu_on_threads:.2f} × threads"
            same = np.array_equal(threads[2].gram, remote[2].gram)
            print(f"  2 threads {on_threads:.2f} s, CPU {cpu_on_threads:.2f} s")
            crowded = ", more than there are cores" if n_workers > (os.cpu_count() or 1) else ""
            print(f"  {n_workers} workers{crowded} {seconds:.2f} s, CPU {cpu:.2f} s, {ratios}, equal bits: {same}")
            print(f"  the driver takes {memory_of_pass(there, n_columns):.0f} MB more", flush=True)


def killed(n: int) -> None:
    """Seconds of a fit left alone, and of one whose worker is killed on the way."""
    X, y = made(n)
    with on_workers(2) as cluster, Client(cluster) as client:
        collection = da.from_array(X, chunks=(-(-n // 16), INPUTS)), da.from_array(y, chunks=-(-n // 16))
        seconds, expected = seconds_of_fit(collection)
        print(f"fit of {n} rows on 2 workers, left alone: {seconds:.1f} s")
        pid = next(iter(client.run(os.getpid).values()))
        threading.Timer(0.4 * seconds, os.kill, (pid, signal.SIGKILL)).start()
        seconds, evidence = seconds_of_fit(collection)
        print(f"  a worker killed on the way: {seconds:.1f} s, equal evidence: {evidence == expected}")


def seconds_of_fit(collection) -> tuple[float, float]:
    """Of a fit that learns on the cluster, and its evidence."""
    model = GPRegressor("ard", n_frequencies=64, n_restarts=1, max_iter=10, tol=1e9, n_learning_rows=None)
    began = time.perf_counter()
    model.set_params(random_state=0).fit(*collection)
    return time.perf_counter() - began, model.log_marginal_likelihood_


if __name__ == "__main__":
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    passes(n_rows, int(sys.argv[2]) if len(sys.argv) > 2 else 1024, [int(each) for each in sys.argv[3:]] or (1, 2, 4))
    killed(min(n_rows, 200_000))
