"""What mixed precision changes, beside double, on fold 0.

    python -m bench.studies.precision [set …]

In: all or some ten thousand rows of each set. Out: a line per set and kernel. At the theta that double learned: the
|difference| of the evidence per row, and the RMSE of single-precision sums over that of double ones. Then a whole fit
in mixed precision from the same seed: whether it had to go on in double, its log evidence less that of double (the
paths part after some iterations, either may end higher), and the seconds of both.
"""

import contextlib
import io
import sys
import time
import warnings
from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from alakarte.data.arrays import ArrayRows
from alakarte.execution.threads import one_blas_thread
from alakarte.process.objective import nlml, weight_space
from alakarte.process.problem import process_at
from alakarte.search.policy import MIXED_NATS
from bench.folds import fold
from bench.scores import rmse

SETS = {"concrete": None, "kin40k": 20_000, "protein": 20_000, "houseelectric": 50_000}  # rows, None: all
KERNELS = ("ard", "gm", "pwl")


def run(kernel, precision, X, y):
    """Seconds, the fitted model, whether it fell back."""
    literal = {"n_learning_rows": None, "n_posterior_frequencies": None}
    model = GPRegressor(kernel, n_restarts=2, max_iter=60, precision=precision, random_state=0, verbose=1, **literal)
    said = io.StringIO()
    began = time.perf_counter()
    with warnings.catch_warnings(), contextlib.redirect_stdout(said):
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return time.perf_counter() - began, model, "continuing in double" in said.getvalue()


def at_one_theta(model, X, y, X_test, y_test):
    """|mixed − double| of the evidence per row, and the ratio of the RMSE, at the theta of `model`."""
    fitted = model.model_
    rows = ArrayRows(X, y[:, None], np.ones(len(X)), scaling=fitted.scaling)
    values, errors = [], []
    with one_blas_thread():
        for precision in ("double", "mixed"):
            problem = replace(fitted.problem, rows=rows, n_jobs=2, precision=precision)
            values.append(nlml(problem, fitted.theta))
            process = process_at(problem, fitted.theta)
            phi = process.features.phi(fitted.scaling.inputs(X_test).astype(process.features.dtype))
            residual = fitted.scaling.target(y_test[:, None]) - phi @ weight_space(process).weight_mean
            errors.append(rmse(residual))
    return abs(values[1] - values[0]) / len(X), errors[1] / errors[0]


def compare(name: str, kernel: str, train, test) -> None:
    """Print the line of one set and kernel."""
    X, y = train
    double_seconds, double, _ = run(kernel, "double", X, y)
    seconds, mixed, fell_back = run(kernel, "mixed", X, y)
    nats, ratio = at_one_theta(double, X, y, *test)
    good = nats <= MIXED_NATS and ratio <= 1.01
    gained = mixed.log_marginal_likelihood_ - double.log_marginal_likelihood_
    print(
        f"{name:<15}{kernel:<8}{double.noise_std_ / y.std():8.4f}{nats:10.1e}{ratio:12.4f} |"
        f"{'yes' if fell_back else 'no':>10}{gained:17.2f}{double_seconds:10.1f}{seconds:7.1f}"
        f"  {'yes' if good else 'by falling back' if fell_back else 'NO'}",
        flush=True,
    )


def main(names) -> None:
    print("set            kernel  noise/sd  nats/row  RMSE ratio | fell back  evidence gained  s double  mixed  holds")
    for name in names or SETS:
        X, y, *test = fold(name, 0)
        some = np.random.default_rng(0).permutation(len(X))[: SETS.get(name)]
        for kernel in KERNELS:
            compare(name, kernel, (X[some], y[some]), test)


if __name__ == "__main__":
    main(sys.argv[1:])
