"""What all other rows say of each row: the approximate leave-one-out of a normal approximation.

In: q(f) at the rows and the sites that it was found with. Out: mean and variance without each row's own site, and the
log density of its target there. With λ and b of a site and q the variance of f:

    q₋ = q/(1 − λq),   f₋ = (f − q b)/(1 − λq)

A row of weight ω stands for ω rows, of which one is left out: λ and b are divided by ω where that is more than one.
"""

import numpy as np

from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.process.latent_objective import LatentEvidence, observations
from alakarte.process.sites import Sites
from alakarte.process.variational import Observations, matched_sites
from alakarte.records import Array, Values

LEAST_LEFT = 1e-12  # of the precision that other rows give: less is rounding


def without_each(mean: Array, variance: Array, sites: Sites, weight: Array) -> tuple[Array, Array]:
    """Mean and variance (n,) of f at each row, without one unit of its weight (n,)."""
    share = 1 / np.maximum(weight, 1.0)
    left = np.maximum(1 - share * sites.curvature * variance, LEAST_LEFT)
    return (mean - variance * share * sites.linear) / left, variance / left


def left_out_function(found: LatentEvidence) -> tuple[Array, Array]:
    """Mean and variance (n,) of each row's f with its offset, from all other rows."""
    data = observations(found.function.problem)
    mean, variance = without_each(found.state.mean, found.state.variance, found.sites, data.weight)
    return mean + data.offset, variance


def left_out_of(
    likelihood: RowLikelihood, values: Values, data: Observations, moments: tuple[Array, Array]
) -> tuple[Array, Array]:
    """The same of some rows, from mean and variance (n,) of f there: the sites are those that these ask for."""
    mean, variance = moments
    expected = likelihood.expected(values, data.y, mean + data.offset, variance)
    without = without_each(mean, variance, matched_sites(expected, data, mean), data.weight)
    return without[0] + data.offset, without[1]


def left_out_log_density(found: LatentEvidence) -> Array:
    """(n,) log density of each row's target, from all other rows."""
    problem = found.function.problem
    y = observations(problem).y
    return problem.row_likelihood.log_predictive(found.function.values, y, *left_out_function(found))
