"""Accuracy on three of the paper's small sets, beside limits near the paper's figures.

    python -m bench.studies.accuracy [set or kernel …]

In: folds of the sets. Out: a line per case with means over folds, the limit of the RMSE and whether it holds. NLPD is
the negative log density of standardised y.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from bench.folds import fold
from bench.scores import scores_of

# the paper's mean and standard deviation
YACHT = {
    "rbf": (0.29, 0.14),
    "ard": (0.16, 0.11),
    "fsard": (0.13, 0.06),
    "gm": (0.13, 0.08),
    "pwl": (0.12, 0.07),
    "fsgbard": (0.12, 0.06),
    "ssgpr": (0.14, 0.10),
}

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


def run(name: str, kernel: str, expansion: str, k: int, **settings) -> tuple[dict, GPRegressor]:
    """Scores and seconds of one fold, and the fitted model."""
    x_train, y_train, x_test, y_test = fold(name, k)
    options = {"n_components": 5, "n_frequencies": 64, "n_restarts": 5 if kernel == "rbf" else 10, "random_state": k}
    options |= {"n_learning_rows": None, "lengthscale_spread": None}  # as the paper does
    model = GPRegressor(kernel, expansion=expansion, **(options | settings))
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(x_train, y_train)
    seconds = time.perf_counter() - began
    return scores_of(model, x_test, y_test, y_train.std()) | {"seconds": seconds}, model


def main(names) -> None:
    print("set       kernel   expansion folds     RMSE    limit  holds     NLPD  cover  s/fit")
    for name, kernel, expansion, folds, limit in CASES:
        if names and name not in names and kernel not in names:
            continue
        results = [run(name, kernel, expansion, k)[0] for k in folds]
        mean = {figure: np.mean([one[figure] for one in results]) for figure in results[0]}
        holds = "yes" if mean["rmse"] <= limit else "NO"
        print(
            f"{name:<10}{kernel:<9}{expansion:<10}{len(folds):>5}{mean['rmse']:>9.4f}{limit:>9.4f}  {holds:<5}"
            f"{-mean['log_density_standardised']:>9.3f}{mean['coverage']:>7.3f}{mean['seconds']:>7.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
