"""Rows given their neighbours, for a likelihood of one latent value per row: log probability, derivatives, sites.

In: `Conditionals` whose targets are the observations b/λ of sites and whose weights are their curvatures λ, so that all
noise is in these; what the rows themselves say. Out: −Σ ω log p of the rows with its gradient by kernel and likelihood,
the sites of their neighbours held; and sites of rows of which neighbours have said mean and variance.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.process.conditionals import (
    Conditionals,
    Score,
    conditional_moments,
    local_kernel,
    local_kernel_pullback,
    scored_conditionals,
)
from alakarte.process.latent_space import LatentSpace
from alakarte.process.problem import Problem, closed_form
from alakarte.process.sites import LatentState, Sites
from alakarte.process.variational import Observations, infer
from alakarte.records import Array, Values

UNIT_NOISE = 1.0  # over the curvatures of the sites


def latent_conditional_nlml(
    problem: Problem, local: Conditionals, data: Observations, theta: Array
) -> tuple[float, Array]:
    """−Σ ω log p of the picked rows, which say `data` (B,), given their neighbours; its gradient by theta."""
    values = problem.layout.unpack(np.asarray(theta, dtype=float))
    spectrum = problem.kernel.spectrum(values, problem.draws)
    kernel = local_kernel(spectrum, closed_form(problem.kernel, values), local.scale)
    names = [parameter.name for parameter in problem.likelihood.parameters()]
    score = _predictive_score(problem.row_likelihood, values, data, names)
    totals, sums, _ = scored_conditionals(local, kernel, UNIT_NOISE, score, problem.n_jobs)
    of_kernel = problem.kernel.pullback(values, problem.draws, local_kernel_pullback(spectrum, local.scale, sums))
    of_likelihood = {name: np.asarray(total) for name, total in zip(names, totals[1:], strict=True)}
    return float(totals[0]), problem.layout.unpack_pullback(of_kernel | of_likelihood)


def _predictive_score(likelihood: RowLikelihood, values: Values, data: Observations, names: list[str]) -> Score:
    """−Σ ω log ∫ p(y | f) N(f; m, v) df, then its derivatives by parameters of the likelihood."""

    def score(part: slice, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        weight = data.weight[part]
        found = likelihood.predictive(values, data.y[part], mean[:, 0] + data.offset[part], variance)
        totals = [weight @ found.value, *(weight @ found.by_parameter[name] for name in names)]
        return -np.array(totals), -(weight * found.by_mean)[:, None], -weight * found.by_variance

    return score


def latent_conditional_moments(problem: Problem, local: Conditionals, theta: Array) -> tuple[Array, Array]:
    """Mean and variance (B,) of the latent function at the picked rows, given their neighbours."""
    values = problem.layout.unpack(theta)
    spectrum = problem.kernel.spectrum(values, problem.draws)
    kernel = local_kernel(spectrum, closed_form(problem.kernel, values), local.scale)
    mean, variance = conditional_moments(local, kernel, UNIT_NOISE, problem.n_jobs)
    return mean[:, 0], variance


def sites_apart(
    likelihood: RowLikelihood, values: Values, data: Observations, moments: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Observations and curvatures (n,) of the sites of rows, each with mean and variance (n,) of its own before it."""
    mean, variance = moments
    own = Observations(data.y, data.offset + mean, data.weight)
    sites = infer(_Apart(variance), likelihood, values, own).sites
    return mean + sites.linear / sites.curvature, sites.curvature


@dataclass(frozen=True)
class _Apart(LatentSpace):
    """Rows that know nothing of each other."""

    variance: Array  # (n,) of each beforehand

    def solve(self, sites: Sites) -> LatentState:
        """One division for each."""
        mean, left = self._response(sites.curvature, sites.linear)
        dual = sites.linear - sites.curvature * mean
        log_determinant = float(np.log1p(sites.curvature * self.variance).sum())
        return LatentState(mean, left, dual, dual, float(dual @ mean), log_determinant, np.empty(0), sites.curvature)

    def _response(self, curvature: Array, linear: Array) -> tuple[Array, Array]:
        left = self.variance / (1 + curvature * self.variance)
        return left * linear, left

    def response(self, state: LatentState, linear: Array) -> tuple[Array, Array, Array]:
        """Dual and mean; the dual stands for the weights."""
        mean, _ = self._response(state.curvature, linear)
        dual = linear - state.curvature * mean
        return dual, mean, dual
