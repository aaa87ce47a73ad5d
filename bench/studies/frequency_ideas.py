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

from alakarte.data.arrays import ArrayRows
from alakarte.data.standardise import standardise
from alakarte.data.subsets import shuffle
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.execution.randomness import Streams
from alakarte.execution.threads import one_blas_thread
from alakarte.features.draws import draw
from alakarte.kernels.registry import resolve
from alakarte.likelihoods import Gaussian
from alakarte.metrics import log_density
from alakarte.posteriors.build import build_posterior
from alakarte.process.objective import nlml_gradient
from alakarte.process.problem import process_at
from alakarte.records import Shape
from alakarte.search.compare import tune_one, with_columns
from alakarte.search.context import Search, in_random_order
from alakarte.search.coordinates import Coordinates
from alakarte.search.free_frequencies import freed, split
from alakarte.search.learn import learn
from alakarte.search.optimise import Limits, Task, minimise
from alakarte.search.plan import Plan
from alakarte.search.settings import Settings
from bench.folds import fold

SETS = ("kin40k", "protein", "sml", "pumadyn32nm", "keggdirected", "concrete")
COLUMNS = 1024
ITERATIONS = 30


def log_density_of(tuned, X, y):
    """Mean over test rows, standardised."""
    posterior = build_posterior(tuned.process, tuned.nlml, tuned.sums)
    std = np.sqrt(posterior.variance(X, 2) + posterior.noise_variance)
    return float(log_density(y, posterior.mean(X, 2), std).mean())


def evenly(problem, theta, rng):
    """Fresh frequencies, as the library draws them."""
    return with_columns(problem, COLUMNS, rng)


def by_share(problem, theta, rng):
    """Fresh frequencies, in proportion to the variance of each component."""
    amplitude = problem.layout.unpack(theta)["log_amplitude"]
    n_frequencies = COLUMNS // problem.kernel.columns_per_frequency
    shape = Shape(problem.draws.shape.n_inputs, split(np.exp(2 * amplitude), n_frequencies))
    return replace(problem, draws=draw(shape, "fastfood", rng), computation=None)


def released(problem, theta, rows, scaling):
    """`ssgpr` on all rows, after some iterations from the learned frequencies."""
    some = shuffle(rows, np.random.default_rng(0)).first(20_000)
    free, point = freed(process_at(problem, theta), COLUMNS // 2, some, scaling, Streams(0))
    point = tune_one(free, point, Budget()).theta
    task = Task(partial(nlml_gradient, free), free.layout.bounds(), Coordinates(np.full(point.size, np.inf)))
    run = minimise(task, point, Limits(ITERATIONS, 1.0))
    return tune_one(free.on(rows), run.theta, Budget())


def search_of(kernel: str, rows, scaling) -> tuple[Search, Plan]:
    """A search for one kernel, with four components of 32 frequencies where it has components."""
    settings = Settings(
        kernel=resolve(kernel),
        likelihood=Gaussian(),
        n_components=4,
        n_frequencies=None,
        expansion="fastfood",
        n_restarts=2,
        max_iter=80,
        max_iter_restart=20,
        tol=1.0,
        n_jobs=2,
    )
    subsets = in_random_order(settings, rows, Streams(1))
    search = Search(settings, subsets, scaling, Streams(0), Progress(0, lambda nlml: -nlml), Budget())
    return search, Plan(settings, settings.kernel, 4, 32, rows.n_rows, rows.n_inputs)


def compare(name: str, kernel: str) -> None:
    """Print the line of one set and kernel."""
    X, y, X_test, y_test = fold(name, 0)
    y, y_test = y[:, None], y_test[:, None]
    scaling = standardise(X, None, *Gaussian().scaling(y, None))
    rows = ArrayRows(X, y, np.ones(len(X)), scaling=scaling).standardised()
    test = scaling.inputs(X_test), scaling.target(y_test)
    with one_blas_thread():
        learned = learn(*search_of(kernel, rows, scaling))
        problem, theta = learned.problem.on(rows), learned.run.theta
        drawn = {}
        for way in (evenly, by_share):
            made = [way(problem, theta, np.random.default_rng(seed)) for seed in range(3)]
            drawn[way] = np.mean([log_density_of(tune_one(one, theta, Budget()), *test) for one in made])
        began = time.perf_counter()
        free = log_density_of(released(problem, theta, rows, scaling), *test)
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
