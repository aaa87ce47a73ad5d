"""What more columns could reach at best: exact processes (n × n, no features) on a set's first five folds.

    python -m bench.limit [set …]

RMSE in the set's own units, of all test rows and without the four worst ones, and how far from the training mean, in
training standard deviations, the farthest input of those four lies. Slow: minutes a fold at some thousand rows.
"""

import sys
import time
import warnings

import numpy as np

from alakarte import GPRegressor
from bench.folds import fold

KERNELS = ("ard", "matern32")


def rmse(residual):
    return float(np.sqrt(np.mean(residual**2)))


def main(names):
    warnings.simplefilter("ignore")
    print("set       kernel    fold     RMSE  without 4  farthest input  seconds")
    for name in names or ["gas"]:
        for kernel in KERNELS:
            errors = []
            for k in range(5):
                X, y, X_test, y_test = fold(name, k)
                began = time.perf_counter()
                model = GPRegressor(kernel, expansion="exact", n_restarts=2, max_iter=60, random_state=0).fit(X, y)
                residual = model.predict(X_test) - y_test
                worst = np.argsort(-np.abs(residual))[:4]
                spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
                far = np.abs((X_test[worst] - X.mean(axis=0)) / spread).max()
                errors.append(rmse(residual))
                print(
                    f"{name:<10}{kernel:<10}{k:>4}{errors[-1]:9.4f}{rmse(np.delete(residual, worst)):11.4f}{far:16.1f}"
                    f"{time.perf_counter() - began:9.1f}",
                    flush=True,
                )
            print(f"{name:<10}{kernel:<10}mean{np.mean(errors):9.4f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
