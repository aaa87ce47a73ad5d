"""What is expected of length-scales before rows are seen: within a component they are alike, unless the rows say not.

In: a layout, the standard deviation σ of log ℓ about its mean over the inputs. Out: a function theta → nats, slope.
It keeps few rows from spreading length-scales too far apart; many need no help, and are a little better without.
"""

from collections.abc import Callable

import numpy as np

from alakarte.parameters import Layout

SPREAD = 1.0
PRIOR_ROWS = 8000


def expected_spread(given: float | str | None, n_rows: int) -> float | None:
    """σ as it was given; else 1 for few rows and no prior for more."""
    if given != "auto":
        return given
    return SPREAD if n_rows <= PRIOR_ROWS else None


def prior(layout: Layout, spread: float | None) -> Callable | None:
    """θ ↦ Σ_qi (log ℓ_qi − mean_i log ℓ_qi)² / 2σ² and its gradient; None where there is nothing to say."""
    scales = [p for p in layout.parameters if p.name == "log_lengthscale" and p.size and p.shape[-1:] > (1,)]
    if spread is None or not scales:
        return None
    zeros = {p.name: np.zeros(p.shape) for p in layout.parameters}

    def penalty(theta):
        log_lengthscale = layout.unpack(theta)["log_lengthscale"]
        apart = log_lengthscale - log_lengthscale.mean(axis=-1, keepdims=True)
        return 0.5 * np.sum(apart**2) / spread**2, layout.pack(zeros | {"log_lengthscale": apart / spread**2})

    return penalty
