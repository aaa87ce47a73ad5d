"""Whether `max_time` is kept: seconds of fits beside 1.1 × the limit + 0.5 s, with compiled code loaded.

In: rows, limits and targets, or those below. Out: a line per fit, with its error over std(y), or for classes and counts
less the log density per row, and why it stopped.

    python -m bench.speed.max_time [--rows 200 3000] [--limits 0.1 10] [--targets numbers two four counts outliers]
"""

import argparse
import itertools
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_friedman1

from alakarte import GPClassifier, GPCountRegressor, GPRegressor

ROWS = (200, 375, 1000, 3000, 4200, 8000, 20_000, 100_000)
LIMITS = (0.1, 0.5, 1.0, 3.0, 10.0)
TEST_ROWS = 500
WARM_UP = ((60, None), (2500, 0.1), (6000, 3.0))  # closed forms, a comparison of many rows, features and neighbours


TARGETS = {
    "numbers": (GPRegressor(), lambda y: y),
    "outliers": (GPRegressor(likelihood="student_t"), lambda y: np.where(np.arange(len(y)) % 20, y, y + 50)),
    "two": (GPClassifier(), lambda y: y > 15),
    "four": (GPClassifier(), lambda y: np.digitize(y, [10, 15, 20])),
    "counts": (GPCountRegressor(), lambda y: np.random.default_rng(0).poisson(np.maximum(y, 0))),
}


def fit(n_rows: int, max_time: float | None, targets: str = "numbers") -> tuple[float, float, str]:
    """Seconds, error on other rows, and why it stopped."""
    X, y = make_friedman1(n_rows + TEST_ROWS, n_features=8, noise=1.0, random_state=1)
    model, of_numbers = TARGETS[targets]
    y = of_numbers(y)
    model = clone(model).set_params(max_time=max_time, random_state=0)
    began = time.perf_counter()
    model.fit(X[:n_rows], y[:n_rows])
    seconds = time.perf_counter() - began
    if isinstance(model, GPRegressor):
        error = max(1 - model.score(X[n_rows:], y[n_rows:]), 0.0) ** 0.5
    else:
        error = -float(model.log_predictive_density(X[n_rows:], y[n_rows:]).mean())
    return seconds, error, model.stop_reason_


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed.max_time", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS)
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=["numbers"])
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    for targets, (n_rows, limit) in itertools.product(options.targets, WARM_UP):
        fit(n_rows, limit, targets)
    print("targets      rows  max_time  seconds  allowed        error  stopped because")
    for targets, n_rows, limit in itertools.product(options.targets, options.rows, options.limits):
        seconds, error, reason = fit(n_rows, limit, targets)
        allowed = 1.1 * limit + 0.5
        verdict = "holds" if seconds <= allowed else "LATE"
        print(
            f"{targets:<10}{n_rows:7}{limit:10.1f}{seconds:9.2f}{allowed:9.2f}  {verdict:<6}{error:5.3f}  {reason}",
            flush=True,
        )


if __name__ == "__main__":
    main()
