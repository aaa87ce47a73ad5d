"""The defaults beside what one would pick instead, all of scikit-learn: the table and the figure of the README.

    python -m bench.studies.beside [set …]        a line per set and method: RMSE over std(y), coverage, seconds
    python -m bench.studies.beside --figure       draws docs/figures/readme.svg, needs matplotlib

In: fold 0 of sets in the directory named by ALAKARTE_DATA. Out: printed lines. The exact process has a Gaussian kernel
with a length-scale per input, standardised columns and no restarts, and is left out beyond 2,000 rows. Trees have no
posterior: their intervals are those of the error on a tenth of the rows. Nothing else should run meanwhile.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import train_test_split

from alakarte import GPRegressor
from alakarte.display import PredictionDisplay
from bench.drawing import axes, pyplot, save
from bench.folds import fold
from bench.scores import scores

SETS = ("yacht", "energy", "concrete", "kin40k", "protein")
MOST_ROWS = 2000  # of an exact process
FIGURE = Path("docs/figures/readme.svg")


def defaults(X, y, X_test):
    """GPRegressor()."""
    return GPRegressor(random_state=0).fit(X, y).predict(X_test, return_std=True)


def exact_process(X, y, X_test):
    """scikit-learn's Gaussian process, as it is usually set up."""
    mean, std = X.mean(axis=0), X.std(axis=0)
    kernel = ConstantKernel() * RBF(np.ones(X.shape[1])) + WhiteKernel()
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0).fit((X - mean) / std, y)
    return model.predict((X_test - mean) / std, return_std=True)


def of_trees(model):
    """A regressor without a posterior: its std is the error on rows that it has not seen."""

    def predict(X, y, X_test):
        kept, held, y_kept, y_held = train_test_split(X, y, test_size=0.1, random_state=0)
        error = np.sqrt(np.mean((model.fit(kept, y_kept).predict(held) - y_held) ** 2))
        mean = model.fit(X, y).predict(X_test)
        return mean, np.full(len(mean), error)

    return predict


METHODS = {
    "alakarte": defaults,
    "scikit-learn GP": exact_process,
    "random forest": of_trees(RandomForestRegressor(random_state=0, n_jobs=2)),
    "gradient boosting": of_trees(HistGradientBoostingRegressor(random_state=0)),
}


def compare(names) -> None:
    """Print a line per set and method."""
    for name in names:
        X, y, X_test, y_test = fold(name, 0)
        X, X_test = X[:, X.std(axis=0) > 0], X_test[:, X.std(axis=0) > 0]
        for method, predict in METHODS.items():
            if method == "scikit-learn GP" and len(X) > MOST_ROWS:
                continue
            began = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                mean, std = predict(X, y, X_test)
            seconds = time.perf_counter() - began
            found = scores(y_test, mean, std, y.std())
            print(
                f"{name:<12}{len(X):>7}  {method:<20}{found['rmse_over_std']:>8.3f}{found['coverage']:>8.3f}"
                f"{found['log_density_standardised']:>9.2f}{seconds:>9.1f} s",
                flush=True,
            )


def draw(path: Path = FIGURE) -> Path:
    """A curve with a gap: what is known where there are rows, and how far to trust it where there are none."""
    rng = np.random.default_rng(4)
    x = np.sort(np.concatenate([rng.uniform(0, 4, 45), rng.uniform(6, 10, 45)]))
    truth = lambda t: np.sin(2 * t) + 0.4 * np.sin(5 * t) + 0.15 * t  # noqa: E731
    y = truth(x) + 0.2 * rng.standard_normal(x.size)
    grid = np.linspace(-0.5, 10.5, 400)
    model = GPRegressor(random_state=0).fit(x[:, None], y)
    plt = pyplot()
    figure, [[panel]] = axes(plt, 1, 1, 7.2, 2.8)
    PredictionDisplay.from_estimator(model, grid[:, None], ax=panel)
    panel.plot(grid, truth(grid), color="0.3", linestyle="--", linewidth=1, label="truth")
    panel.plot(x, y, ".", color="0.1", markersize=4, label="90 rows")
    panel.set(xlabel="x", xlim=(-0.5, 10.5))
    panel.legend(fontsize=8, frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.16))
    return save(plt, figure, path)


if __name__ == "__main__":
    if "--figure" in sys.argv[1:]:
        print(draw())
    else:
        compare(sys.argv[1:] or SETS)
