"""A normal approximation of the posterior of the latent function, for likelihoods that are not normal themselves.

In: targets, offsets and weights of the rows, a likelihood, the prior of the function in one of its two spaces. Out:
`Inference`: the bound of the evidence and the sites that it was found with.

Each row speaks through a site, a normal observation of f with curvature λ and linear term b. Given the sites, q(f) is
that of weighted regression; given q(f), the likelihood says what each site should be:

    λ ← E[−l″],  b ← λ f + E[l′],   bound = Σ E l − ½ (fᵀK⁻¹f − Σ λ_i q_i + log|B|),   B = I + W^½ K W^½, W = diag(λ)

Steps that lower the bound are halved. Sites are passed in and out: nothing is remembered here.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from alakarte.execution.steps import Steps
from alakarte.likelihoods.rowwise import Expected, RowLikelihood
from alakarte.process.latent_space import LatentSpace
from alakarte.process.sites import LatentState, Sites
from alakarte.records import Array, Values

LEAST_CURVATURE = 1e-9  # of a site: below it, 1 − (B⁻¹)_ii has lost the variance to rounding
MAX_STEPS = 100
LONGEST_STEP, STEP_GROWTH = 20.0, 1.5  # beyond the wanted sites, where these come by small steps only
CALM_STEP = 0.7  # of a step that had to be halved: the longest afterwards
HALVINGS = 8
STEPS_ALONE, VARIANCE_ALONE = 20, 9.0  # of rows taken alone: steps of at most one, and what f varies by beforehand
SLACK = 1e-9  # relative, by which rounding may lower a bound


@dataclass(frozen=True)
class Observations:
    """What the rows say: each (n,)."""

    y: Array  # as the likelihood encodes it
    offset: Array  # added to the latent function
    weight: Array
    steps: Steps = field(default_factory=Steps)  # towards what they say of the function


@dataclass(frozen=True)
class Inference:
    """The approximation that was found."""

    sites: Sites
    state: LatentState
    expected: Expected  # at the state
    bound: float
    n_steps: int
    converged: bool
    n_solved: int = 1  # systems, one for each bound


def infer(
    space: LatentSpace,
    likelihood: RowLikelihood,
    values: Values,
    data: Observations,
    sites: Sites | None = None,
    tol: float = 1e-6,
) -> Inference:
    """The best normal approximation, from `sites` or from a start of its own; `tol` in nats of the bound."""
    known = data.steps.recall()
    step, longest, n_done, n_solved = 1.0, LONGEST_STEP if likelihood.fixed_point_is_slow else 1.0, 0, 1
    starts = [sites] if sites is not None else _starts(likelihood, values, data)
    if known is not None:  # from before a crash
        starts, (step, longest), (n_done, n_solved) = [Sites(*known[:2])], known[2].tolist(), known[3].astype(int)
    with data.steps.step():
        evaluated = [_evaluate(space, likelihood, values, data, start) for start in starts]
    current = replace(max(evaluated, key=lambda each: each.bound), n_solved=int(n_solved))
    for n_steps in range(int(n_done) + 1, MAX_STEPS + 1):
        wanted = matched_sites(current.expected, data, current.state.mean)
        with data.steps.step():
            better, taken, n_tried = _improved(space, likelihood, values, data, current, wanted, step)
        n_solved = current.n_solved + n_tried
        if better is None:  # no step along this way raises the bound: rounding is all that is left
            return replace(current, n_steps=n_steps, converged=True, n_solved=n_solved)
        gain, current = better.bound - current.bound, replace(better, n_solved=n_solved)
        if gain < tol:
            return replace(current, n_steps=n_steps, converged=True)
        if taken < step:  # it swings about its end: shorter steps from here on
            longest = CALM_STEP * step
        step = min(STEP_GROWTH * taken, longest)
        reached = current.sites.curvature, current.sites.linear
        data.steps.ended(*reached, np.array([step, longest]), np.array([n_steps, n_solved]))
    return replace(current, n_steps=MAX_STEPS)


def _starts(likelihood: RowLikelihood, values: Values, data: Observations) -> list[Sites]:
    """Sites of a function of zero, and of one that takes each row as if it were alone.

    From zero, the first step towards large counts may overshoot so far that no part of it raises the bound.
    """
    zero = np.zeros(len(data.y))
    if likelihood.fixed_point_is_slow:  # heavy tails: several ends, and the one from zero leaves outliers alone
        return [matched_sites(_expected(likelihood, values, data, zero, zero), data, zero)]
    alone = zero
    for _ in range(STEPS_ALONE):
        expected = _expected(likelihood, values, data, alone, zero)
        newton = (expected.slope - alone / VARIANCE_ALONE) / (np.maximum(expected.curvature, 0) + 1 / VARIANCE_ALONE)
        alone = alone + np.clip(newton, -1, 1)
    return [matched_sites(_expected(likelihood, values, data, f, zero), data, f) for f in (zero, alone)]


def matched_sites(expected: Expected, data: Observations, mean: Array) -> Sites:
    """The sites that averages under q(f) ask for; `mean` (n,) is that of f without its offset."""
    curvature = np.maximum(data.weight * expected.curvature, LEAST_CURVATURE)
    return Sites(curvature, curvature * mean + data.weight * expected.slope)


def _expected(likelihood: RowLikelihood, values: Values, data: Observations, mean: Array, variance: Array) -> Expected:
    return likelihood.expected(values, data.y, mean + data.offset, variance)


def _evaluate(
    space: LatentSpace, likelihood: RowLikelihood, values: Values, data: Observations, sites: Sites
) -> Inference:
    """The bound at some sites."""
    state = space.solve(sites)
    expected = _expected(likelihood, values, data, state.mean, state.variance)
    divergence = 0.5 * (state.quadratic - float(sites.curvature @ state.variance) + state.log_determinant)
    return Inference(sites, state, expected, float(data.weight @ expected.value) - divergence, 0, converged=False)


def _improved(  # noqa: PLR0913
    space: LatentSpace,
    likelihood: RowLikelihood,
    values: Values,
    data: Observations,
    current: Inference,
    wanted: Sites,
    step: float,
) -> tuple[Inference | None, float, int]:
    """The bound after a step to the wanted sites, the first of shorter and shorter ones that does not lower it."""
    for n_tried in range(1, HALVINGS + 1):
        sites = current.sites.towards(wanted, step)
        stepped = _evaluate(space, likelihood, values, data, sites)
        if stepped.bound >= current.bound - SLACK * abs(current.bound):
            return stepped, step, n_tried
        step = min(step / 2, 1.0)
    return None, step, HALVINGS
