"""What a likelihood is: the distribution of an observation given the latent function, row by row.

Two kinds. `Noise` is normal around the function, and its evidence is exact. A `RowLikelihood` (likelihoods/rowwise.py)
is anything else with one latent value per row, and gives averages under a normal q(f). A new likelihood is one new file
with one class; `registry.py` and the tests find it by its `name`.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from sklearn.base import BaseEstimator

from alakarte.parameters import Parameter
from alakarte.records import Array, Named, Values


class Likelihood(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all likelihoods. Values by name are in standardised units."""

    name: ClassVar[str]
    is_exact: ClassVar[bool]  # whether the evidence is that of normal noise

    @abstractmethod
    def parameters(self) -> tuple[Parameter, ...]:
        """Names, shapes, units and bounds."""

    @abstractmethod
    def fixed(self) -> Named:
        """Parameters that the user gave, by bare name, in his units."""

    @abstractmethod
    def start(self) -> Values:
        """Where learning begins."""

    @abstractmethod
    def noise_variance(self, values: Values) -> float:
        """s, the variance of an observation of weight one around the latent function."""


class Noise(Likelihood):
    """Normal noise around the latent function: units in which the targets have standard deviation one."""

    is_exact = True

    @abstractmethod
    def held_down(self, upper: Values) -> Values:
        """Upper bounds for the first steps of a start that must not take everything for noise."""

    @abstractmethod
    def scaling(self, y: Array, weight: Array | None) -> tuple[Array, Array]:
        """Centre and scale (T,) that targets y (n, T) with weights (n,) are standardised by."""

    @abstractmethod
    def noise_pullback(self, log_variance_bar: float) -> Values:
        """Derivatives of nlml by the parameters from that by log s."""

    @abstractmethod
    def with_noise_variance(self, values: Values, noise_variance: float) -> Values:
        """The values with another s."""

    @abstractmethod
    def std(self, latent_variance: Array, noise_variance: float) -> Array:
        """Standard deviation (rows,) of a new observation, from the variance (rows,) of the latent function."""

    @abstractmethod
    def log_density(self, y: Array, mean: Array, std: Array) -> Array:
        """Log predictive density of y (rows, T), entry by entry, in nats."""
