"""Accuracy on the paper's small sets and folds, beside the paper's figures: `python -m bench.accuracy [set …]`.

Prints a line for every fit and then the means against the limits that the library promises.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from alakarte.metrics import coverage, log_density
from bench.folds import fold

YACHT = {"rbf": (0.29, 0.14), "ard": (0.16, 0.11), "fsard": (0.13, 0.06), "gm": (0.13, 0.08)}
YACHT |= {"pwl": (0.12, 0.07), "fsgbard": (0.12, 0.06), "ssgpr": (0.14, 0.10)}

# (set, kernel, expansion, folds, limit of the mean RMSE)
CASES = [
    ("concrete", "ard", "exact", range(10), 4.95 + 0.77),
    ("yacht", "ard", "exact", range(10), 0.16 + 0.11),
    ("energy", "ard", "exact", range(10), 0.46 + 0.07),
    ("concrete", "gm", "fastfood", range(3), 3.9),
    ("energy", "gm", "fastfood", range(3), 0.38),
    ("concrete", "pwl", "fastfood", range(3), 4.4),
    ("energy", "pwl", "fastfood", range(3), 0.45),
    *[("yacht", kernel, "fastfood", range(10), mean + sd / 2) for kernel, (mean, sd) in YACHT.items()],
]


def run(name, kernel, expansion, k, **settings):
    """RMSE, negative log density, coverage and seconds of one fold."""
    x_train, y_train, x_test, y_test = fold(name, k)
    options = {"n_components": 5, "n_frequencies": 64, "n_restarts": 5 if kernel == "rbf" else 10, "random_state": k}
    options |= {"n_learning_rows": None, "lengthscale_spread": None}  # as the paper does
    model = GPRegressor(kernel, expansion=expansion, **(options | settings))
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(x_train, y_train)
    seconds = time.perf_counter() - began
    mean, std = model.predict(x_test, return_std=True)
    rmse = float(np.sqrt(np.mean((mean - y_test) ** 2)))
    return rmse, -float(log_density(y_test, mean, std).mean()), coverage(y_test, mean, std), seconds, model


def main(names):
    print("set       kernel   expansion folds     RMSE    limit  holds     NLPD  cover  s/fit")
    for name, kernel, expansion, folds, limit in CASES:
        if names and name not in names and kernel not in names:
            continue
        results = np.array([run(name, kernel, expansion, k)[:4] for k in folds])
        rmse, nlpd, covered, seconds = results.mean(axis=0)
        holds = "yes" if rmse <= limit else "NO"
        print(
            f"{name:<10}{kernel:<9}{expansion:<10}{len(folds):>5}{rmse:>9.4f}{limit:>9.4f}  {holds:<5}"
            f"{nlpd:>9.3f}{covered:>7.3f}{seconds:>7.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
