"""What likelihoods of counts share: y = 0, 1, 2, … with mean e^f per unit of exposure.

In: means and variances (n,) of f, which has the logarithm of the exposure within. Out: predictive probabilities of
counts, their mean and quantiles, averaged over f.
"""

from abc import abstractmethod

import numpy as np

from alakarte.likelihoods.quadrature import NODES_TO_PREDICT, normal_nodes
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.records import Array, Flags, Integers, Values

MOST_LOG_MEAN = 40.0  # of a count: beyond e^40 a float64 has no whole numbers
_SEARCH_STEPS = 64  # halvings of an interval of counts


def limited(f: Array) -> Array:
    """F within the counts that a float64 can tell apart."""
    return np.clip(f, -200.0, MOST_LOG_MEAN)


class CountLikelihood(RowLikelihood):
    """Counts through the logarithm of their mean."""

    def base(self, y: Array, weight: Array, offset: Array) -> tuple[float, float]:
        """The logarithm of the rate of all rows together, half a count added."""
        exposure = np.exp(offset - offset.max())
        rate = (float(weight @ y) + 0.5) / float(weight @ exposure)
        return float(np.log(rate) - offset.max()), 1.0

    def surrogate(self, y: Array, offset: Array, centre: float, scale: float) -> Array:
        """Logarithms of rates, each drawn to the common rate by half a count."""
        with np.errstate(over="ignore"):
            expected = np.exp(limited(offset + centre))
        return np.asarray(np.log((y + 0.5) / (expected + 0.5)))

    def encoded(self, y: Array, centre: float, scale: float) -> Array:
        """As they are."""
        return y

    @abstractmethod
    def log_mass(self, values: Values, y: Array, f: Array) -> Array:
        """log p(y | f), broadcast."""

    @abstractmethod
    def cumulative(self, values: Values, y: Array, f: Array) -> Array:
        """P(count ≤ y | f), broadcast."""

    @abstractmethod
    def draw(self, values: Values, f: Array, rng: np.random.Generator) -> Array:
        """Counts for latent values f of any shape."""

    def mean_count(self, mean: Array, variance: Array) -> Array:
        """E e^f = e^(mean + variance/2)."""
        return np.exp(np.minimum(mean + 0.5 * variance, 700.0))

    @abstractmethod
    def extra_variance(self, values: Values, mean_of_square: Array) -> Array:
        """What the variance of a count has beyond its mean, from E e^2f (n,)."""

    def count_std(self, values: Values, mean: Array, variance: Array) -> Array:
        """Of a new count: Poisson's part, the likelihood's extra part, and the variance of e^f."""
        average = self.mean_count(mean, variance)
        square = np.exp(np.minimum(2 * mean + 2 * variance, 700.0))
        spread = np.maximum(square - average**2, 0.0)
        return np.sqrt(average + self.extra_variance(values, square) + spread)

    def probabilities(self, values: Values, counts: Array, mean: Array, variance: Array) -> Array:
        """(n, k) of counts (k,), averaged over f."""
        f, weights = normal_nodes(limited(mean), variance, NODES_TO_PREDICT)
        log_mass = self.log_mass(values, counts[:, None, None], limited(f)[None])  # (k, nodes, n)
        return np.asarray((weights * np.exp(log_mass)).sum(axis=1).T)

    def quantile(self, values: Values, level: float, mean: Array, variance: Array) -> Integers:
        """(n,) the smallest count whose averaged cumulative probability reaches `level`."""
        f, weights = normal_nodes(limited(mean), variance, NODES_TO_PREDICT)
        f = limited(f)

        def reached(count: Array) -> Flags:
            return np.asarray((weights * self.cumulative(values, count, f)).sum(axis=0)) >= level

        low, high = np.full(len(mean), -1.0), np.ones(len(mean))
        while not (enough := reached(high)).all() and high.max() < 1e18:
            low, high = np.where(enough, low, high), np.where(enough, high, 2 * high)
        for _ in range(_SEARCH_STEPS):
            if (high - low <= 1).all():
                break
            middle = np.floor((low + high) / 2)
            enough = reached(middle)
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.asarray(high.astype(np.int64))
