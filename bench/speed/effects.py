"""CPU seconds of a partial dependence with its band, beside scikit-learn's brute force, which has no band.

In: nothing. Out: a line for each kind of posterior: both times, their ratio, and the largest difference of the means.

    python -m bench.speed.effects
"""

import time
import warnings

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.inspection import partial_dependence

from alakarte import GPRegressor
from alakarte.display.effect import effect

ROWS, INPUTS, REPEATS = 1000, 8, 5
SETTINGS = {
    "ard": {"kernel": "ard", "expansion": "exact"},
    "gm": {"kernel": "gm", "expansion": "exact"},
    "matern32": {"kernel": "matern32", "expansion": "exact"},
    "mm": {"kernel": "mm", "expansion": "exact"},
    "features": {"kernel": "ard", "n_frequencies": 512},
    "features of gm": {"kernel": "gm", "n_frequencies": 256},
    "the default": {},
}


def seconds(call, repeats: int = REPEATS) -> tuple[float, object]:
    """The least CPU time of some calls, and what they give."""
    taken = []
    for _ in range(repeats):
        began = time.process_time()
        result = call()
        taken.append(time.process_time() - began)
    return min(taken), result


def main() -> None:
    warnings.simplefilter("ignore")
    X, y = make_friedman1(ROWS, n_features=INPUTS, noise=1.0, random_state=0)
    print(f"{'':<16}{'brute force':>12}{'ours':>9}{'ratio':>8}{'difference':>12}")
    for name, settings in SETTINGS.items():
        model = GPRegressor(max_iter=20, random_state=0, n_jobs=1, **settings).fit(X, y)
        slow, brute = seconds(
            lambda model=model: partial_dependence(model, X, [3], method="brute", kind="average", percentiles=(0, 1)), 2
        )
        values = brute["grid_values"][0]
        fast, (mean, _) = seconds(lambda model=model, values=values: effect(model.model_, X, 3, values))
        apart = float(np.abs(mean[:, 0] - brute["average"][0]).max())
        print(f"{name:<16}{slow:>11.3f}s{fast:>8.3f}s{slow / fast:>8.1f}{apart:>12.1e}", flush=True)


if __name__ == "__main__":
    main()
