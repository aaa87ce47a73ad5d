"""What a kernel is without an expansion: a profile of its distance, or the density of its radius.

In: degrees of freedom, or a density. Out: `ClosedForm`, `RadialForm`. Sees no parameters.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from alakarte.records import Array


@dataclass(frozen=True)
class ClosedForm:
    """k(τ) = Σ_q v_q² g(‖a_q∘τ‖²) cos μ_qᵀτ, and the density of z, where ω = a_q∘z ± μ_q.

    2ν of a Matérn profile g are the degrees of freedom of its frequencies, which are t; 0: Gaussian.
    """

    dof: int | tuple[int, ...]  # of all components, or of a sum those of each

    def log_density(self, z2: Array, d: int) -> Array:
        """Log density of z in R^d from ‖z‖²: normal, or multivariate t; of a kernel that is no sum."""
        assert isinstance(self.dof, int), "each part of a sum has a density of its own"
        return _normal(z2, d) if self.dof == 0 else _student(self.dof, z2, d)


@dataclass(frozen=True)
class RadialForm:
    """A spectrum known by the density of its radius ‖z‖, one for each component."""

    density: Callable[[Array], Array]  # (radii,) -> (Q, radii)


def _normal(z2: Array, d: int) -> Array:
    log_density: Array = -0.5 * (z2 + d * np.log(2 * np.pi))
    return log_density


def _student(dof: int, z2: Array, d: int) -> Array:
    constant = gammaln((dof + d) / 2) - gammaln(dof / 2) - 0.5 * d * np.log(dof * np.pi)
    log_density: Array = constant - 0.5 * (dof + d) * np.log1p(z2 / dof)
    return log_density
