"""`negative_binomial`: counts of mean m = e^f and variance m + m²/r: a Poisson count of a rate that itself varies."""

import numpy as np
from scipy.special import betainc, expit, gammaln, log_expit, psi

from alakarte.likelihoods.counts import CountLikelihood, limited
from alakarte.likelihoods.rowwise import ByParameter, Derivatives
from alakarte.parameters import Parameter
from alakarte.records import Array, Named, Values

BOUNDS = (np.log(1e-2), np.log(1e6))  # of r: beyond, it is Poisson's


class NegativeBinomial(CountLikelihood):
    """Counts that vary more than Poisson's.

    Parameters
    ----------
    dispersion : float, optional
        r, the smaller the wider: the variance is m + m²/r. Learned if None.

    Examples
    --------
    >>> from alakarte.likelihoods import NegativeBinomial
    >>> NegativeBinomial(dispersion=2.0).fixed()
    {'dispersion': 2.0}
    """

    name = "negative_binomial"

    def __init__(self, dispersion: float | None = None):
        self.dispersion = dispersion

    def parameters(self) -> tuple[Parameter, ...]:
        """log_dispersion ()."""
        return (Parameter("log_dispersion", (), "1", *BOUNDS),)

    def fixed(self) -> Named:
        """R, if it was given."""
        return {} if self.dispersion is None else {"dispersion": self.dispersion}

    def start(self) -> Values:
        """r = 2."""
        return {"log_dispersion": np.asarray(np.log(2.0))}

    def _size(self, values: Values) -> float:
        return float(np.exp(values["log_dispersion"]))

    def log_mass(self, values: Values, y: Array, f: Array) -> Array:
        """log Γ(y + r)/(Γ(r) y!) + r log(1 − p) + y log p, p = m/(r + m)."""
        r, log_r = self._size(values), float(values["log_dispersion"])
        constant = gammaln(y + r) - gammaln(r) - gammaln(y + 1)
        return np.asarray(constant + r * log_expit(log_r - f) + y * log_expit(f - log_r))

    def cumulative(self, values: Values, y: Array, f: Array) -> Array:
        """P(count ≤ y), a regularised incomplete beta function."""
        r, log_r = self._size(values), float(values["log_dispersion"])
        return np.where(y < 0, 0.0, betainc(r, np.maximum(y, 0) + 1, expit(log_r - f)))

    def draw(self, values: Values, f: Array, rng: np.random.Generator) -> Array:
        """Poisson counts of gamma rates."""
        r = self._size(values)
        rate = np.exp(limited(f)) * rng.gamma(r, 1 / r, size=f.shape)
        return rng.poisson(np.minimum(rate, 1e18)).astype(np.float64)

    def extra_variance(self, values: Values, mean_of_square: Array) -> Array:
        """E m²/r."""
        return mean_of_square / self._size(values)

    def derivatives(self, values: Values, y: Array, f: Array) -> Derivatives:
        """g = y − (y + r)p, λ = (y + r)p(1 − p), t = −λ(1 − 2p)."""
        f = limited(f)
        r, log_r = self._size(values), float(values["log_dispersion"])
        p, rest = expit(f - log_r), expit(log_r - f)
        curvature = (y + r) * p * rest
        return Derivatives(self.log_mass(values, y, f), y - (y + r) * p, curvature, -curvature * (1 - 2 * p))

    def by_parameter(self, values: Values, y: Array, f: Array) -> dict[str, ByParameter]:
        """By log r."""
        f = limited(f)
        r, log_r = self._size(values), float(values["log_dispersion"])
        p, rest = expit(f - log_r), expit(log_r - f)
        mixed = p * rest
        value = r * (log_expit(log_r - f) + psi(y + r) - psi(r) + 1 - (y + r) / r * rest)
        slope = -r * p + (y + r) * mixed
        curvature = r * mixed - (y + r) * (1 - 2 * p) * mixed
        return {"log_dispersion": ByParameter(value, slope, curvature)}
