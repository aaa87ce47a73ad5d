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
    scales = [p for p in layout.parameters if p.bare_name.endswith("lengthscale") and p.size and p.shape[-1:] > (1,)]
    if spread is None or not scales:
        return None
    size, places = layout.size, [(layout.places(p.name), p.shape) for p in scales]  # of a sum several

    def penalty(theta: Array) -> tuple[float, Array]:
        total, slope = 0.0, np.zeros(size)
        for place, shape in places:
            log_lengthscale = theta[place].reshape(shape)  # of a category one, not one per column
            apart = (log_lengthscale - np.add.reduce(log_lengthscale, axis=-1, keepdims=True) / shape[-1]).ravel()
            slope[place] = apart / spread**2
            total += float(0.5 * np.dot(apart, apart) / spread**2)
        return total, slope

    return penalty
