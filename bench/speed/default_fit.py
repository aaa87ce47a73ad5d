"""The default beside one fit of scikit-learn's process with an ARD kernel: seconds of fold 0, alternating.

In: the data sets of ALAKARTE_DATA. Out: for each set the median seconds of several fits, their ratio, and in brackets
the ratio of the least seconds. On few rows the peer takes one of two times, by what the memory allocator has kept of
the fit before: its least is not what a user waits for.

    python -m bench.speed.default_fit [set ...]
"""

import sys
import time
import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from alakarte import GPRegressor
from bench.folds import fold

SETS = ("yacht", "housing", "energy", "concrete", "wine")
ROUNDS, ENOUGH = (3, 15), 20.0  # least and most; seconds that all together need not exceed


def scikit_learn(n_inputs: int):
    """Amplitude × one length-scale per input + noise, standardised, no restarts."""
    kernel = ConstantKernel() * RBF(np.ones(n_inputs)) + WhiteKernel()
    return make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel, normalize_y=True))


def seconds(model, X, y) -> float:
    """Of one fit."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return time.perf_counter() - began


def compare(name: str) -> None:
    """Print the line of a set."""
    X, y, X_test, y_test = fold(name, 0)
    models = GPRegressor(random_state=0), scikit_learn(X.shape[1])
    taken = np.array([[seconds(model, X, y) for model in models]])
    while len(taken) < ROUNDS[0] or (len(taken) < ROUNDS[1] and taken.sum() < ENOUGH):
        taken = np.vstack([taken, [seconds(model, X, y) for model in models]])
    errors = [np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2)) / y.std() for model in models]
    (ours, theirs), (least, their_least) = np.median(taken, axis=0), taken.min(axis=0)
    ratios = f"{ours / theirs:8.2f} ({least / their_least:.2f})"
    print(f"{name:<12}{len(X):>6}{ours:9.2f}{theirs:9.2f}{ratios}{errors[0]:10.4f}{errors[1]:9.4f}", flush=True)


if __name__ == "__main__":
    print("set           rows  seconds  sklearn   ratio (least)  RMSE/std  sklearn")
    for each in sys.argv[1:] or SETS:
        compare(each)
