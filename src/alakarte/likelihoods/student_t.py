"""`student_t`: noise with heavy tails, so that outliers do not drag the function along.

The average of l is bounded by that of a normal noise whose variance is chosen for each row (a scale mixture), which is
never negative in its curvature: with c = (y − mean)² + variance, ē = log t(√c; σ, ν), and w = (ν + 1)/(νσ² + c) is the
curvature of the row.
"""

import numpy as np
from scipy.special import gammaincinv, gammaln, logsumexp, ndtri, psi, stdtr, stdtrit

from alakarte.data.standardise import moments
from alakarte.likelihoods.quadrature import NODES_TO_PREDICT, normal_nodes
from alakarte.likelihoods.rowwise import ByParameter, Derivatives, Expected, RowLikelihood
from alakarte.parameters import Parameter
from alakarte.records import Array, Named, Values

SCALE = (np.log(1e-6), np.log(1e2))
DOF = (np.log(2.1), np.log(200.0))  # below, it has no variance; beyond, it is normal
_NORMAL_MAD = 1.4826  # standard deviation over median absolute deviation
_HALVINGS = 50  # of an interval that holds a quantile
_PRECISIONS, _FAR = 100, 1e-12  # of the noise, equally spaced in their logarithm, and the probability beyond them
_CLIPPED = 3.0  # robust standard deviations at which the surrogate of a target is cut


class StudentT(RowLikelihood):
    """y = f + σ t_ν.

    Parameters
    ----------
    dof : float, optional
        ν, degrees of freedom; learned if None.
    noise_scale : float, optional
        σ, in units of y; learned if None.

    Examples
    --------
    >>> from alakarte.likelihoods import StudentT
    >>> StudentT(dof=4.0).fixed()
    {'dof': 4.0}
    """

    name = "student_t"
    fixed_point_is_slow = True
    shifts_targets = True

    def __init__(self, dof: float | None = None, noise_scale: float | None = None):
        self.dof = dof
        self.noise_scale = noise_scale

    def parameters(self) -> tuple[Parameter, ...]:
        """log_noise_scale (), log_dof ()."""
        return Parameter("log_noise_scale", (), "y", *SCALE), Parameter("log_dof", (), "1", *DOF)

    def fixed(self) -> Named:
        """What was given."""
        given = {"dof": self.dof, "noise_scale": self.noise_scale}
        return {name: value for name, value in given.items() if value is not None}

    def start(self) -> Values:
        """A fifth of the spread, four degrees of freedom."""
        return {"log_noise_scale": np.asarray(np.log(0.2)), "log_dof": np.asarray(np.log(4.0))}

    def base(self, y: Array, weight: Array, offset: Array) -> tuple[float, float]:
        """Median, and the standard deviation of a normal distribution with the same quartiles."""
        moments(y[:, None], weight, "y")  # refuses what is too large for any scale
        middle = _weighted_median(y, weight)
        spread = _NORMAL_MAD * _weighted_median(np.abs(y - middle), weight)
        if spread == 0:  # half of the targets are equal
            size = float(np.abs(y - middle).max()) or 1.0  # squares of y itself may not be finite
            spread = size * float(np.sqrt(np.average(((y - middle) / size) ** 2, weights=weight)))
        return middle, spread if spread > 0 else 1.0

    def surrogate(self, y: Array, offset: Array, centre: float, scale: float) -> Array:
        """Standardised targets, cut where only outliers are."""
        return np.clip(self.encoded(y, centre, scale), -_CLIPPED, _CLIPPED)

    def encoded(self, y: Array, centre: float, scale: float) -> Array:
        """(y − centre)/scale."""
        return (y - centre) / scale

    def _scales(self, values: Values) -> tuple[float, float]:
        """ν and νσ²."""
        dof = float(np.exp(values["log_dof"]))
        return dof, dof * float(np.exp(2 * values["log_noise_scale"]))

    def _log_density(self, values: Values, square: Array) -> Array:
        """Of a residual with this square."""
        dof, A = self._scales(values)
        constant = gammaln((dof + 1) / 2) - gammaln(dof / 2) - 0.5 * np.log(np.pi * A)
        return np.asarray(constant - (dof + 1) / 2 * np.log1p(square / A))

    def derivatives(self, values: Values, y: Array, f: Array) -> Derivatives:
        """g = (ν + 1)r/Q, λ = (ν + 1)(A − r²)/Q², t = −2(ν + 1)r(3A − r²)/Q³ with A = νσ², Q = A + r², r = y − f."""
        dof, A = self._scales(values)
        r = y - f
        Q = A + r**2
        slope = (dof + 1) * r / Q
        curvature = (dof + 1) * (A - r**2) / Q**2
        third = -2 * (dof + 1) * r * (3 * A - r**2) / Q**3
        return Derivatives(self._log_density(values, r**2), slope, curvature, third)

    def by_parameter(self, values: Values, y: Array, f: Array) -> dict[str, ByParameter]:
        """By log σ and log ν."""
        dof, A = self._scales(values)
        r = y - f
        Q, square = A + r**2, r**2
        slope, curvature = (dof + 1) * r / Q, (dof + 1) * (A - square) / Q**2
        by_log_A = ByParameter(  # A = νσ² grows by 2 with log σ, by 1 with log ν
            -0.5 + 0.5 * (dof + 1) * square / Q,
            -slope * A / Q,
            (dof + 1) * A / Q**2 - 2 * curvature * A / Q,
        )
        digamma = 0.5 * dof * (psi((dof + 1) / 2) - psi(dof / 2))
        value = digamma - 0.5 * dof * np.log1p(square / A) + by_log_A.value
        part = dof / (dof + 1)
        return {
            "log_noise_scale": ByParameter(2 * by_log_A.value, 2 * by_log_A.slope, 2 * by_log_A.curvature),
            "log_dof": ByParameter(value, part * slope + by_log_A.slope, part * curvature + by_log_A.curvature),
        }

    def expected(self, values: Values, y: Array, mean: Array, variance: Array) -> Expected:
        """The bound by a scale mixture."""
        dof, A = self._scales(values)
        r = y - mean
        square = r**2 + variance
        curvature = (dof + 1) / (A + square)
        return Expected(self._log_density(values, square), curvature * r, curvature)

    def expected_by_parameter(self, values: Values, y: Array, mean: Array, variance: Array) -> Values:
        """Of the bound: as of l at a residual of square c."""
        root = np.sqrt((y - mean) ** 2 + variance)
        return {name: part.value for name, part in self.by_parameter(values, root, np.zeros_like(root)).items()}

    def log_predictive(self, values: Values, y: Array, mean: Array, variance: Array) -> Array:
        """Log of the average of N(y; mean, variance + σ²/λ) over the gamma distributed precision λ of the noise."""
        dof, A = self._scales(values)
        low, high = np.log(gammaincinv(dof / 2, [_FAR, 1 - _FAR]) * 2 / dof)
        log_precision = np.linspace(low, high, _PRECISIONS)
        log_weight = log_precision * dof / 2 - np.exp(log_precision) * dof / 2
        log_weight -= logsumexp(log_weight)
        spread = variance[:, None] + A / dof * np.exp(-log_precision)
        log_density = -0.5 * np.log(2 * np.pi * spread) - 0.5 * (y - mean)[:, None] ** 2 / spread
        return np.asarray(logsumexp(log_density + log_weight, axis=1))

    def noise_std(self, values: Values) -> float:
        """σ √(ν/(ν − 2)), infinite up to two degrees of freedom."""
        dof, A = self._scales(values)
        return float(np.sqrt(A / (dof - 2))) if dof > 2 else float("inf")

    def noise(self, values: Values, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        """Draws of the noise alone: normal ones over the roots of gamma ones."""
        dof, A = self._scales(values)
        precision: Array = rng.gamma(dof / 2, 2 / dof, shape)
        return np.asarray(np.sqrt(A / dof) * rng.standard_normal(shape) / np.sqrt(precision))

    def quantile(self, values: Values, level: float, mean: Array, variance: Array) -> Array:
        """(n,) of a new observation: where the cumulative probability, averaged over f, reaches `level`."""
        dof, A = self._scales(values)
        scale = float(np.sqrt(A / dof))
        f, weights = normal_nodes(mean, variance, NODES_TO_PREDICT)
        tail = abs(float(ndtri(level))), abs(float(stdtrit(dof, level)))
        reach = np.sqrt(variance) * tail[0] + scale * (tail[1] + 1)
        low, high = mean - 2 * reach, mean + 2 * reach
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            below = np.asarray((weights * stdtr(dof, (middle - f) / scale)).sum(axis=0)) < level
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray(0.5 * (low + high))


def _weighted_median(values: Array, weight: Array) -> float:
    order = np.argsort(values, kind="stable")
    edges = np.cumsum(weight[order])
    return float(values[order[np.searchsorted(edges, 0.5 * edges[-1])]])
