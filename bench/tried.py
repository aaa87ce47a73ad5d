"""Two ideas measured against what the library does, fold 0, at equal columns: `python -m bench.tried [set …]`.

shares   frequencies of a component in proportion to its share of the variance, instead of evenly;
release  the learned frequencies as the start of `ssgpr`, some iterations on up to 20,000 rows.

Log density of test rows (standardised y), mean of three draws of the frequencies; `columns` is D for all of them.
"""

import sys
import time
from dataclasses import replace
from functools import partial

import numpy as np

from alakarte.data.arrays import Rows
from alakarte.data.standardise import standardise
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.execution.threads import one_blas_thread
from alakarte.features.draws import draw
from alakarte.kernels.registry import resolve
from alakarte.metrics import log_density
from alakarte.posteriors.posterior import posterior
from alakarte.process.objective import model_at, nlml_gradient
from alakarte.records import Shape
from alakarte.search.free_frequencies import freed, split
from alakarte.search.grow import enlarge, refit
from alakarte.search.learn import Settings, learn
from alakarte.search.optimise import minimise
from alakarte.search.stages import shuffle
from bench.folds import fold

SETS = ("kin40k", "protein", "sml", "pumadyn32nm", "keggdirected", "concrete")
COLUMNS = 1024
ITERATIONS = 30


def log_density_of(at, X, y):
    """Mean over test rows, standardised."""
    made = posterior(at.model, at.sums)
    std = np.sqrt(made.variance(X, 2) + at.model.noise_variance)
    return float(log_density(y, made.mean(X, 2), std).mean())


def by_share(problem, theta, rng):
    """Fresh frequencies, unevenly."""
    amplitude = problem.layout.unpack(theta)["log_amplitude"]
    columns = 4 if problem.kernel.name == "gm" else 2
    shape = Shape(problem.draws.shape.n_inputs, split(np.exp(2 * amplitude), COLUMNS // columns))
    return replace(problem, draws=draw(shape, "fastfood", rng))


def released(problem, theta, rows, scaling, rng):
    """`ssgpr` on all rows, after some iterations from the learned frequencies."""
    some = shuffle(rows, rng).first(20_000)
    free, point = freed(model_at(problem, theta), COLUMNS // 2, some, scaling, rng)
    point = refit(free, point, Budget()).theta
    run = minimise(partial(nlml_gradient, free), point, free.layout.bounds(), ITERATIONS, 1.0)
    return refit(replace(free, rows=rows), run.theta, Budget())


def main(names):
    print("set            kernel    even   shares  released   s released")
    for name in names or SETS:
        X, y, X_test, y_test = fold(name, 0)
        scaling = standardise(X, y)
        rows = Rows(X, y[:, None], np.ones(len(X)), scaling=scaling).whole()
        inputs, target = scaling.inputs(X_test), scaling.target(y_test)
        for kernel in ("gm", "pwl"):
            settings = Settings(resolve(kernel), 4, 32, "fastfood", 2, 80, 20, 1.0, None, 2)
            with one_blas_thread():
                shuffled = shuffle(rows, np.random.default_rng(1))
                learned = learn(settings, shuffled, scaling, np.random.default_rng(0), Progress(0, None))
                problem, theta = replace(learned.problem, rows=rows), learned.run.theta
                even, shares = [], []
                for seed in range(3):
                    rng = np.random.default_rng(seed)
                    even.append(log_density_of(refit(enlarge(problem, COLUMNS, rng), theta, Budget()), inputs, target))
                    rng = np.random.default_rng(seed)
                    shares.append(log_density_of(refit(by_share(problem, theta, rng), theta, Budget()), inputs, target))
                began = time.perf_counter()
                at = released(problem, theta, rows, scaling, np.random.default_rng(0))
                free, seconds = log_density_of(at, inputs, target), time.perf_counter() - began
            print(
                f"{name:<15}{kernel:<6}{np.mean(even):8.3f}{np.mean(shares):9.3f}{free:10.3f}{seconds:13.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
