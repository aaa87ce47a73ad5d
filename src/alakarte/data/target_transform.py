"""Targets whose noise is not normal in units of y, but in those of t = g(y): logarithms, or a power of Yeo and Johnson.

In: targets and weights. Out: `TargetTransform`, a frozen record of g, its inverse and log g′, which `Scaling` applies
before it standardises. Targets are looked at piece by piece, wherever they lie. Knows no models: averages over g⁻¹ are
in model/transformed.py.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize_scalar

from alakarte.data.pieces import over_pieces, sum_of_piece, sum_over_pieces
from alakarte.errors import InvalidInput
from alakarte.records import Array, Flags

LOG, YEO_JOHNSON = "log", "yeo-johnson"
# Both ends make the inverse grow like an exponential on one side; beyond, it would not exist everywhere.
POWERS = (0.0, 2.0)
FIT_ROWS = 100_000  # that powers are chosen on, equally spaced among all
LARGEST_EXPONENT = 700.0  # what a prediction may be stays finite
_NORMAL_QUARTILES = 1.349  # their distance, in standard deviations
_BLOCK_ROWS = 1 << 16


@dataclass(frozen=True)
class TargetTransform(ABC):
    """t = g(y), increasing, target by target; arrays (…, T)."""

    mean_log_slope: Array  # (T,) of the rows of the fit: what g adds to the log density of each, on average

    kind: ClassVar[str]

    @abstractmethod
    def covers(self, y: Array) -> Flags:
        """Which y have a g(y)."""

    @abstractmethod
    def forward(self, y: Array) -> Array:
        """g(y), of y that are covered."""

    @abstractmethod
    def inverse(self, t: Array) -> Array:
        """The y of any t, finite."""

    @abstractmethod
    def log_slope(self, y: Array) -> Array:
        """log g′(y), of y that are covered."""

    @abstractmethod
    def words(self) -> str:
        """What g is, for people."""

    def check(self, y: Any, weight: Any) -> None:
        """Raise InvalidInput for the first y (rows, T) that is not covered, of rows with a weight."""
        parts = over_pieces(y, weight, _uncovered, self)
        n_wrong, first = sum(part[1] for part in parts), 0
        for n_rows, n_wrong_there, row, column, value in parts:
            if n_wrong_there:
                where = f"row {first + row}, column {column}" if y.shape[1] > 1 else f"row {first + row}"
                raise InvalidInput(
                    f"y = {value:.6g} at {where} has no logarithm, as {n_wrong} of {len(y) * y.shape[1]} values: "
                    f"target_transform='{self.kind}' is for y > 0. Use 'yeo-johnson', or add a constant to y."
                )
            first += n_rows

    def excess_log_slope(self, y: Array, weight: Array) -> float:
        """Σ w (log g′(y) − its mean in the fit) of rows y (n, T): what those of the fit have not, by definition."""
        total = 0.0
        for start in range(0, len(y), _BLOCK_ROWS):
            part = slice(start, start + _BLOCK_ROWS)
            total += float(weight[part] @ (self.log_slope(y[part]) - self.mean_log_slope).sum(axis=1))
        return total


@dataclass(frozen=True)
class Log(TargetTransform):
    """t = log y."""

    kind = LOG

    def covers(self, y: Array) -> Flags:
        """y > 0."""
        return np.asarray(y > 0)

    def forward(self, y: Array) -> Array:
        """log y."""
        return np.log(np.asarray(y, dtype=np.float64))

    def inverse(self, t: Array) -> Array:
        """e^t."""
        return np.exp(np.minimum(t, LARGEST_EXPONENT))

    def log_slope(self, y: Array) -> Array:
        """−log y."""
        return -np.log(np.asarray(y, dtype=np.float64))

    def words(self) -> str:
        """Of all targets."""
        return "log y"


@dataclass(frozen=True)
class YeoJohnson(TargetTransform):
    """t = scale · ψ((y − centre)/scale; power), ψ of Yeo and Johnson (2000), which is u where the power is one.

    ψ(u) = ((1 + u)^λ − 1)/λ above zero and −((1 − u)^(2−λ) − 1)/(2 − λ) below; near the centre t has units of y.
    """

    centre: Array  # (T,)
    scale: Array  # (T,)
    power: Array  # (T,) λ in 0 … 2

    kind = YEO_JOHNSON

    def covers(self, y: Array) -> Flags:
        """All."""
        return np.ones(np.shape(y), dtype=bool)

    def forward(self, y: Array) -> Array:
        """Both sides by one formula: ±((1 + |u|)^p − 1)/p, p = λ above and 2 − λ below."""
        u = (y - self.centre) / self.scale
        p, size = np.where(u >= 0, self.power, 2 - self.power), np.log1p(np.abs(u))
        flat = p == 0
        return np.asarray(self.scale * np.sign(u) * np.where(flat, size, np.expm1(p * size) / np.where(flat, 1, p)))

    def inverse(self, t: Array) -> Array:
        """±((1 + p|v|)^(1/p) − 1)."""
        v = t / self.scale
        p, size = np.where(v >= 0, self.power, 2 - self.power), np.abs(v)
        flat = p == 0
        exponent = np.where(flat, size, np.log1p(p * size) / np.where(flat, 1, p))
        return np.asarray(self.centre + self.scale * np.sign(v) * np.expm1(np.minimum(exponent, LARGEST_EXPONENT)))

    def log_slope(self, y: Array) -> Array:
        """(p − 1) log(1 + |u|)."""
        u = (y - self.centre) / self.scale
        return np.asarray((np.where(u >= 0, self.power, 2 - self.power) - 1) * np.log1p(np.abs(u)))

    def words(self) -> str:
        """With the power of each target."""
        return f"yeo-johnson of y, power {', '.join(f'{power:.3g}' for power in self.power)}"


@dataclass(frozen=True)
class Transformed:
    """Targets (n, T) as a transform makes them, for what is computed per piece: never all of them at once."""

    values: Any
    transform: TargetTransform

    def __len__(self) -> int:
        return len(self.values)


@over_pieces.register
def _over_transformed(values: Transformed, weight: Any, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    return over_pieces(values.values, weight, _of_transformed, values.transform, function, *arguments)


def _of_transformed(
    y: Array, weight: Array, transform: TargetTransform, function: Callable[..., Any], *arguments: Any
) -> Any:
    return function(transform.forward(y), weight, *arguments)


def can_have(kind: str, y: Any, weight: Any) -> bool:
    """Whether targets y (n, T), of rows with a weight (n,), have a transform of that kind."""
    return kind != LOG or not any(part[1] for part in over_pieces(y, weight, _uncovered, Log(np.zeros(y.shape[1]))))


def check_targets(kind: str | None, y: Any, weight: Any) -> None:
    """Raise InvalidInput for the first y (n, T) that a transform of that kind, before it is learned, cannot have."""
    if kind == LOG:
        Log(np.zeros(y.shape[1])).check(y, weight)


def _uncovered(y: Array, weight: Array, transform: TargetTransform) -> tuple[int, int, int, int, float]:
    """Of a piece: its rows, how many of its values are not covered, and row, column and value of the first."""
    wrong = ~transform.covers(y) & (weight > 0)[:, None]
    if not wrong.any():
        return len(y), 0, 0, 0, 0.0
    row, column = (int(place) for place in np.argwhere(wrong)[0])
    return len(y), int(np.count_nonzero(wrong)), row, column, float(y[row, column])


def learn_transform(kind: str, y: Any, weight: Any) -> TargetTransform:
    """The transform of that kind for targets y (n, T), checked, with weights (n,) above zero."""
    transform = Log(np.zeros(y.shape[1])) if kind == LOG else _yeo_johnson(*_some(y, weight))
    slope, total = sum_over_pieces(y, weight, _log_slope, transform), sum_over_pieces(y, weight, sum_of_piece)
    return replace(transform, mean_log_slope=np.asarray(slope / total))


def _log_slope(y: Array, weight: Array, transform: TargetTransform) -> Array:
    """(T,) Σ w log g′ of a piece."""
    total = np.zeros(y.shape[1])
    for start in range(0, len(y), _BLOCK_ROWS):
        part = slice(start, start + _BLOCK_ROWS)
        total += weight[part] @ transform.log_slope(y[part])
    return total


def _some(y: Any, weight: Any) -> tuple[Array, Array]:
    """At most about `FIT_ROWS` targets and weights, equally spaced in each piece."""
    parts = over_pieces(y, weight, _every, -(-len(y) // FIT_ROWS))
    some, some_weight = (np.concatenate(each) for each in zip(*parts, strict=True))
    return some, some_weight


def _every(y: Array, weight: Array, step: int) -> tuple[Array, Array]:
    """Targets and weights of each row of that number in a piece."""
    return np.array(y[::step], dtype=np.float64), np.array(weight[::step], dtype=np.float64)


def _yeo_johnson(y: Array, weight: Array) -> YeoJohnson:
    """Centre and scale by quartiles, so that the bulk of y decides; the power by the likelihood of normal t."""
    low, centre, high = (np.array([_quantile(column, weight, level) for column in y.T]) for level in (0.25, 0.5, 0.75))
    spread = (high - low) / _NORMAL_QUARTILES
    scale = np.where(spread > 0, spread, np.where(y.std(axis=0) > 0, y.std(axis=0), 1.0))
    power = np.array([_power((column - c) / s, weight) for column, c, s in zip(y.T, centre, scale, strict=True)])
    return YeoJohnson(np.zeros(y.shape[1]), centre, scale, power)


def _quantile(values: Array, weight: Array, level: float) -> float:
    """The least value that so much of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order])
    return float(values[order[np.searchsorted(share, level * share[-1])]])


def _power(u: Array, weight: Array) -> float:
    """λ for which t of u (n,) is likeliest to be normal."""
    total = float(weight.sum())

    def loss(power: float) -> float:
        transform = YeoJohnson(np.zeros(1), np.zeros(1), np.ones(1), np.array([power]))
        t = transform.forward(u[:, None])[:, 0]
        variance = float(np.average((t - np.average(t, weights=weight)) ** 2, weights=weight))
        if not 0 < variance < np.inf:
            return np.inf if variance else 0.0
        return 0.5 * float(np.log(variance)) - float(weight @ transform.log_slope(u[:, None])[:, 0]) / total

    if np.ptp(u) == 0:
        return 1.0
    found = minimize_scalar(loss, bounds=POWERS, method="bounded", options={"xatol": 1e-3})
    return round(float(found.x), 2)  # zero, or far enough from it for 1/λ; rows do not tell finer ones apart
