"""Likelihoods of one latent value per row that are not normal: l(f) = log p(y | f) and its derivatives, row by row.

In: encoded targets y (n,), latent values f (…, n), or the mean and variance (n,) of a normal q(f). Out: averages under
q(f), which the variational posterior is found from, and predictive densities. A new one brings `derivatives`; averages
follow by quadrature unless it knows better. It never sees features, kernels or weights.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from alakarte.likelihoods.base import Likelihood
from alakarte.likelihoods.quadrature import LEAST_VARIANCE, log_average, nodes_about_top, normal_nodes
from alakarte.records import Array, Values


@dataclass(frozen=True)
class Derivatives:
    """Of l by f, each (…, n)."""

    value: Array  # l
    slope: Array  # g = l′
    curvature: Array  # λ = −l″
    third: Array  # t = l‴


@dataclass(frozen=True)
class Expected:
    """Averages under N(mean, variance), each (n,): of l, and its derivatives by mean and, doubled, by variance."""

    value: Array  # ē, or a lower bound of it
    slope: Array  # ḡ = ∂ē/∂mean
    curvature: Array  # λ̄ = −2 ∂ē/∂variance, ≥ 0


@dataclass(frozen=True)
class ByParameter:
    """Derivatives by one parameter of the likelihood, each (…, n): of l, g and λ."""

    value: Array
    slope: Array
    curvature: Array


@dataclass(frozen=True)
class Predictive:
    """log ∫ p(y | f) N(f; mean, variance) df, each (n,), and its derivatives."""

    value: Array
    by_mean: Array
    by_variance: Array
    by_parameter: Values


class RowLikelihood(Likelihood):
    """log p(y | f) of one latent value f per row."""

    is_exact = False
    shifts_targets: ClassVar[bool] = False  # y itself is centred and scaled; else the centre is added to f
    fixed_point_is_slow: ClassVar[bool] = False  # sites of a bound on the average converge by small steps only

    def noise_variance(self, values: Values) -> float:
        """1: what a row says of f is in its own curvature."""
        return 1.0

    @abstractmethod
    def base(self, y: Array, weight: Array, offset: Array) -> tuple[float, float]:
        """Centre and scale of the latent function: the constant that says most of targets y (n,) and offsets (n,)."""

    @abstractmethod
    def surrogate(self, y: Array, offset: Array, centre: float, scale: float) -> Array:
        """(n,) numbers that regression with normal noise can learn a kernel from."""

    @abstractmethod
    def encoded(self, y: Array, centre: float, scale: float) -> Array:
        """(n,) targets as `derivatives` takes them, where the latent function is f · scale + centre."""

    @abstractmethod
    def derivatives(self, values: Values, y: Array, f: Array) -> Derivatives:
        """l and its derivatives at f (…, n)."""

    @abstractmethod
    def by_parameter(self, values: Values, y: Array, f: Array) -> dict[str, ByParameter]:
        """Derivatives by each parameter at f (…, n)."""

    def expected(self, values: Values, y: Array, mean: Array, variance: Array) -> Expected:
        """Averages over f ~ N(mean, variance), by quadrature."""
        f, weights = normal_nodes(mean, variance)
        at_nodes = self.derivatives(values, y, f)
        value, slope, curvature = (
            (weights * part).sum(axis=0) for part in (at_nodes.value, at_nodes.slope, at_nodes.curvature)
        )
        return Expected(value, slope, np.maximum(curvature, 0.0))

    def expected_by_parameter(self, values: Values, y: Array, mean: Array, variance: Array) -> Values:
        """Derivatives of the averages of l (n,) by each parameter."""
        f, weights = normal_nodes(mean, variance)
        return {
            name: np.asarray((weights * part.value).sum(axis=0))
            for name, part in self.by_parameter(values, y, f).items()
        }

    def predictive(self, values: Values, y: Array, mean: Array, variance: Array) -> Predictive:
        """log ∫ p N df with derivatives: averages of l′, ½(l″ + l′²) and ∂l/∂η under p N, normalised.

        Of a log-concave likelihood: the nodes are about one top.
        """

        def slope_and_curvature(f: Array) -> tuple[Array, Array]:
            parts = self.derivatives(values, y, f)
            return parts.slope, parts.curvature

        f, log_weights = nodes_about_top(slope_and_curvature, mean, np.maximum(variance, LEAST_VARIANCE))
        at_nodes = self.derivatives(values, y, f)
        terms = at_nodes.value + log_weights
        highest = terms.max(axis=0)
        share = np.exp(terms - highest)
        total = share.sum(axis=0)
        share /= total
        bent = at_nodes.slope**2 - at_nodes.curvature
        by_parameter = {
            name: np.asarray((share * part.value).sum(axis=0)) for name, part in self.by_parameter(values, y, f).items()
        }
        by_mean, by_variance = (share * at_nodes.slope).sum(axis=0), 0.5 * (share * bent).sum(axis=0)
        return Predictive(highest + np.log(total), by_mean, by_variance, by_parameter)

    def log_predictive(self, values: Values, y: Array, mean: Array, variance: Array) -> Array:
        """log ∫ p(y | f) N(f; mean, variance) df (n,)."""

        def slope_and_curvature(f: Array) -> tuple[Array, Array]:
            parts = self.derivatives(values, y, f)
            return parts.slope, parts.curvature

        return log_average(lambda f: self.derivatives(values, y, f).value, slope_and_curvature, mean, variance)
