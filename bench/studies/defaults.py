"""What `GPRegressor()` gives without tuning, beside four components whatever the rows.

    python -m bench.studies.defaults

In: folds 0 and 1 of eight small sets, and generated rows. Out: seconds of default fits; RMSE over std(y), negative log
density of standardised y, coverage and seconds per set.
"""

import time
import warnings

import numpy as np

from alakarte import GPRegressor
from bench.studies.accuracy import run

SETS = ("autompg", "housing", "concrete", "energy", "wine", "stock", "machine", "yacht")
CHOICES = {
    "default": {"n_components": None, "n_frequencies": None, "n_restarts": 4},
    "Q = 4": {"n_components": 4, "n_frequencies": 32, "n_restarts": 4},
}
FIGURES = ("rmse_over_std", "log_density_standardised", "coverage", "seconds")


def default_fit(n: int) -> None:
    """Seconds of a fit of n generated rows with 8 inputs."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 8))
    y = np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        GPRegressor(random_state=0).fit(X, y)
    print(f"GPRegressor().fit, {n} × 8: {time.perf_counter() - began:.1f} s", flush=True)


def compare(choice: str, settings: dict) -> None:
    """One choice of sizes on all sets, and the mean over them."""
    rows = []
    for name in SETS:
        results = [run(name, "gm", "fastfood", k, **settings) for k in (0, 1)]
        rows.append([np.mean([scored[figure] for scored, _ in results]) for figure in FIGURES])
        show(choice, name, results[0][1].n_components_, rows[-1])
    show(choice, "mean", "", np.mean(rows, axis=0))


def show(choice, name, q, figures) -> None:
    rmse, log_density, covered, seconds = figures
    print(f"{choice:<10}{name:<9}{q:>3}{rmse:>10.3f}{-log_density:>9.3f}{covered:>8.3f}{seconds:>7.1f}", flush=True)


def main() -> None:
    for n in (1000, 10_000):
        default_fit(n)
    print("choice    set        Q   RMSE/sd     NLPD   cover  s/fit")
    for choice, settings in CHOICES.items():
        compare(choice, settings)


if __name__ == "__main__":
    main()
