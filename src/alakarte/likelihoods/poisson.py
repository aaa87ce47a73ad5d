"""`poisson`: counts whose variance is their mean, e^f."""

import numpy as np
from scipy.special import gammaln, pdtr

from alakarte.likelihoods.counts import CountLikelihood, limited
from alakarte.likelihoods.rowwise import ByParameter, Derivatives, Expected
from alakarte.parameters import Parameter
from alakarte.records import Array, Named, Values


class Poisson(CountLikelihood):
    """Counts of independent events.

    Examples
    --------
    >>> import numpy as np
    >>> from alakarte.likelihoods import Poisson
    >>> float(Poisson().mean_count(np.zeros(1), np.zeros(1))[0])
    1.0
    """

    name = "poisson"

    def parameters(self) -> tuple[Parameter, ...]:
        """None."""
        return ()

    def fixed(self) -> Named:
        """None."""
        return {}

    def start(self) -> Values:
        """Nothing to start."""
        return {}

    def log_mass(self, values: Values, y: Array, f: Array) -> Array:
        """Y f − e^f − log y!."""
        return np.asarray(y * f - np.exp(f) - gammaln(y + 1))

    def cumulative(self, values: Values, y: Array, f: Array) -> Array:
        """P(count ≤ y)."""
        return np.where(y < 0, 0.0, pdtr(np.maximum(y, 0), np.exp(f)))

    def draw(self, values: Values, f: Array, rng: np.random.Generator) -> Array:
        """Counts."""
        return rng.poisson(np.exp(limited(f))).astype(np.float64)

    def extra_variance(self, values: Values, mean_of_square: Array) -> Array:
        """None."""
        return np.zeros_like(mean_of_square)

    def derivatives(self, values: Values, y: Array, f: Array) -> Derivatives:
        """g = y − m, λ = m, t = −m with m = e^f."""
        f = limited(f)
        m = np.exp(f)
        return Derivatives(self.log_mass(values, y, f), y - m, m, -m)

    def by_parameter(self, values: Values, y: Array, f: Array) -> dict[str, ByParameter]:
        """There is none."""
        return {}

    def expected(self, values: Values, y: Array, mean: Array, variance: Array) -> Expected:
        """In closed form: E e^f = e^(mean + variance/2)."""
        m = np.exp(np.minimum(mean + 0.5 * variance, 700.0))
        return Expected(y * mean - m - gammaln(y + 1), y - m, m)
