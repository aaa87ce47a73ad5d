"""Full covariances of frequencies: inputs that are scaled and then mixed, for `gm`.

    Σ_q = A_qᵀA_q,   A_q = (I + J_qᵀJ_q) diag(a_q),   ω = A_qᵀz ± μ_q

J (rank, d) is zero where inputs stay apart. With rank d − 1 every covariance is within reach: that of its smallest
eigenvalue in all directions, and J for the rest. In: J and a. Out: A, and derivatives back. Paper, section 4.3.
"""

import numpy as np

from alakarte.errors import InvalidInput
from alakarte.parameters import Parameter
from alakarte.records import Array, Shape, Values

MIXING = (-1e2, 1e2)
RANK = 4  # at most, unless the user says more: numbers to learn grow with rank × inputs
SLIGHTLY = 0.3  # J at a start: at zero its derivative vanishes


def rank_of(covariance: str, rank: int | None, n_inputs: int) -> int:
    """Rows of J: none for "diagonal"; for "full" what every covariance of few inputs needs, or what the user says."""
    if covariance not in ("diagonal", "full"):
        raise InvalidInput(f"GaussianMixture(covariance={covariance!r}): use 'diagonal' or 'full'.")
    if rank is not None and rank < 1:
        raise InvalidInput(f"GaussianMixture(rank={rank!r}): give a whole number from 1 on, or None for up to {RANK}.")
    return min(n_inputs - 1, RANK if rank is None else rank) if covariance == "full" else 0


def mixing(shape: Shape, rank: int) -> tuple[Parameter, ...]:
    """Declaration of J_q (Q, rank, d), where there is one; the columns of a category are not mixed."""
    size = shape.n_components, rank, shape.n_inputs
    return (Parameter("mixing", size, "1", *MIXING, category="zero"),) if rank else ()


def mixing_start(shape: Shape, rank: int, rng: np.random.Generator) -> Values:
    """Random J (Q, rank, d), small beside the identity; nothing where there is none."""
    size = shape.n_components, rank, shape.n_inputs
    return {"mixing": SLIGHTLY / np.sqrt(shape.n_inputs) * rng.standard_normal(size)} if rank else {}


def input_map(scale: Array, J: Array) -> Array:
    """A (Q, d, d) from a (Q, d) and J (Q, rank, d)."""
    return _mixed(J) * scale[:, None, :]


def input_map_pullback(scale: Array, J: Array, map_bar: Array) -> tuple[Array, Array]:
    """Derivatives by a and J from those by A (Q, d, d)."""
    mixed_bar = map_bar * scale[:, None, :]
    return (map_bar * _mixed(J)).sum(axis=1), J @ (mixed_bar + mixed_bar.swapaxes(1, 2))


def _mixed(J: Array) -> Array:
    """I + JᵀJ (Q, d, d)."""
    return np.asarray(np.eye(J.shape[2]) + J.swapaxes(1, 2) @ J)
