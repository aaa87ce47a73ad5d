"""Milliseconds of a prediction from 1,000 rows of 8 inputs: one row, one with its standard deviation, 100,000 means.

In: nothing. Out: a line for one kernel and one for an average of several, beside scikit-learn's process.

    python -m bench.speed.rows
"""

import time
import warnings

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from alakarte import GPRegressor

ROWS, INPUTS, MANY = 1000, 8, 100_000
REPEATS = 300


def milliseconds(call, repeats: int = REPEATS) -> float:
    """Median of several calls, the first of them left out."""
    call()
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return 1e3 * float(np.median(seconds))


def main() -> None:
    warnings.simplefilter("ignore")
    X, y = make_friedman1(ROWS, n_features=INPUTS, noise=1.0, random_state=0)
    many = make_friedman1(MANY, n_features=INPUTS, random_state=1)[0]
    theirs = ConstantKernel() * RBF(np.ones(INPUTS)) + WhiteKernel()
    models = {
        "ard": GPRegressor("ard", random_state=0),
        "gm": GPRegressor("gm", random_state=0),
        "auto": GPRegressor(random_state=0),
        "scikit-learn": GaussianProcessRegressor(theirs, normalize_y=True, optimizer=None),
    }
    print("model          kernels  one row  with std  100,000 rows (ms)")
    for name, model in models.items():
        model.fit(X, y)
        n_kernels = sum(line["weight"] > 0 for line in model.ranking_) if name == "auto" else 1
        mean = milliseconds(lambda model=model: model.predict(X[:1]))
        std = milliseconds(lambda model=model: model.predict(X[:1], return_std=True))
        all_rows = milliseconds(lambda model=model: model.predict(many), 3)
        print(f"{name:<14}{n_kernels:8}{mean:9.3f}{std:10.3f}{all_rows:14.0f}", flush=True)


if __name__ == "__main__":
    main()
