"""The learned kernel as the user sees it: named parameters and k(X, X') in his own units.

In: a kernel, its learned values and the scaling. Out: `FittedKernel`. Reads, never learns.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln
from scipy.stats import norm
from scipy.stats import t as student_t

from alakarte.data.read import encoded_table
from alakarte.data.standardise import Scaling
from alakarte.errors import Unavailable
from alakarte.features.dense import frequency_matrix
from alakarte.features.feature_map import feature_map
from alakarte.kernels.base import ClosedForm, Kernel, RadialForm
from alakarte.kernels.sum import Sum
from alakarte.process.closed_form import closed_gram_full, closed_kernel
from alakarte.records import Array, Draws, Named, Spectrum, Values


@dataclass(frozen=True)
class FittedKernel:
    """A learned kernel.

    `parameters` holds the named values in the user's units (`lengthscale` in those of its input, `amplitude` in those
    of y, with an axis of targets where there are several, `centre` in radians per unit of input); each is an attribute
    too. Calling it gives k(X, X'): the closed form where there is one, otherwise that of the expansion.
    """

    kernel: Kernel
    parameters: Named
    values: Values = field(repr=False)
    draws: Draws = field(repr=False)
    scaling: Scaling = field(repr=False)
    several_targets: bool = field(default=False, repr=False)  # y was (n, T)

    def __getattr__(self, name: str) -> Any:
        parameters = self.__dict__.get("parameters", {})
        if name in parameters:
            return parameters[name]
        raise AttributeError(f"kernel {self.__dict__.get('kernel')} has no {name!r}; it has {list(parameters)}.")

    @property
    def parts(self) -> tuple["FittedKernel", ...]:
        """The kernels that it is the sum of, each as it was learned within it; itself alone, where it is no sum."""
        if not isinstance(self.kernel, Sum):
            return (self,)
        terms, shape = self.kernel.terms, self.draws.shape
        named = self.kernel.split(self.parameters, shape, bare=True)
        pairs = zip(named, self.kernel.split(self.values, shape), strict=True)
        return tuple(
            replace(self, kernel=term, parameters=parameters, values=values, draws=draws)
            for term, (parameters, values), draws in zip(terms, pairs, self.draws.parts, strict=True)
        )

    @property
    def spectrum(self) -> Spectrum:
        """The spectrum in standardised units."""
        return self.kernel.spectrum(self.values, self.draws)

    def _inputs(self, X: ArrayLike) -> Array:
        encoding, d, shape = self.scaling.encoding, self.scaling.n_variables, np.shape(X)
        if len(shape) != 2 or shape[1] != d:
            raise ValueError(f"X has shape {shape}; the kernel was learned on {d} inputs, give (rows, {d}).")
        return self.scaling.inputs(np.asarray(X, dtype=np.float64) if encoding is None else encoded_table(X, encoding))

    def _in_units(self, standardised: Array) -> Array:
        """In squared units of y; several targets have one more axis (T,)."""
        in_units = standardised[..., None] * self.scaling.y_variance
        return in_units if self.several_targets else in_units[..., 0]

    def __call__(self, X: ArrayLike, Y: ArrayLike | None = None) -> Array:
        """k(X, Y) (rows, rows'), in squared units of y; of several targets (rows, rows', T)."""
        closed = self.kernel.closed_form(self.values)
        if not isinstance(closed, ClosedForm):
            return self.expansion(X, Y)
        x = self._inputs(X)
        if Y is None:
            return self._in_units(closed_gram_full(self.spectrum, closed, x))
        return self._in_units(closed_kernel(self.spectrum, closed, x, self._inputs(Y)))

    def expansion(self, X: ArrayLike, Y: ArrayLike | None = None) -> Array:
        """The expansion's k(X, Y) = Φ V Φᵀ."""
        features = feature_map(self.spectrum, self.draws)
        left = features.phi(self._inputs(X))
        right = left if Y is None else features.phi(self._inputs(Y))
        return self._in_units((left * self.spectrum.weight_variance(self.draws.shape)) @ right.T)

    def between(self, z: Array) -> Array:
        """k (rows, rows) of standardised inputs z (rows, d), in standardised units: closed form, or the expansion's."""
        closed = self.kernel.closed_form(self.values)
        if isinstance(closed, ClosedForm):
            return closed_gram_full(self.spectrum, closed, z)
        phi = feature_map(self.spectrum, self.draws).phi(z)
        return np.asarray((phi * self.spectrum.weight_variance(self.draws.shape)) @ phi.T)

    def marginal_density(self, column: int, omega: Array) -> Array | None:
        """Density (points,) of frequencies ≥ 0 along one input, in radians per its unit, of integral one.

        Components of a closed form are normal, or Student-t, about ± their centre; None where there is no such form.
        """
        closed, spectrum = self.kernel.closed_form(self.values), self.spectrum
        if not isinstance(closed, ClosedForm):
            return None
        share = np.exp(2 * spectrum.log_amplitude)
        total, unit = np.zeros(omega.size), self.scaling.x_scale[column]
        for q, dof in enumerate(np.broadcast_to(closed.dof, share.shape)):
            centre = 0.0 if spectrum.centre is None else spectrum.centre[q, column] / unit
            scale = np.linalg.norm(spectrum.maps[q][:, column]) / unit
            for sign in (1, -1):
                z = (omega - sign * centre) / scale
                total += share[q] / scale * (norm.pdf(z) if dof == 0 else student_t.pdf(z, dof))
        return np.asarray(total / share.sum())

    def weighted_frequencies(self) -> tuple[Array, Array]:
        """ω (k, d) in radians per unit of input, centres added, and the share (k,) of the variance of each."""
        shape, spectrum, omega = self.draws.shape, self.spectrum, self.frequencies()
        weight = (np.exp(2 * spectrum.log_amplitude) / np.asarray(shape.counts))[shape.component]
        weight = weight / weight.sum()
        if spectrum.centre is None:
            return omega, weight
        centre = (spectrum.centre / self.scaling.x_scale)[shape.component]
        return np.concatenate([omega + centre, omega - centre]), np.concatenate([weight, weight]) / 2

    def frequencies(self) -> Array:
        """ω (F, d) in radians per unit of input, centres aside; a category is several inputs, one per level."""
        matrix = frequency_matrix(self.spectrum, self.draws)
        return matrix.T * self.scaling.x_live / self.scaling.x_scale

    def relevance(self) -> Array:
        """(variables,) √(Σ v² ω_j²) over the frequencies of standardised inputs, normalised to sum to one.

        The levels of a category count together, each with the standard deviation of its column.
        """
        shape, spectrum = self.draws.shape, self.spectrum
        variance = np.exp(2 * spectrum.log_amplitude) / np.asarray(shape.counts)
        squares = frequency_matrix(spectrum, self.draws) ** 2 @ variance[shape.component]
        if spectrum.centre is not None:  # ω = a∘z ± μ: the cross terms cancel
            squares += np.exp(2 * spectrum.log_amplitude) @ spectrum.centre**2
        squares = squares * self.scaling.standardised_std**2
        if self.scaling.variables is not None:
            squares = self.scaling.variables.summed(squares)
        weight = np.sqrt(squares)
        relevance: Array = weight / weight.sum() if weight.sum() > 0 else weight
        return relevance

    def spectral_density(self, omega: ArrayLike) -> Array:
        """Density of the frequencies at omega (rows, d), weighted by v²: its integral is k(x, x).

        Components with a closed form (rbf, ard, matern, gm, mm), and radial ones (pwl) by their density of the radius.
        """
        total: Array = sum(part._spectral_density(omega) for part in self.parts)  # type: ignore[assignment]
        return total

    def _spectral_density(self, omega: ArrayLike) -> Array:
        """Of a kernel that is no sum."""
        omega = np.asarray(omega, dtype=np.float64) * self.scaling.x_scale
        spectrum, d = self.spectrum, self.draws.shape.n_inputs
        if self.kernel.closed_form(self.values) is None:
            raise Unavailable(f"kernel {self.kernel.name!r} is a sum of point masses: see frequencies().")
        centres = np.zeros(spectrum.maps.shape[:2]) if spectrum.centre is None else spectrum.centre
        total = np.zeros(len(omega))
        for q, (A, centre) in enumerate(zip(spectrum.maps, centres, strict=True)):
            log_volume = np.linalg.slogdet(A)[1]
            for sign in (1, -1):
                z2 = (np.linalg.solve(A.T, (omega - sign * centre).T) ** 2).sum(axis=0)
                total += 0.5 * np.exp(2 * spectrum.log_amplitude[q] + self._log_density(z2, d, q) - log_volume)
        return self._in_units(total) * np.prod(self.scaling.x_scale)

    def _log_density(self, z2: Array, d: int, q: int) -> Array:
        closed = self.kernel.closed_form(self.values)
        if isinstance(closed, ClosedForm):
            return closed.log_density(z2, d)
        assert isinstance(closed, RadialForm)
        radius = np.sqrt(z2)  # ρ(r) spread over the sphere of radius r
        with np.errstate(divide="ignore"):
            log_area = np.log(2) + 0.5 * d * np.log(np.pi) - gammaln(0.5 * d) + (d - 1) * np.log(radius)
            density: Array = np.log(closed.density(radius)[q]) - log_area
            return density

    def radial_density(self, radius: ArrayLike) -> Array:
        """Density (Q, radii) of ‖z‖, ω = z/ℓ, one row per component (pwl)."""
        closed = self.kernel.closed_form(self.values)
        if not isinstance(closed, RadialForm):
            raise Unavailable(f"kernel {self.kernel.name!r} is not given by a density of the radius.")
        return closed.density(np.asarray(radius, dtype=np.float64))
