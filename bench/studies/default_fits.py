"""What a default fit takes and gives: seconds, CPU seconds and scores, a line per fit and the mean of each table.

In: names of the paper's sets, or `rows_10000` (generated, 8 inputs); folds and seeds. Out: printed lines. Seconds mean
something where nothing else runs, CPU seconds nearly always.

    python -m bench.studies.default_fits kin40k protein rows_10000 gas sml [--folds 0] [--seeds 0 1 2] [--verbose]
    python -m bench.studies.default_fits --small --beside   # folds 0 to 4 of twelve small sets
    python -m bench.studies.default_fits autos machine --folds 0 1 2 3 4 5 6 7 8 9 --seeds 0 1 2 --beside

With `--beside`, a line per set compares them with the default of another version on the same folds: with the lines of
mode `auto` in a file of `bench.paper`, those of commit f074280 (`results/defaults_before.tsv`) unless another is named.
Standard errors are over folds, each the mean of its seeds.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

from alakarte import GPRegressor
from bench import lines
from bench.folds import fold
from bench.scores import scores

GENERATED = "rows_10000"
TEST_ROWS = 5000
BEFORE = Path(__file__).parents[1] / "results/defaults_before.tsv"
SMALL = [
    "concreteslump",
    "autos",
    "breastcancer",
    "machine",
    "yacht",
    "autompg",
    "housing",
    "forest",
    "stock",
    "energy",
    "concrete",
    "wine",
]


def rows(name: str, k: int):
    """X_train, y_train, X_test, y_test of fold k; generated rows have their own for each k."""
    if name != GENERATED:
        return fold(name, k)
    rng = np.random.default_rng(k)
    X = rng.standard_normal((10_000 + TEST_ROWS, 8))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(len(X))
    return X[:-TEST_ROWS], y[:-TEST_ROWS], X[-TEST_ROWS:], y[-TEST_ROWS:]


def measured(name: str, k: int, seed: int, verbose: int) -> tuple[float, ...]:
    """Print the line of one fit; seconds, CPU seconds, RMSE over std(y), log density."""
    X, y, X_test, y_test = rows(name, k)
    model = GPRegressor(random_state=seed, verbose=verbose)
    began, cpu_began = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    found = scores(y_test, *model.predict(X_test, return_std=True), y.std())
    figures = seconds, cpu, found["rmse_over_std"], found["log_density_standardised"]
    kernel = f"{model.kernel_.kernel.name}, {model.n_basis_} columns"
    print(line(name, f"{k:5}{seed:5}", figures), f"{found['coverage']:8.3f}  {kernel}", flush=True)
    return figures


def line(name: str, which: str, figures) -> str:
    """Figures under their titles."""
    seconds, cpu, error, density = figures
    return f"{name:<14}{which:>10}{seconds:9.2f}{cpu:9.2f}{error:10.5f}{density:9.4f}"


def before(path: Path) -> dict[tuple[str, int], tuple[float, float, float]]:
    """CPU seconds, RMSE over std(y) and log density of the default, by set and fold."""
    return {
        (line["set"], line["fold"]): (line["cpu_seconds"], line["rmse_over_std"], line["log_density_standardised"])
        for line in lines.read(path)
        if line["mode"] == "auto"
    }


def compare(name: str, pairs) -> None:
    """Print CPU seconds, log ratio of RMSE and gain of log density, from `pairs` (folds, 2, 3) before and now."""
    was, now = np.moveaxis(np.array(pairs), 1, 0)
    gains = np.log(now[:, 1] / was[:, 1]), now[:, 2] - was[:, 2]
    spreads = [f"{gain.mean():+9.4f} ± {gain.std(ddof=1) / len(gain) ** 0.5:.4f}" for gain in gains if len(gain) > 1]
    cpu = was[:, 0].sum(), now[:, 0].sum()
    shown = spreads or [f"{gain[0]:+9.4f}" for gain in gains]
    print(f"{name:<14}{len(pairs):5} folds{cpu[0]:9.1f} →{cpu[1]:8.1f}{cpu[0] / cpu[1]:7.1f} ×", *shown, flush=True)


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.studies.default_fits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--folds", type=int, nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--beside", type=Path, nargs="?", const=BEFORE)
    options = parser.parse_args(arguments)
    folds = options.folds or (range(5) if options.small else [0])
    earlier = before(options.beside) if options.beside else {}
    pairs: dict[str, list] = {}
    print("set            fold seed  seconds      CPU  RMSE/std  density coverage")
    for name in [*options.sets, *(SMALL if options.small else [])]:
        figures = np.array([[measured(name, k, s, int(options.verbose)) for s in options.seeds] for k in folds])
        print(line(name, "mean", figures.mean(axis=(0, 1))), flush=True)
        both = [
            (earlier[name, k], now[1:])
            for k, now in zip(folds, figures.mean(axis=1), strict=True)
            if (name, k) in earlier
        ]
        pairs |= {name: both} if both else {}
    if pairs:
        print("set           folds       CPU before → now    log RMSE ratio    log density gained")
        for name, both in [*pairs.items(), ("all", [pair for each in pairs.values() for pair in each])]:
            compare(name, both)


if __name__ == "__main__":
    main()
