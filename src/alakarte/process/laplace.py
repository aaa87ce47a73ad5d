"""Laplace's approximation: a normal distribution around the mode of the posterior. A baseline, and an oracle.

    mode: a = g(f), f = K a;   log Z = Σ l − ½ aᵀf − ½ log|B|,   B = I + W^½ K W^½,  W = diag(λ(f))

The mode moves with θ, and λ with it: the gradient has an implicit part. With q the variances of q(f), s = ½ q l‴ and
h = Cov(f) s:  2 K_bar = W^½B⁻¹W^½ − (g + v)(g + v)ᵀ + v vᵀ,  v = s − W h.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.likelihoods.rowwise import Derivatives, Expected, RowLikelihood
from alakarte.process.latent_space import LatentSpace
from alakarte.process.sites import Direction, LatentState, Sites
from alakarte.process.variational import HALVINGS, MAX_STEPS, SLACK, Observations, matched_sites
from alakarte.records import Array, Values


@dataclass(frozen=True)
class Mode:
    """The mode that was found."""

    sites: Sites
    state: LatentState
    derivatives: Derivatives  # at the mode
    log_evidence: float
    n_steps: int
    converged: bool
    n_solved: int = 1  # systems, one for each density


def find_mode(
    space: LatentSpace,
    likelihood: RowLikelihood,
    values: Values,
    data: Observations,
    sites: Sites | None = None,
    tol: float = 1e-6,
) -> Mode:
    """Newton's method from `sites` or from a function of zero; steps that lower the posterior density are halved."""
    n_steps, n_solved, converged, known = 0, 1, False, data.steps.recall()
    if known is not None:  # from before a crash
        sites, (n_steps, n_solved) = Sites(*known[:2]), known[2].astype(int).tolist()
    elif sites is None:
        zero = np.zeros(len(data.y))
        sites = _sites(likelihood.derivatives(values, data.y, data.offset), data, zero)
    with data.steps.step():
        current, density = _solved(space, likelihood, values, data, sites)
    while not converged and n_steps < MAX_STEPS:
        n_steps += 1
        wanted = _sites(current.derivatives, data, current.state.mean)
        with data.steps.step():
            stepped, higher, n_tried = _stepped(space, likelihood, values, data, (current, density, wanted))
        n_solved += n_tried
        converged = higher - density < tol
        if higher < density - SLACK * abs(density):
            break
        current, density = stepped, higher
        if not converged:
            data.steps.ended(current.sites.curvature, current.sites.linear, np.array([n_steps, n_solved]))
    ended = current.sites, current.state, current.derivatives, current.log_evidence
    return Mode(*ended, n_steps, converged, n_solved)


def _stepped(
    space: LatentSpace, likelihood: RowLikelihood, values: Values, data: Observations, way: tuple[Mode, float, Sites]
) -> tuple[Mode, float, int]:
    """A mode on the way to the wanted sites with its density, after so many tries: shorter steps where it is lower."""
    current, density, wanted = way
    step = 1.0
    stepped, higher = _solved(space, likelihood, values, data, wanted)
    for n_tried in range(1, HALVINGS + 1):
        if higher >= density - SLACK * abs(density):
            return stepped, higher, n_tried
        step /= 2
        stepped, higher = _solved(space, likelihood, values, data, current.sites.towards(wanted, step))
    return stepped, higher, HALVINGS + 1


def _sites(derivatives: Derivatives, data: Observations, mean: Array) -> Sites:
    """Normal observations with the slope and curvature of each row at the present f."""
    curvature = np.maximum(derivatives.curvature, 0.0)
    return matched_sites(Expected(derivatives.value, derivatives.slope, curvature), data, mean)


def _solved(
    space: LatentSpace, likelihood: RowLikelihood, values: Values, data: Observations, sites: Sites
) -> tuple[Mode, float]:
    """The mean of q(f) given sites, and its log posterior density but for a constant."""
    state = space.solve(sites)
    derivatives = likelihood.derivatives(values, data.y, state.mean + data.offset)
    density = float(data.weight @ derivatives.value) - 0.5 * state.quadratic
    return Mode(sites, state, derivatives, density - 0.5 * state.log_determinant, 0, converged=False), density


def mode_directions(space: LatentSpace, mode: Mode, data: Observations) -> tuple[list[Direction], Array]:
    """What `LatentSpace.pullback` takes, and h (n,), the implicit part for parameters of the likelihood."""
    skew = 0.5 * mode.state.variance * data.weight * mode.derivatives.third
    dual, h, weights = space.response(mode.state, skew)
    moved = Direction(mode.state.dual + dual, mode.state.weights + weights)
    return [moved, Direction(dual, weights, sign=-1.0)], h
