"""The problem of a kernel on some rows: parameters with the user's fixed values and bounds, and all its randomness.

In: a `Plan`, rows, their scaling, a generator. Out: `Problem`.
"""

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.data.standardise import Scaling
from alakarte.features.draws import draw
from alakarte.kernels.base import Kernel
from alakarte.kernels.sum import Sum
from alakarte.likelihoods.base import Likelihood
from alakarte.parameters import Layout, Parameter, constrained
from alakarte.process.computation import Computation
from alakarte.process.problem import Problem
from alakarte.records import Shape
from alakarte.search.pace import paced, with_periods
from alakarte.search.plan import Plan


def parameter_layout(kernel: Kernel, likelihood: Likelihood, shape: Shape, scaling: Scaling) -> Layout:
    """Layout of the parameters of kernel and likelihood, with the user's fixed values and bounds."""
    if isinstance(kernel, Sum):
        of_noise = constrained(likelihood.parameters(), likelihood.fixed(), None, scaling.units())
        return Layout((*_of_sum(kernel, shape, scaling), *of_noise.parameters))
    of_kernel = (parameter.for_variables(scaling.variables) for parameter in kernel.parameters(shape))
    parameters = (*of_kernel, *likelihood.parameters())
    layout = constrained(parameters, (kernel.fixed or {}) | likelihood.fixed(), kernel.bounds, scaling.units())
    return layout if kernel.periods is None else with_periods(layout, kernel.periods, scaling.units())


def _of_sum(kernel: Sum, shape: Shape, scaling: Scaling) -> tuple[Parameter, ...]:
    """Parameters of a sum: each part has its own fixed values and bounds."""
    parts = []
    for term, part in zip(kernel.terms, shape.part_shapes, strict=True):
        of_term = (parameter.for_variables(scaling.variables) for parameter in term.parameters(part))
        layout = constrained(of_term, term.fixed, term.bounds, scaling.units())
        parts.append(
            (layout if term.periods is None else with_periods(layout, term.periods, scaling.units())).parameters
        )
    return kernel.joined(parts)


def set_up(plan: Plan, rows: Rows, scaling: Scaling, rng: np.random.Generator) -> Problem:
    """The problem, with all its randomness drawn."""
    settings, kernel, shape = plan.settings, plan.kernel, plan.shape
    draws = draw(shape, "dense" if settings.expansion == "dense" else "fastfood", rng)
    layout = parameter_layout(kernel, settings.likelihood, shape, scaling)
    if plan.waves is not None:
        layout = paced(layout, kernel, plan.waves)
    if plan.growing and not any("amplitude" in (term.bounds or {}) for term in kernel.terms):
        layout = layout.bounded("log_amplitude", np.log(policy.LARGEST_AMPLITUDE))
    computation = Computation.CLOSED if settings.expansion == "exact" else None
    return Problem(kernel, settings.likelihood, layout, draws, rows, computation, n_jobs=settings.n_jobs)
