"""A set of the paper by defaults, from an array and from Parquet of the same rows: seconds, and the same predictions.

    python -m bench.large.from_parquet [houseelectric] [FREQUENCIES]

In: fold 0 of a set. Out: printed seconds and CPU seconds of both fits, RMSE over std(y) and whether predictions are
equal bit by bit. FREQUENCIES: of `ard` alone, a short fit, of which reading is a larger part than of the defaults.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from alakarte import GPRegressor, scan_parquet
from bench.folds import fold
from bench.scores import rmse

ROW_GROUP = 100_000


def fitted(X, y, X_test, n_frequencies):
    """Predictions, seconds and CPU seconds."""
    began, cpu = time.perf_counter(), time.process_time()
    model = GPRegressor() if n_frequencies is None else GPRegressor("ard", n_frequencies=n_frequencies)
    model.set_params(random_state=0).fit(X, y)
    seconds = time.perf_counter() - began, time.process_time() - cpu
    return model.predict(X_test), *seconds


def main(name: str, n_frequencies: int | None) -> None:
    """Both ways."""
    X, y, X_test, y_test = fold(name, 0)
    names = [f"x{j}" for j in range(X.shape[1])]
    GPRegressor("ard", max_iter=1, random_state=0).fit(X[:5000], y[:5000])  # compiles
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        columns = dict(zip(names, X.T, strict=True)) | {"y": y}
        pq.write_table(pa.table(columns), path, row_group_size=ROW_GROUP)
        table = scan_parquet(path)
        ways = {"array": (X, y), "Parquet": (table[names], table["y"])}
        found = {way: fitted(*rows, X_test, n_frequencies) for way, rows in ways.items()}
    for way, (mean, seconds, cpu) in found.items():
        times = seconds / found["array"][1]
        error = rmse(mean - y_test) / y.std()
        print(f"{name}, {len(y)} rows, {way}: {seconds:.1f} s ({times:.2f} ×), CPU {cpu:.1f} s, RMSE {error:.5f}")
    print(f"equal bits: {np.array_equal(found['array'][0], found['Parquet'][0])}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0] if given else "houseelectric", int(given[1]) if len(given) > 1 else None)
