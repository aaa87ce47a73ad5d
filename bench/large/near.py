"""What near-copies contribute: error and coverage by the distance to the nearest training row.

    python -m bench.large.near protein bike_days [--fold 0] [--methods alakarte lightgbm]

In: sets of this folder. Out: printed RMSE over std(y), log density and coverage in each quarter of the test rows, the
nearest first; distances are those of standardised inputs.
"""

import argparse
import warnings

import numpy as np
from scipy.spatial import cKDTree

from bench.large.cells import SETS, load
from bench.large.peers import METHODS
from bench.scores import scores


def quarters(x_train, x_test):
    """(rows,) 0 for the quarter of the test rows that is nearest to its nearest training rows, 3 for the farthest."""
    mean, std = x_train.mean(axis=0), x_train.std(axis=0)
    std = np.where(std > 0, std, 1.0)
    distance, _ = cKDTree((x_train - mean) / std).query((x_test - mean) / std)
    rank = np.argsort(np.argsort(distance, kind="stable"), kind="stable")
    return 4 * rank // len(rank), distance


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.large.near", description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", choices=SETS, metavar="set")
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=["alakarte", "lightgbm"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.sets:
        x_train, y_train, x_test, y_test = load(name, options.fold)
        quarter, distance = quarters(x_train, x_test)
        copies = np.mean(distance == 0)
        print(f"{name}, fold {options.fold}: {100 * copies:.1f} % of test rows have inputs of a training row")
        for method in options.methods:
            mean, std, seconds, note = METHODS[method](x_train, y_train, x_test)
            for part in range(4):
                rows = quarter == part
                found = scores(y_test[rows], mean[rows], std[rows], y_train.std())
                print(
                    f"  {method:<12} quarter {part + 1}: RMSE/std {found['rmse_over_std']:.4f}, "
                    f"log density {found['log_density_standardised']:.3f}, coverage {found['coverage']:.3f}",
                    flush=True,
                )
            print(f"  {method:<12} {seconds:.0f} s, {note}", flush=True)


if __name__ == "__main__":
    main()
