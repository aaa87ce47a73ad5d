"""`gaussian`: y = f + e, e ~ N(0, s) of standard deviation `noise_std`, the same for all rows of weight one.

Its evidence is exact: the rooms below need no other. Several targets share one s in standardised units.
"""

import numpy as np

from alakarte.data.standardise import moments
from alakarte.likelihoods.base import Noise
from alakarte.metrics import log_density
from alakarte.parameters import Parameter
from alakarte.records import Array, Named, Values

BOUNDS = (np.log(1e-6), np.log(1e2))
START = 0.1  # times std(y): the paper's, a standard deviation
HELD_DOWN = 0.3  # "all is noise" is an optimum near by: first steps below this do not end there


class Gaussian(Noise):
    """Normal noise of one standard deviation.

    Parameters
    ----------
    noise_std : float, optional
        In units of y; learned if None.

    Examples
    --------
    >>> from alakarte.likelihoods import Gaussian
    >>> Gaussian(noise_std=0.5).fixed()
    {'noise_std': 0.5}
    """

    name = "gaussian"

    def __init__(self, noise_std: float | None = None):
        self.noise_std = noise_std

    def parameters(self) -> tuple[Parameter, ...]:
        """log_noise_std ()."""
        return (Parameter("log_noise_std", (), "y", *BOUNDS),)

    def fixed(self) -> Named:
        """The noise, if it was given."""
        return {} if self.noise_std is None else {"noise_std": self.noise_std}

    def start(self) -> Values:
        """A tenth of std(y)."""
        return {"log_noise_std": np.asarray(np.log(START))}

    def held_down(self, upper: Values) -> Values:
        """Noise below 0.3 std(y)."""
        return {"log_noise_std": np.minimum(upper["log_noise_std"], np.log(HELD_DOWN))}

    def scaling(self, y: Array, weight: Array | None) -> tuple[Array, Array]:
        """Mean and standard deviation (T,) of each target; of one row its size stands for the spread."""
        mean, std, _ = moments(y, weight, "y")
        return mean, np.where(mean != 0, np.abs(mean), 1.0) if len(y) == 1 else std

    def noise_variance(self, values: Values) -> float:
        """s = noise_std²."""
        return float(np.exp(2 * values["log_noise_std"]))

    def noise_pullback(self, log_variance_bar: float) -> Values:
        """∂/∂log noise_std = 2 ∂/∂log s."""
        return {"log_noise_std": np.asarray(2 * log_variance_bar)}

    def with_noise_variance(self, values: Values, noise_variance: float) -> Values:
        """The values with another s."""
        with np.errstate(divide="ignore"):
            return values | {"log_noise_std": np.asarray(0.5 * np.log(noise_variance))}

    def std(self, latent_variance: Array, noise_variance: float) -> Array:
        """√(variance + s)."""
        return np.sqrt(latent_variance + noise_variance)

    def log_density(self, y: Array, mean: Array, std: Array) -> Array:
        """That of a normal distribution."""
        return log_density(y, mean, std)
