"""Named arrays ↔ one flat vector, with bounds, fixed values and the user's units.

In: what a kernel declares (`Parameter`), what the user fixed or bounded. Out: `Layout`.
A name `log_…` holds a logarithm; the user sees the bare name and its exponential, in his own units.
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.errors import InvalidInput

LENGTHSCALE = (np.log(1e-3), np.log(1e4))
AMPLITUDE = (np.log(1e-4), np.log(1e3))
NOISE = (np.log(1e-6), np.log(1e2))
FREQUENCY = (-1e3, 1e3)
FREE = (-np.inf, np.inf)
LARGEST = 1e100  # of a fixed value in standardised units: its square is finite


@dataclass(frozen=True)
class Parameter:
    """One named array. `unit`: "y", "x", "1/x" (last axis: inputs), "1", or "sd": set in "1", reported in "x"."""

    name: str
    shape: tuple[int, ...]
    unit: str
    lower: np.ndarray | float
    upper: np.ndarray | float
    fixed: np.ndarray | None = None
    slow: float = np.inf  # learned as asinh(value / slow)
    shared: bool = False  # learned with a factor an input, the last axis, that all share

    @property
    def is_log(self) -> bool:
        """Whether the stored number is a logarithm."""
        return self.name.startswith("log_")

    @property
    def bare_name(self) -> str:
        """The user's name."""
        return self.name.removeprefix("log_")

    @property
    def size(self) -> int:
        """Entries in the flat vector."""
        return 0 if self.fixed is not None else int(np.prod(self.shape))

    def factor(self, x_scale, y_scale):
        """User's value = standardised value × factor."""
        with np.errstate(over="ignore", divide="ignore"):
            return {"y": y_scale, "x": x_scale, "1/x": 1 / x_scale, "1": 1.0, "sd": 1.0}[self.unit]

    def to_user(self, value, x_scale, y_scale):
        """The user's value of a stored one."""
        reported = x_scale if self.unit == "sd" else self.factor(x_scale, y_scale)
        with np.errstate(over="ignore", invalid="ignore"):
            return (np.exp(value) if self.is_log else value) * reported

    def from_user(self, value, x_scale, y_scale):
        """(shape) the stored value of a user's one."""
        value = np.asarray(value, dtype=float)
        if np.isnan(value).any() or (self.is_log and (value < 0).any()):
            raise InvalidInput(f"{self.bare_name} = {value} must be {'positive' if self.is_log else 'a number'}.")
        try:
            with np.errstate(over="ignore"):
                value = np.broadcast_to(value / self.factor(x_scale, y_scale), self.shape)
        except ValueError:
            raise InvalidInput(
                f"{self.bare_name} has shape {value.shape}; it must broadcast to {self.shape} for this table."
            ) from None
        with np.errstate(divide="ignore"):  # log 0 = −inf: the evidence has its own floor
            return np.log(value) if self.is_log else value


@dataclass(frozen=True)
class Layout:
    """All parameters in order; fixed ones take no place in the flat vector."""

    parameters: tuple[Parameter, ...]

    @property
    def size(self) -> int:
        """Length of theta."""
        return sum(p.size for p in self.parameters)

    def pack(self, values: dict) -> np.ndarray:
        """Flat vector of the free entries."""
        free = [np.ravel(values[p.name]) for p in self.parameters if p.fixed is None]
        return np.concatenate([np.zeros(0), *free]).astype(float)

    def unpack(self, theta: np.ndarray) -> dict:
        """Named arrays, fixed ones included."""
        values, at = {}, 0
        for p in self.parameters:
            values[p.name] = p.fixed if p.fixed is not None else theta[at : at + p.size].reshape(p.shape)
            at += p.size
        return values

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds of theta."""
        lower = {p.name: np.broadcast_to(p.lower, p.shape) for p in self.parameters}
        upper = {p.name: np.broadcast_to(p.upper, p.shape) for p in self.parameters}
        return self.pack(lower), self.pack(upper)

    def slow(self) -> np.ndarray:
        """`Parameter.slow` of each entry of theta."""
        return self.pack({p.name: np.full(p.shape, p.slow) for p in self.parameters})

    def hastened(self) -> "Layout":
        """The same with no slow parameter."""
        return Layout(tuple(replace(p, slow=np.inf) for p in self.parameters))

    def bounded(self, name: str, upper: float) -> "Layout":
        """The same with an upper bound on one parameter."""
        parts = (replace(p, upper=np.minimum(p.upper, upper)) if p.name == name else p for p in self.parameters)
        return Layout(tuple(parts))

    def limits(self, name: str) -> dict:
        """How a parameter is learned: `upper`, the same for all its entries, and `slow`."""
        [p] = [p for p in self.parameters if p.name == name]
        return {"upper": np.max(p.upper), "slow": p.slow}

    def clip(self, theta: np.ndarray) -> np.ndarray:
        """Theta moved inside its bounds."""
        return np.clip(theta, *self.bounds())

    def to_user(self, theta: np.ndarray, x_scale, y_scale) -> dict:
        """Named values in the user's units."""
        values = self.unpack(theta)
        return {p.bare_name: p.to_user(values[p.name], x_scale, y_scale) for p in self.parameters}

    def labels(self) -> list[str]:
        """One label an entry of theta, such as `log_lengthscale[0,2]`."""
        out = []
        for p in self.parameters:
            if p.fixed is None:
                out += [p.name + (str(list(i)).replace(" ", "") if i else "") for i in np.ndindex(p.shape)]
        return out


def constrained(parameters, fixed, bounds, x_scale, y_scale) -> Layout:
    """Layout with the user's fixed values and bounds, both dictionaries by bare name in his units."""
    fixed, bounds = fixed or {}, bounds or {}
    known = [p.bare_name for p in parameters]
    for name in (*fixed, *bounds):
        if name not in known:
            raise InvalidInput(f"Unknown kernel parameter {name!r}: this kernel has {', '.join(known)}.")
    out = []
    for p in parameters:
        if p.bare_name in bounds:
            low, high = bounds[p.bare_name]
            lower, upper = p.from_user(low, x_scale, y_scale), p.from_user(high, x_scale, y_scale)
            if (lower > upper).any():
                raise InvalidInput(f"bounds of {p.bare_name}: {low} is above {high}; give (lower, upper).")
            p = replace(p, lower=lower, upper=upper, shared=False)  # a bound holds entry by entry
        if p.bare_name in fixed:
            value = p.from_user(fixed[p.bare_name], x_scale, y_scale)
            if (value > (np.log(LARGEST) if p.is_log else LARGEST)).any():
                raise InvalidInput(
                    f"{p.bare_name} = {fixed[p.bare_name]} is more than {LARGEST:g} times the spread of the training "
                    "data: give it in the units of X and y."
                )
            p = replace(p, fixed=value)
        out.append(p)
    return Layout(tuple(out))
