"""Rows far from all others: what a few of them make of the error of a default fit.

    python -m bench.studies.far_rows [gas …] [--folds 0 2 4] [--generated 600 57000] [--by-evidence] [--from-the-start]

In: folds of sets, and generated tables of heavy-tailed inputs with 4 inputs (up to 5,000 rows) or 27. Out: a line per
fit: RMSE over std(y), that without the four worst rows, log density of standardised y, coverage, the largest predicted
standard deviation over std(y), the largest amplitude, and whether the tails of inputs were compressed.
`--by-evidence`: rows left out have no say in that, as it was before. `--from-the-start`: no trial; where inputs lie far
out, all kernels begin on compressed inputs, each of which is given back the spread that it had.
"""

import argparse
import time
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np

import alakarte.search.competition as competition
import alakarte.search.context as context
import alakarte.search.fit as search_fit
import alakarte.search.tails as tails
from alakarte import GPRegressor
from alakarte.data.compress import Tails, find_tails
from bench.folds import fold
from bench.scores import rmse, scores_of

TEST_ROWS = 4000
WORST = 4


@dataclass(frozen=True)
class SpreadTails(Tails):
    """Compressed inputs times a gain (d,), about their medians."""

    gain: np.ndarray

    def compress(self, z):
        return self.middle + self.gain * (super().compress(z) - self.middle)


def find_spread_tails(z, weight) -> SpreadTails:
    """Tails of z (n, d), with the gains by which its inputs keep their standard deviations."""
    found = find_tails(z, weight)
    compressed = found.compress(z).std(axis=0)
    gain = np.divide(z.std(axis=0), compressed, out=np.ones_like(compressed), where=compressed > 0)
    return SpreadTails(found.middle, found.edge, gain)


def from_the_start(stack: ExitStack) -> None:
    """Compress inputs before anything is learned, and try nothing later."""
    learn_candidates = search_fit.learn_candidates

    def on_compressed(search, plans, warm):
        return learn_candidates(search.with_compressed_tails() or search, plans, warm)

    stack.enter_context(patch.object(search_fit, "learn_candidates", on_compressed))
    stack.enter_context(patch.object(context, "find_tails", find_spread_tails))
    stack.enter_context(patch.object(competition, "draw_in_tails", lambda search, learned: (search, learned)))


def generated(n: int, seed: int):
    """X_train, y_train, X_test, y_test: Student-t inputs, y by logarithms and waves of their sums, a little noise."""
    rng = np.random.default_rng(seed)
    d, dof = (4, 1.5) if n <= 5000 else (27, 2.5)
    X = rng.standard_t(dof, (n + TEST_ROWS, d))
    if d == 4:
        sums = X @ np.array([[1.0, 0.0], [0.5, 1.0], [0.0, -1.0], [0.3, 0.3]])
    else:
        common = rng.standard_t(dof, (n + TEST_ROWS, 6)) @ rng.standard_normal((6, d))
        X = X + 0.5 * common
        sums = X @ rng.standard_normal((d, 2)) / np.sqrt(d)
    y = np.log1p(sums[:, 0] ** 2) + np.tanh(sums[:, 1])
    y = y + 0.1 * y.std() * rng.standard_normal(len(y))
    return X[:n], y[:n], X[n:], y[n:]


def show(name: str, k: int, table) -> None:
    """Fit one table and print its line."""
    X, y, X_test, y_test = table
    began = time.process_time()
    model = GPRegressor(random_state=k, n_jobs=1).fit(X, y)
    seconds = time.process_time() - began
    mean, std = model.predict(X_test, return_std=True)
    found, error = scores_of(model, X_test, y_test, y.std()), np.abs(mean - y_test) / y.std()
    amplitude = np.max(model.kernel_.parameters["amplitude"]) / y.std()
    largest, compressed = std.max() / y.std(), "compressed" if model.input_tails_ is not None else ""
    print(
        f"{name:<12}{k:>3}{found['rmse_over_std']:>9.4f}{rmse(np.sort(error)[:-WORST]):>9.4f}"
        f"{found['log_density_standardised']:>9.3f}{found['coverage']:>8.3f}{largest:>8.2f}{amplitude:>8.2f}"
        f"  {model.kernel_.kernel.name:<8}{compressed:<11}{seconds:>7.0f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--folds", nargs="*", type=int, default=list(range(5)))
    parser.add_argument("--generated", nargs="*", type=int, default=[])
    parser.add_argument("--by-evidence", action="store_true")
    parser.add_argument("--from-the-start", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.by_evidence:
        tails._left_out_error = lambda learned: 0.0
    with ExitStack() as stack:
        if asked.from_the_start:
            from_the_start(stack)
        print("table      fold  RMSE/sd without4  density coverage max std max amp  kernel                     CPU")
        for k in asked.folds:
            for name in asked.sets:
                show(name, k, fold(name, k))
            for n in asked.generated:
                show(f"rows {n}", k, generated(n, k))


if __name__ == "__main__":
    main()
