"""`bernoulli`: two classes, p(y = 1 | f) = σ(f) = 1/(1 + e^−f)."""

import numpy as np
from scipy.special import expit, log_expit

from alakarte.likelihoods.quadrature import NODES_TO_PREDICT, normal_nodes
from alakarte.likelihoods.rowwise import ByParameter, Derivatives, RowLikelihood
from alakarte.parameters import Parameter
from alakarte.records import Array, Named, Values


class Bernoulli(RowLikelihood):
    """Two classes through the logistic function; targets are 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from alakarte.likelihoods import Bernoulli
    >>> Bernoulli().probability(np.zeros(1), np.ones(1)).round(3).tolist()
    [0.5]
    """

    name = "bernoulli"

    def parameters(self) -> tuple[Parameter, ...]:
        """None."""
        return ()

    def fixed(self) -> Named:
        """None."""
        return {}

    def start(self) -> Values:
        """Nothing to start."""
        return {}

    def base(self, y: Array, weight: Array, offset: Array) -> tuple[float, float]:
        """The log odds of all rows together, half a row of either class added."""
        ones, total = float(weight @ y), float(weight.sum())
        return float(np.log((ones + 0.5) / (total - ones + 0.5))), 1.0

    def surrogate(self, y: Array, offset: Array, centre: float, scale: float) -> Array:
        """The labels themselves."""
        return y

    def encoded(self, y: Array, centre: float, scale: float) -> Array:
        """As they are."""
        return y

    def derivatives(self, values: Values, y: Array, f: Array) -> Derivatives:
        """g = y − p, λ = p(1 − p), t = −λ(1 − 2p)."""
        p = expit(f)
        curvature = p * expit(-f)
        return Derivatives(log_expit((2 * y - 1) * f), y - p, curvature, -curvature * (1 - 2 * p))

    def by_parameter(self, values: Values, y: Array, f: Array) -> dict[str, ByParameter]:
        """There is none."""
        return {}

    def probability(self, mean: Array, variance: Array) -> Array:
        """(n,) of class 1, averaged over f ~ N(mean, variance)."""
        f, weights = normal_nodes(mean, variance, NODES_TO_PREDICT)
        averaged: Array = (weights * expit(f)).sum(axis=0)
        return averaged
