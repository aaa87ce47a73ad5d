"""Records of the inference of a latent function: what rows say of it, what is known of it, how it changes.

In and out: arrays alone. `latent_space` makes a `LatentState` of `Sites`, and derivatives of a `Direction`.
"""

from dataclasses import dataclass

from alakarte.records import Array


@dataclass(frozen=True)
class Sites:
    """A normal observation of f for each row, by its natural parameters (n,)."""

    curvature: Array  # λ > 0
    linear: Array  # b

    def towards(self, other: "Sites", step: float) -> "Sites":
        """A part of the way to others, or beyond them: straight in log λ and in the observation b/λ."""
        if step == 1.0:
            return other
        curvature = self.curvature * (other.curvature / self.curvature) ** step
        here = self.linear / self.curvature
        return Sites(curvature, curvature * (here + step * (other.linear / other.curvature - here)))


@dataclass(frozen=True)
class LatentState:
    """q(f) at the rows, given sites."""

    mean: Array  # (n,)
    variance: Array  # (n,)
    dual: Array  # (n,) a with mean = K a
    weights: Array  # (D,) m, whitened, with mean = Φ V^½ m; the dual itself in row space
    quadratic: float  # fᵀK⁻¹f
    log_determinant: float  # log|B|
    factor: Array  # of B
    curvature: Array  # (n,) of the sites


@dataclass(frozen=True)
class Direction:
    """A term of the derivative by K: −sign·p pᵀ, seen from the rows and from the whitened weights."""

    rows: Array  # (n,) p
    weights: Array  # (D,) V^½ Φᵀp; p itself in row space
    sign: float = 1.0
