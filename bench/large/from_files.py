"""Fit rows that lie in files, in a process of its own (Linux).

    python -m bench.large.from_files ROWS FOLDER [FREQUENCIES] [parquet]

In: files X (n, 10) and y (n,) of float32 in the folder, or Parquet files of the same; with 0 frequencies the defaults
are fitted. Out: printed seconds, peak megabytes that are no page cache, the noise found, the log evidence, CPU seconds.
"""

import sys
import threading
import time
from pathlib import Path

import numpy as np

from alakarte import GPRegressor, scan_parquet
from bench.memory import resident


class Watch(threading.Thread):
    """The most memory that is no page cache, looked up twenty times per second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak, self.done = 0.0, threading.Event()

    def run(self):
        while not self.done.wait(0.05):
            self.peak = max(self.peak, resident("RssAnon"))


def main(n: int, folder: Path, n_frequencies: int = 512, parquet: bool = False) -> None:
    if parquet:
        table = scan_parquet(folder / "*.parquet")
        X, y = table[[f"x{j}" for j in range(10)]], table["y"]
    else:
        X = np.memmap(folder / "X", dtype=np.float32, mode="r", shape=(n, 10))
        y = np.memmap(folder / "y", dtype=np.float32, mode="r", shape=(n,))
    sizes = {"n_restarts": 1, "n_learning_rows": 10_000, "n_posterior_frequencies": n_frequencies}
    watch = Watch()
    watch.start()
    began = time.perf_counter()
    model = GPRegressor("ard", **sizes) if n_frequencies else GPRegressor()
    model.set_params(random_state=0).fit(X, y)
    seconds = time.perf_counter() - began
    watch.done.set()
    print(seconds, watch.peak, model.noise_std_, model.log_marginal_likelihood_, time.process_time())


if __name__ == "__main__":
    rows, folder, *more = sys.argv[1:]
    main(int(rows), Path(folder), int(more[0]) if more else 512, "parquet" in more)
