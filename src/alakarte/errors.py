"""The few exceptions users may catch; each message names the value, the limit and the cure."""

import numpy as np


class InvalidInput(ValueError):
    """A table, a target or a setting that cannot be used as it is."""


class Unavailable(InvalidInput):
    """A combination of settings that has no meaning, such as an exact kernel without a closed form."""


class InvalidFile(InvalidInput):
    """A file that is no model, or not the one that was written: changed, cut short, or of an unknown version."""


class IllConditioned(ArithmeticError):
    """A matrix that should be positive definite is not, even after regularisation; the optimiser steps back from it."""


class ConditioningWarning(UserWarning):
    """Rounding errors of rows that came and went have grown to the size of the noise."""


NUMERICAL_ERRORS = (IllConditioned, FloatingPointError, np.linalg.LinAlgError)  # what the optimiser steps back from
