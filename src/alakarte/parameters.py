"""Named arrays ↔ one flat vector, with bounds, fixed values and the user's units.

In: what a kernel or a likelihood declares (`Parameter`), what the user fixed or bounded. Out: `Layout`.
A name `log_…` holds a logarithm; the user sees the bare name and its exponential, in his own units. A kernel reads one
entry per column of inputs; what is learned, and what the user sees, has one per variable, where some are categories.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from alakarte.errors import InvalidInput
from alakarte.records import Array, Integers, Named, Values, Variables

LENGTHSCALE = (np.log(1e-3), np.log(1e4))
AMPLITUDE = (np.log(1e-4), np.log(1e3))
FREQUENCY = (-1e3, 1e3)
LARGEST = 1e100  # of a fixed value in standardised units: its square is finite


@dataclass(frozen=True)
class Units:
    """Of the user: what a standardised number is multiplied by."""

    x: Array  # (d,) standard deviation of each input
    y: Array  # (T,) of each target
    several: bool = False  # report what is in units of y with an axis of targets
    variables: Variables | None = None  # that the inputs are columns of; None: each is one

    @property
    def x_of_variables(self) -> Array:
        """(variables,) of each variable; the columns of a category have one unit."""
        return self.x if self.variables is None else self.x[self.variables.first]

    def factor(self, unit: str) -> Array | float:
        """User's value = standardised value × factor; of "y", for one target."""
        with np.errstate(over="ignore", divide="ignore"):
            factors: dict[str, Array | float] = {"y": float(self.y[0]), "x": self.x, "1/x": 1 / self.x}
            return factors.get(unit, 1.0)

    def reported(self, value: Array, unit: str) -> Array:
        """The user's value of a standardised one; of several targets, those of "y" get an axis (T,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            if unit == "y" and self.several:
                return np.asarray(value)[..., None] * self.y
            return value * (self.x_of_variables if unit == "sd" else self.factor(unit))


@dataclass(frozen=True)
class Parameter:
    """One named array. `unit`: "y", "x", "1/x" (last axis: inputs), "1", or "sd": set in "1", reported in "x"."""

    name: str
    shape: tuple[int, ...]  # of what is learned
    unit: str
    lower: Array | float
    upper: Array | float
    fixed: Array | None = None
    held: Array | None = None  # (shape) values of entries that are not learned, NaN of those that are; None: all are
    slow: float = np.inf  # learned as asinh(value / slow)
    step: Array | float = 1.0  # else as value / step
    shared: bool = False  # learned with one factor per input, the last axis, that all entries share
    category: str = "free"  # columns of a category on the last axis: "free", "tied" in one entry, or held at "zero"
    variables: Variables | None = None  # of the last axis, where some are categories that are not free

    def for_variables(self, variables: Variables | None) -> "Parameter":
        """The same parameter, one entry per variable instead of one per column, unless columns are free."""
        if variables is None or self.category == "free":
            return self
        tied = replace(self, variables=variables)
        return replace(tied, shape=(*self.shape[:-1], tied._learned.size))

    @property
    def _learned(self) -> Integers:
        """(k,) the variables that have an entry."""
        assert self.variables is not None
        return np.flatnonzero(self.variables.is_number | (self.category == "tied"))

    def columns(self, entries: Array) -> Array:
        """(…, d) what a kernel reads, from the entries (shape) that are learned."""
        if self.variables is None:
            return entries
        by_variable = np.zeros((*self.shape[:-1], self.variables.size))
        by_variable[..., self._learned] = entries
        return by_variable[..., self.variables.of_column]

    def entries(self, columns: Array) -> Array:
        """(shape) the entries of which these are the columns (…, d)."""
        return columns if self.variables is None else columns[..., self.variables.first[self._learned]]

    def columns_pullback(self, columns_bar: Array) -> Array:
        """(shape) derivatives by the entries from those by the columns (…, d): their sums."""
        return columns_bar if self.variables is None else self.variables.summed(columns_bar)[..., self._learned]

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
        if self.fixed is not None:
            return 0
        return math.prod(self.shape) if self.held is None else int(np.isnan(self.held).sum())

    def learned(self, entries: Array) -> Array:
        """(size,) those of the entries (shape) that are learned."""
        flat = np.asarray(entries, dtype=np.float64).reshape(-1)
        return flat if self.held is None else flat[np.isnan(self.held).reshape(-1)]

    def with_held(self, learned: Array) -> Array:
        """(shape) all entries from those that are learned (size,): the inverse of `learned`."""
        if self.held is None:
            return learned.reshape(self.shape)
        entries = self.held.copy()
        entries[np.isnan(self.held)] = learned
        return entries

    def label(self, place: tuple[int, ...]) -> str:
        """Of one entry: its name, and its place among components and variables."""
        if self.variables is not None:
            place = (*place[:-1], int(self._learned[place[-1]]))
        return self.name + (str(list(place)).replace(" ", "") if place else "")

    def to_user(self, value: Array, units: Units) -> Array:
        """The user's value, one entry per variable, of a stored one as a kernel reads it."""
        told = units.reported(np.exp(value) if self.is_log else value, self.unit)
        return told if self.variables is None else told[..., self.variables.first]

    def from_user(self, value: Any, units: Units) -> Array:
        """(shape) the stored value of a user's one."""
        value = np.asarray(value, dtype=np.float64)
        if np.isnan(value).any() or (self.is_log and (value < 0).any()):
            raise InvalidInput(f"{self.bare_name} = {value} must be {'positive' if self.is_log else 'a number'}.")
        if self.unit == "y" and units.y.size > 1 and not (units.y == units.y[0]).all():
            raise InvalidInput(
                f"{self.bare_name} = {value} is in units of y, but there are {units.y.size} targets of different "
                "spread that share it: leave it to be learned, or divide each target by its standard deviation."
            )
        factor, told = units.factor(self.unit), self.shape
        if self.variables is not None:  # in units of an input
            factor, told = np.asarray(factor)[self.variables.first], (*self.shape[:-1], self.variables.size)
        try:
            with np.errstate(over="ignore"):
                value = np.broadcast_to(value / factor, told)
        except ValueError:
            raise InvalidInput(
                f"{self.bare_name} has shape {value.shape}; it must broadcast to {told} for this table."
            ) from None
        if self.variables is not None:
            value = value[..., self._learned]
        with np.errstate(divide="ignore"):  # log 0 = −inf: the evidence has its own floor
            stored: Array = np.log(value) if self.is_log else value
            return stored

    def fixed_at(self, value: Any, units: Units) -> "Parameter":
        """The same parameter, not learned: `value` in the user's units."""
        stored = self.from_user(value, units)
        if (stored > (np.log(LARGEST) if self.is_log else LARGEST)).any():
            raise InvalidInput(
                f"{self.bare_name} = {value} is more than {LARGEST:g} times the spread of the training "
                "data: give it in the units of X and y."
            )
        return replace(self, fixed=np.asarray(stored))

    def bounded_by(self, limits: tuple[Any, Any], units: Units) -> "Parameter":
        """The same parameter with (lower, upper) limits, entry by entry, in the user's units."""
        low, high = limits
        lower, upper = self.from_user(low, units), self.from_user(high, units)
        if (lower > upper).any():
            raise InvalidInput(f"bounds of {self.bare_name}: {low} is above {high}; give (lower, upper).")
        return replace(self, lower=lower, upper=upper, shared=False)


@dataclass(frozen=True)
class Layout:
    """All parameters in order; fixed ones take no place in the flat vector."""

    parameters: tuple[Parameter, ...]

    @property
    def size(self) -> int:
        """Length of theta."""
        return sum(p.size for p in self.parameters)

    def is_free(self, name: str) -> bool:
        """Whether a parameter of that name is learned, with all its entries."""
        return any(p.name == name and p.fixed is None and p.held is None for p in self.parameters)

    def places(self, name: str) -> slice:
        """Where a parameter stands in the flat vector."""
        before = [p.name for p in self.parameters].index(name)
        start = sum(p.size for p in self.parameters[:before])
        return slice(start, start + self.parameters[before].size)

    def flat(self, entries: Values) -> Array:
        """Flat vector of the free ones among the entries that are learned, by name."""
        free = [p.learned(entries[p.name]) for p in self.parameters if p.fixed is None]
        return np.concatenate([np.zeros(0), *free])

    def entries(self, theta: Array) -> Values:
        """The entries that are learned by name, fixed ones included: the inverse of `flat`."""
        entries, start = {}, 0
        for p in self.parameters:
            size = p.size
            entries[p.name] = p.fixed if p.fixed is not None else p.with_held(theta[start : start + size])
            start += size
        return entries

    def pack(self, values: Values) -> Array:
        """Flat vector of named arrays as a kernel reads them."""
        return self.flat({p.name: p.entries(values[p.name]) for p in self.parameters if p.fixed is None})

    def unpack(self, theta: Array) -> Values:
        """Named arrays as a kernel reads them, fixed ones included."""
        entries = self.entries(theta)
        return {p.name: p.columns(entries[p.name]) for p in self.parameters}

    def unpack_pullback(self, values_bar: Values) -> Array:
        """Derivatives by theta from those by the named arrays."""
        return self.flat({p.name: p.columns_pullback(values_bar[p.name]) for p in self.parameters if p.fixed is None})

    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds of theta."""
        lower = {p.name: np.broadcast_to(p.lower, p.shape) for p in self.parameters}
        upper = {p.name: np.broadcast_to(p.upper, p.shape) for p in self.parameters}
        return self.flat(lower), self.flat(upper)

    def slow(self) -> Array:
        """`Parameter.slow` of each entry of theta."""
        return self.flat({p.name: np.full(p.shape, p.slow) for p in self.parameters})

    def step(self) -> Array:
        """`Parameter.step` of each entry of theta."""
        return self.flat({p.name: np.broadcast_to(p.step, p.shape) for p in self.parameters})

    def only(self, names: Iterable[str], theta: Array) -> "Layout":
        """The same with these parameters alone to be learned, the others fixed at theta."""
        entries, kept = self.entries(theta), set(names)
        return Layout(tuple(p if p.name in kept else replace(p, fixed=entries[p.name]) for p in self.parameters))

    def hastened(self) -> "Layout":
        """The same with no slow parameter."""
        return Layout(tuple(replace(p, slow=np.inf) for p in self.parameters))

    def bounded(self, name: str, upper: float) -> "Layout":
        """The same with an upper bound on one parameter."""
        parts = (replace(p, upper=np.minimum(p.upper, upper)) if p.name == name else p for p in self.parameters)
        return Layout(tuple(parts))

    def learned_like(self, parameter: Parameter) -> Parameter:
        """A parameter of another shape, learned as the one of its name here: bounds and pace, alike for all rows."""
        [mine] = [p for p in self.parameters if p.name == parameter.name]
        tied = parameter.for_variables(mine.variables)
        return replace(tied, lower=mine.lower, upper=mine.upper, slow=mine.slow, step=mine.step)

    def clip(self, theta: Array) -> Array:
        """Theta moved inside its bounds."""
        clipped: Array = np.clip(theta, *self.bounds())
        return clipped

    def to_user(self, theta: Array, units: Units) -> Named:
        """Named values in the user's units."""
        values = self.unpack(theta)
        return {p.bare_name: p.to_user(values[p.name], units) for p in self.parameters}

    def labels(self) -> list[str]:
        """One label per entry of theta, such as `log_lengthscale[0,2]`."""
        out: list[str] = []
        for p in self.parameters:
            if p.fixed is None:
                free = p.learned(np.arange(float(math.prod(p.shape)))).astype(int)
                out += [p.label(tuple(int(i) for i in np.unravel_index(k, p.shape))) for k in free]
        return out


def constrained(parameters: Iterable[Parameter], fixed: Named | None, bounds: Named | None, units: Units) -> Layout:
    """Layout with the user's fixed values and bounds, both dictionaries by bare name in his units."""
    fixed, bounds, parameters = fixed or {}, bounds or {}, tuple(parameters)
    known = [p.bare_name for p in parameters]
    for name in (*fixed, *bounds):
        if name not in known:
            raise InvalidInput(f"Unknown kernel parameter {name!r}: this kernel has {', '.join(known)}.")
    out = []
    for p in parameters:
        if p.bare_name in bounds:
            p = p.bounded_by(bounds[p.bare_name], units)
        if p.bare_name in fixed:
            p = p.fixed_at(fixed[p.bare_name], units)
        out.append(p)
    return Layout(tuple(out))
