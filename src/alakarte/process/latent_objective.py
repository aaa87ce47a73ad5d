"""theta → (negative log evidence, gradient) for likelihoods that are not normal, by a normal approximation.

In: a `Problem` with a `RowLikelihood`, a flat vector, where the last approximation ended. Out: `LatentEvidence`. With
the variational bound q(f) is at its best, so only what depends on θ directly is differentiated; Laplace's mode moves,
and its implicit part is added.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.execution.steps import Steps
from alakarte.process.laplace import find_mode, mode_directions
from alakarte.process.latent_space import latent_space
from alakarte.process.problem import LatentFunction, Problem, latent_function_at
from alakarte.process.sites import Direction, LatentState, Sites
from alakarte.process.variational import Observations, infer
from alakarte.records import Array, Values

VARIATIONAL, LAPLACE = "variational", "laplace"


@dataclass(frozen=True)
class LatentEvidence:
    """The approximate log evidence of the rows at one theta, and what it was found with."""

    function: LatentFunction
    sites: Sites
    state: LatentState
    nlml: float  # the bound, or Laplace's approximation, negated
    gradient: Array | None  # by theta, where asked for
    n_steps: int
    converged: bool
    n_passes: int  # over the rows by blocks; 0 where a matrix of all rows is kept


def observations(problem: Problem, steps: Steps | None = None) -> Observations:
    """Targets, offsets and weights of a problem's rows: the columns of their y."""
    y, weight = problem.rows.targets()
    return Observations(y[:, 0], y[:, 1], weight, steps or Steps())


@np.errstate(over="ignore", invalid="ignore")  # a step too far gives no finite bound, and is taken back
def latent_evidence(
    problem: Problem,
    theta: Array,
    inference: str,
    sites: Sites | None = None,
    *,
    gradient: bool = True,
    tol: float = 1e-6,
) -> LatentEvidence:
    """The approximate evidence; warm from `sites`, where given."""
    steps = Steps(problem.rows.checkpoint, problem, theta, inference, sites, tol)
    function, data, likelihood = (
        latent_function_at(problem, theta),
        observations(problem, steps),
        problem.row_likelihood,
    )
    space, values = latent_space(function), function.values
    slopes: Values
    if inference == VARIATIONAL:
        found = infer(space, likelihood, values, data, sites, tol)
        state, value = found.state, found.bound
        directions = [Direction(state.dual, state.weights)]
        of_rows = likelihood.expected_by_parameter(values, data.y, state.mean + data.offset, state.variance)
        slopes = {name: np.asarray(data.weight @ part) for name, part in of_rows.items()}
        ended = found.sites, state, found.n_steps, found.converged, found.n_solved * space.n_passes
    else:
        mode = find_mode(space, likelihood, values, data, sites, tol)
        state, value = mode.state, mode.log_evidence
        ended = mode.sites, state, mode.n_steps, mode.converged, mode.n_solved * space.n_passes
        if gradient:
            directions, h = mode_directions(space, mode, data)
            by_parameter = likelihood.by_parameter(values, data.y, state.mean + data.offset)
            slopes = {
                name: np.asarray(data.weight @ (part.value - 0.5 * state.variance * part.curvature + h * part.slope))
                for name, part in by_parameter.items()
            }
    theta_bar = None
    if gradient:
        bar = space.pullback(state, directions)
        derivatives = {name: -slope for name, slope in slopes.items()}
        derivatives |= problem.kernel.pullback(values, problem.draws, bar)
        theta_bar = problem.layout.unpack_pullback(derivatives)
    sites, state, n_steps, converged, n_passes = ended
    return LatentEvidence(function, sites, state, -value, theta_bar, n_steps, converged, n_passes)
