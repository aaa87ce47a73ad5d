"""Random numbers: the one generator of a fit."""

import numpy as np
from sklearn.utils import check_random_state


def generator(random_state) -> np.random.Generator:
    """The one generator of a fit from scikit-learn's `random_state`."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31))
