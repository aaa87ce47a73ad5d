"""XGBoost and LightGBM on a Dask cluster of two workers, one of which is killed while they learn.

    python -m bench.large.cluster_peers [ROWS]

In: nothing; rows of 11 inputs are generated. Out: printed seconds of a fit left alone and what becomes of one whose
worker is killed: seconds, an error, or no end within 90 s. Each peer runs in a process of its own (extra `bench`, and
`pip install xgboost`); beside them `GPRegressor` on the same rows.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time

import dask.array as da
from distributed import Client

from alakarte import GPRegressor
from bench.large.cluster import INPUTS, made, on_workers

PATIENCE = 90.0  # seconds after which a fit hangs
TREES = 400


def with_xgboost(client, X, y):
    import xgboost.dask

    options = {"n_estimators": TREES, "n_jobs": 1}
    return xgboost.dask.DaskXGBRegressor(**options).set_params(client=client).fit(X, y)


def with_lightgbm(client, X, y):
    import lightgbm

    return lightgbm.DaskLGBMRegressor(n_estimators=TREES, n_jobs=1, verbose=-1, client=client).fit(X, y)


def with_alakarte(client, X, y):
    settings = {"n_frequencies": 64, "n_restarts": 1, "max_iter": 10, "tol": 0.0, "n_learning_rows": None}
    return GPRegressor("ard", random_state=0, **settings).fit(X, y)


PEERS = {"alakarte": with_alakarte, "XGBoost": with_xgboost, "LightGBM": with_lightgbm}


def run(name: str, n: int, told) -> None:
    """In a process of its own: seconds left alone, then what comes of a fit whose worker is killed on the way."""
    with on_workers(2) as cluster, Client(cluster) as client:
        X, y = made(n)
        X, y = da.from_array(X, chunks=(-(-n // 8), INPUTS)), da.from_array(y, chunks=-(-n // 8))
        PEERS[name](client, X, y)  # what is compiled or imported
        began = time.perf_counter()
        PEERS[name](client, X, y)
        alone = time.perf_counter() - began
        told.put(f"{name}: left alone {alone:.1f} s")
        pid = next(iter(client.run(os.getpid).values()))
        threading.Timer(0.4 * alone, os.kill, (pid, signal.SIGKILL)).start()
        began = time.perf_counter()
        try:
            PEERS[name](client, X, y)
            end = "ends"
        except Exception as error:
            end = f"fails ({type(error).__name__}: {str(error).splitlines()[-1]:.100})"
        told.put(f"{name}: a worker killed: {end} after {time.perf_counter() - began:.1f} s")


def main(n: int) -> None:
    """One after the other."""
    for name in PEERS:
        told = multiprocessing.Queue()
        process = multiprocessing.Process(target=run, args=(name, n, told))
        process.start()
        for line in range(2):
            try:
                print(told.get(timeout=PATIENCE if line else 3 * PATIENCE), flush=True)
            except Exception:
                print(f"{name}: has not ended after {PATIENCE:.0f} s", flush=True)
        process.kill()
        process.join()


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400_000)
