"""What is expected of length-scales before rows are seen: within a component they are alike, unless the rows say not.

In: a layout, the standard deviation σ of log ℓ about its mean over the inputs. Out: a function theta → nats, slope.
It keeps few rows from spreading length-scales too far apart; many need no help, and are a little better without.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from alakarte.parameters import Layout
from alakarte.records import Array

Penalty: TypeAlias = Callable[[Array], tuple[float, Array]]  # theta → nats, slope


def prior(layout: Layout, spread: float | None) -> Penalty | None:
    """θ ↦ Σ_qi (log ℓ_qi − mean_i log ℓ_qi)² / 2σ² and its gradient; None where there is nothing to say."""
    scales = [p for p in layout.parameters if p.name == "log_lengthscale" and p.size and p.shape[-1:] > (1,)]
    if spread is None or not scales:
        return None
    zeros = {p.name: np.zeros(p.shape) for p in layout.parameters}

    def penalty(theta: Array) -> tuple[float, Array]:
        log_lengthscale = layout.entries(theta)["log_lengthscale"]  # of a category one, not one per column
        apart = log_lengthscale - log_lengthscale.mean(axis=-1, keepdims=True)
        return float(0.5 * np.sum(apart**2) / spread**2), layout.flat(zeros | {"log_lengthscale": apart / spread**2})

    return penalty
