"""What `GPRegressor()` gives without tuning, beside four components whatever the rows: `python -m bench.defaults`.

Folds 0 and 1 of eight small sets; RMSE divided by std(y), negative log density of standardised y, coverage, seconds.
"""

import time
import warnings

import numpy as np

from alakarte import GPRegressor
from bench.accuracy import run
from bench.folds import load

SETS = ("autompg", "housing", "concrete", "energy", "wine", "stock", "machine", "yacht")
CHOICES = {
    "default": {"n_components": None, "n_frequencies": None, "n_restarts": 4},
    "Q = 4": {"n_components": 4, "n_frequencies": 32, "n_restarts": 4},
}


def main():
    for n in (1000, 10_000):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((n, 8))
        y = np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n)
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            GPRegressor(random_state=0).fit(X, y)
        print(f"GPRegressor().fit, {n} × 8: {time.perf_counter() - began:.1f} s", flush=True)
    print("choice    set        Q   RMSE/sd     NLPD   cover  s/fit")
    for choice, settings in CHOICES.items():
        rows = []
        for name in SETS:
            sd = load(name)[1].std()
            results = [run(name, "gm", "fastfood", k, **settings) for k in (0, 1)]
            rmse, nlpd, covered, seconds = np.mean([result[:4] for result in results], axis=0)
            rows.append((rmse / sd, nlpd - np.log(sd), covered, seconds))
            show(choice, name, results[0][4].n_components_, rows[-1])
        show(choice, "mean", "", np.mean(rows, axis=0))


def show(choice, name, q, figures):
    rmse, nlpd, covered, seconds = figures
    print(f"{choice:<10}{name:<9}{q:>3}{rmse:>10.3f}{nlpd:>9.3f}{covered:>8.3f}{seconds:>7.1f}", flush=True)


if __name__ == "__main__":
    main()
