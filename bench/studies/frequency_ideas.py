"""Two ideas for the frequencies of the posterior, measured against what the library does, at equal columns.

    python -m bench.studies.frequency_ideas [set …]

shares    frequencies of a component in proportion to its share of the variance, instead of evenly;
released  the learned frequencies as the start of `ssgpr`, some iterations on up to 20,000 rows.

In: fold 0 of the sets. Out: log density of test rows (standardised y), mean of three draws of the frequencies for the
first two; all have 1,024 columns.
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


def evenly(problem, theta, rng):
    """Fresh frequencies, as the library draws them."""
    return enlarge(problem, COLUMNS, rng)


def by_share(problem, theta, rng):
    """Fresh frequencies, in proportion to the variance of each component."""
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


def compare(name: str, kernel: str) -> None:
    """Print the line of one set and kernel."""
    X, y, X_test, y_test = fold(name, 0)
    scaling = standardise(X, y)
    rows = Rows(X, y[:, None], np.ones(len(X)), scaling=scaling).whole()
    test = scaling.inputs(X_test), scaling.target(y_test)
    settings = Settings(resolve(kernel), 4, 32, "fastfood", 2, 80, 20, 1.0, None, 2)
    with one_blas_thread():
        shuffled = shuffle(rows, np.random.default_rng(1))
        learned = learn(settings, shuffled, scaling, np.random.default_rng(0), Progress(0, None))
        problem, theta = replace(learned.problem, rows=rows), learned.run.theta
        drawn = {}
        for way in (evenly, by_share):
            made = [way(problem, theta, np.random.default_rng(seed)) for seed in range(3)]
            drawn[way] = np.mean([log_density_of(refit(one, theta, Budget()), *test) for one in made])
        began = time.perf_counter()
        free = log_density_of(released(problem, theta, rows, scaling, np.random.default_rng(0)), *test)
        seconds = time.perf_counter() - began
    print(
        f"{name:<15}{kernel:<6}{drawn[evenly]:8.3f}{drawn[by_share]:9.3f}{free:10.3f}{seconds:13.1f}",
        flush=True,
    )


def main(names) -> None:
    print("set            kernel    even   shares  released   s released")
    for name in names or SETS:
        for kernel in ("gm", "pwl"):
            compare(name, kernel)


if __name__ == "__main__":
    main(sys.argv[1:])
