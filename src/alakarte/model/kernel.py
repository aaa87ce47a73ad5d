"""The learned kernel as the user sees it: named parameters and k(X, X') in his own units.

In: a kernel, its learned values and the scaling. Out: `FittedKernel`. Reads, never learns.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import gammaln

from alakarte.data.standardise import Scaling
from alakarte.errors import Unavailable
from alakarte.features.feature_map import feature_map
from alakarte.kernels.base import ClosedForm, Kernel, RadialForm
from alakarte.process.closed_form import closed_gram_full, closed_kernel
from alakarte.records import Draws


@dataclass(frozen=True)
class FittedKernel:
    """A learned kernel.

    `parameters` holds the named values in the user's units (`lengthscale` in those of its input, `amplitude` in those
    of y, `centre` in radians per unit of input); each is an attribute too. Calling it gives k(X, X'): the closed form
    where there is one, otherwise that of the expansion.
    """

    kernel: Kernel
    parameters: dict
    values: dict = field(repr=False)
    draws: Draws = field(repr=False)
    scaling: Scaling = field(repr=False)

    def __getattr__(self, name):
        parameters = self.__dict__.get("parameters", {})
        if name in parameters:
            return parameters[name]
        raise AttributeError(f"kernel {self.__dict__.get('kernel')} has no {name!r}; it has {list(parameters)}.")

    @property
    def spectrum(self):
        """The spectrum in standardised units."""
        return self.kernel.spectrum(self.values, self.draws)

    def _inputs(self, X):
        X = np.asarray(X, dtype=float)
        d = self.draws.shape.n_inputs
        if X.ndim != 2 or X.shape[1] != d:
            raise ValueError(f"X has shape {X.shape}; the kernel was learned on {d} inputs, give (rows, {d}).")
        return self.scaling.inputs(X)

    def __call__(self, X, Y=None):
        """k(X, Y) (rows, rows'), in squared units of y."""
        form = self.kernel.closed_form(self.values)
        if not isinstance(form, ClosedForm):
            return self.expansion(X, Y)
        X, variance = self._inputs(X), self.scaling.y_variance
        if Y is None:
            return closed_gram_full(self.spectrum, form, X) * variance
        return closed_kernel(self.spectrum, form, X, self._inputs(Y)) * variance

    def expansion(self, X, Y=None):
        """The expansion's k(X, Y) = Φ V Φᵀ."""
        features = feature_map(self.spectrum, self.draws)
        variance = self.spectrum.weight_variance(self.draws.shape) * self.scaling.y_variance
        left = features.phi(self._inputs(X))
        right = left if Y is None else features.phi(self._inputs(Y))
        return (left * variance) @ right.T

    def frequencies(self):
        """ω (F, d) in radians per unit of input, centres aside."""
        matrix = feature_map(self.spectrum, self.draws, "matrix").projection.frequencies
        return matrix.T * self.scaling.x_live / self.scaling.x_scale

    def spectral_density(self, omega):
        """Density of the frequencies at omega (rows, d), weighted by v²: its integral is k(x, x).

        Components with a closed form (rbf, ard, matern, gm, mm), and radial ones (pwl) by their density of the radius.
        """
        omega = np.asarray(omega, dtype=float) * self.scaling.x_scale
        spectrum, d = self.spectrum, self.draws.shape.n_inputs
        if spectrum.input_scale is None or self.kernel.closed_form(self.values) is None:
            raise Unavailable(f"kernel {self.kernel.name!r} is a sum of point masses: see frequencies().")
        centres = np.zeros_like(spectrum.input_scale) if spectrum.centre is None else spectrum.centre
        total = np.zeros(len(omega))
        for q, (scale, centre) in enumerate(zip(spectrum.input_scale, centres, strict=True)):
            for sign in (1, -1):
                z2 = (((omega - sign * centre) / scale) ** 2).sum(axis=1)
                total += 0.5 * np.exp(2 * spectrum.log_amplitude[q] + self._log_density(z2, d, q) - np.log(scale).sum())
        return total * self.scaling.y_variance * np.prod(self.scaling.x_scale)

    def _log_density(self, z2, d, q):
        form = self.kernel.closed_form(self.values)
        if isinstance(form, ClosedForm):
            return form.log_density(z2, d)
        radius = np.sqrt(z2)  # ρ(r) spread over the sphere of radius r
        with np.errstate(divide="ignore"):
            log_area = np.log(2) + 0.5 * d * np.log(np.pi) - gammaln(0.5 * d) + (d - 1) * np.log(radius)
            return np.log(form.density(radius)[q]) - log_area

    def radial_density(self, radius):
        """Density (Q, radii) of ‖z‖, ω = z/ℓ, one row a component (pwl)."""
        form = self.kernel.closed_form(self.values)
        if not isinstance(form, RadialForm):
            raise Unavailable(f"kernel {self.kernel.name!r} is not given by a density of the radius.")
        return form.density(np.asarray(radius, dtype=float))
