"""Whether `max_time` is kept: seconds of fits beside 1.1 × the limit + 0.5 s, with compiled code loaded.

In: rows and limits, or those below. Out: a line per fit with its error over std(y) and why it stopped.

    python -m bench.speed.max_time [--rows 200 3000] [--limits 0.1 10]
"""

import argparse
import time
import warnings

from sklearn.datasets import make_friedman1

from alakarte import GPRegressor

ROWS = (200, 375, 1000, 3000, 4200, 8000, 20_000, 100_000)
LIMITS = (0.1, 0.5, 1.0, 3.0, 10.0)
TEST_ROWS = 500
WARM_UP = ((60, None), (2500, 0.1), (6000, 3.0))  # closed forms, a comparison of many rows, features and neighbours


def fit(n_rows: int, max_time: float | None) -> tuple[float, float, str]:
    """Seconds, error on other rows over std(y), and why it stopped."""
    X, y = make_friedman1(n_rows + TEST_ROWS, n_features=8, noise=1.0, random_state=1)
    began = time.perf_counter()
    model = GPRegressor(max_time=max_time, random_state=0).fit(X[:n_rows], y[:n_rows])
    seconds = time.perf_counter() - began
    error = (1 - model.score(X[n_rows:], y[n_rows:])) ** 0.5
    return seconds, error, model.stop_reason_


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed.max_time", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    for n_rows, limit in WARM_UP:
        fit(n_rows, limit)
    print("   rows  max_time  seconds  allowed        error  stopped because")
    for n_rows in options.rows:
        for limit in options.limits:
            seconds, error, reason = fit(n_rows, limit)
            allowed = 1.1 * limit + 0.5
            verdict = "holds" if seconds <= allowed else "LATE"
            print(
                f"{n_rows:7}{limit:10.1f}{seconds:9.2f}{allowed:9.2f}  {verdict:<6}{error:5.3f}  {reason}", flush=True
            )


if __name__ == "__main__":
    main()
