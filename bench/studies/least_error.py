"""What stands in the way of a smaller error: exact processes (n × n, no features) on a set's first five folds.

    python -m bench.studies.least_error [set …]

In: folds of the sets, `gas` if none is named. Out: RMSE in the set's own units, of all test rows and without the four
worst ones. Before that, test rows that no smooth function can tell: those more than std(y) from their three nearest
training rows, all within half a standard deviation (`against`, and the RMSE if all other rows were right), and those
with an input more than 20 standard deviations out (`far`). Slow: minutes per fold at some thousand rows.
"""

import sys
import time
import warnings

import numpy as np
from scipy.spatial import KDTree

from alakarte import GPRegressor
from bench.folds import fold
from bench.scores import rmse

KERNELS = ("ard", "matern32")
FOLDS = range(5)
EXACT = {"expansion": "exact", "lengthscale_spread": None, "n_restarts": 2, "max_iter": 60, "random_state": 0}
NEIGHBOURS, CLOSE, FAR = 3, 0.5, 20.0


def cannot_be_told(X, y, X_test, y_test) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of test rows against their close neighbours, 0 for all others, and the numbers of far rows."""
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    z, z_test = (X - X.mean(axis=0)) / spread, (X_test - X.mean(axis=0)) / spread
    distance, nearest = KDTree(z).query(z_test, k=NEIGHBOURS)
    gap = y_test - y[nearest].mean(axis=1)
    against = (distance[:, -1] < CLOSE) & (np.abs(gap) > y.std())
    return np.where(against, gap, 0.0), np.flatnonzero(np.abs(z_test).max(axis=1) > FAR)


def exact_fit(name: str, kernel: str, k: int) -> float:
    """RMSE of an exact process on one fold; prints it, and that without the four worst rows."""
    X, y, X_test, y_test = fold(name, k)
    began = time.perf_counter()
    model = GPRegressor(kernel, **EXACT).fit(X, y)
    residual = model.predict(X_test) - y_test
    seconds = time.perf_counter() - began
    worst = np.argsort(-np.abs(residual))[:4]
    error, rest = rmse(residual), rmse(np.delete(residual, worst))
    print(f"{name:<10}{kernel:<10}{k:>4}{error:9.4f}{rest:11.4f}{seconds:9.1f}", flush=True)
    return error


def main(names) -> None:
    warnings.simplefilter("ignore")
    for name in names or ["gas"]:
        print("set       fold   against, alone      far")
        for k in FOLDS:
            gap, far = cannot_be_told(*fold(name, k))
            print(f"{name:<10}{k:>4}{np.count_nonzero(gap):>7} rows {rmse(gap):8.3f}{len(far):>4} rows", flush=True)
        print("set       kernel    fold     RMSE  without 4  seconds")
        for kernel in KERNELS:
            errors = [exact_fit(name, kernel, k) for k in FOLDS]
            print(f"{name:<10}{kernel:<10}mean{np.mean(errors):9.4f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
