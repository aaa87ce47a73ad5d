"""Small problems of likelihoods that are not normal."""

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.summary import summarise
from alakarte.features.draws import draw
from alakarte.kernels.registry import resolve
from alakarte.likelihoods.registry import likelihoods
from alakarte.parameters import Layout
from alakarte.process.computation import Computation
from alakarte.process.problem import Problem
from alakarte.records import Shape

# kernel, computation, frequencies of a component
FORMS = (("ard", Computation.CLOSED, 4), ("gm", None, 2), ("gm", None, 8), ("pwl", None, 3))


def latent_problem_of(name, kernel_name, computation, m, n=30):
    """A problem of n rows with a likelihood and a kernel by their names, and a theta near its start."""
    rng = np.random.default_rng(7)
    x = rng.standard_normal((n, 3))
    f = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1]
    targets = {
        "bernoulli": (rng.random(n) < 1 / (1 + np.exp(-2 * f))).astype(float),
        "student_t": f + 0.1 * rng.standard_t(3, n),
    }
    y = targets.get(name, rng.poisson(np.exp(f)).astype(float))
    offset = np.zeros(n) if name == "student_t" else 0.3 * rng.standard_normal(n)
    kernel, likelihood = resolve(kernel_name), likelihoods()[name]()
    shape = Shape(3, (m, m)) if kernel.has_components else Shape(3, (m,))
    draws = draw(shape, "fastfood", rng)
    layout = Layout((*kernel.parameters(shape), *likelihood.parameters()))
    rows = ArrayRows(x, np.column_stack([y, offset]), rng.uniform(0.5, 2, n))
    start = kernel.start(shape, summarise(x, np.ones(n), rng), draws, rng, 0.5) | likelihood.start()
    theta = layout.pack(start) + 0.2 * rng.standard_normal(layout.size)
    return Problem(kernel, likelihood, layout, draws, rows, computation), theta
