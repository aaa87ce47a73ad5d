"""What a file must say of a record to be believed: types from the class itself, shapes from one line per field.

In: a class, and for each array the letters of its axes. Out: `Kept`, which finds what does not fit. Letters that two
fields share must mean the same size, and a record that holds others names the letters on which they must agree:

    kept(Stacks, signs="s p", permutation="s p < p", gaussians="s p", position="F < s*p", norms="F")

`< p` bounds the values of whole numbers, because compiled loops take them as places; `lower` asks for a factor with a
positive diagonal. Numbers are finite unless a field is named in `unbounded`.
"""

import math
import types
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

from alakarte.model.strict_json import NotStrict

Sizes: TypeAlias = dict[str, int]


@dataclass(frozen=True)
class Kept:
    """A class of records that files may hold."""

    kind: type
    axes: dict[str, str]  # letters by field, with `< limit` or `lower`
    gives: dict[str, Callable[[Any], int]] = field(default_factory=dict)  # further letters, from the record
    left_out: tuple[str, ...] = ()  # fields that are not written, and made by `build` or by their default
    optional: tuple[str, ...] = ()  # fields that may be None, whatever their type says
    unbounded: tuple[str, ...] = ()  # fields that may be infinite or no number
    holds: Callable[[Any], bool] | None = None  # what else must be true
    build: Callable[..., Any] | None = None  # the class itself if None
    are_rows: bool = False  # whether rows of the training table are within

    @property
    def name(self) -> str:
        """In files."""
        return self.kind.__name__

    @cached_property
    def written(self) -> tuple[str, ...]:
        """Fields that a file holds."""
        return tuple(each.name for each in fields(self.kind) if each.init and each.name not in self.left_out)

    @cached_property
    def may_be_absent(self) -> frozenset[str]:
        """Fields with a default: a file of an older version may be without."""
        each_has = ((each.name, each.default, each.default_factory) for each in fields(self.kind))
        return frozenset(name for name, value, made in each_has if value is not MISSING or made is not MISSING)

    @cached_property
    def may_be_none(self) -> frozenset[str]:
        """Fields that may be None."""
        return frozenset(self.optional) | {each.name for each in fields(self.kind) if each.default is None}

    @cached_property
    def hints(self) -> dict[str, Any]:
        """Types by field."""
        return get_type_hints(self.kind)

    def made(self, values: dict[str, Any], sizes_within: Callable[[Any], Sizes]) -> tuple[Any, Sizes]:
        """A record from its fields, and its sizes by letter, given those of the records within."""
        if values.keys() - set(self.written) or set(self.written) - values.keys() - self.may_be_absent:
            raise NotStrict(f"has a {self.name} with other fields than {', '.join(self.written)}.")
        for name, value in values.items():
            self._check_type(name, value)
        record = (self.build or self.kind)(**values)
        return record, self.sizes(record, sizes_within)

    def sizes(self, record: Any, sizes_within: Callable[[Any], Sizes]) -> Sizes:
        """Sizes by letter of a record whose shapes agree."""
        found: Sizes = {letter: size(record) for letter, size in self.gives.items()}
        limited = []
        for name, axes in self.axes.items():
            letters, _, limit = axes.partition(" < ")
            for part in _parts(getattr(record, name)):
                self._agree(name, letters.split(), part, found, sizes_within)
                limited += [(name, part, limit)] if limit else []
        for name, part, limit in limited:
            factors = [found.get(letter) for letter in limit.split("*")]
            if None not in factors and not _within(part, math.prod(factors)):  # type: ignore[arg-type]
                raise NotStrict(f"has a {self.name} whose {name} points outside of its table.")
        if self.holds is not None and not self.holds(record):
            raise NotStrict(f"has a {self.name} whose parts do not belong together.")
        return found

    def _agree(
        self, name: str, letters: list[str], part: Any, found: Sizes, sizes_within: Callable[[Any], Sizes]
    ) -> None:
        """Take the sizes of an array or of a record within, or raise NotStrict where they contradict."""
        lower = "lower" in letters
        letters = [letter for letter in letters if letter != "lower"]
        if isinstance(part, np.ndarray):
            if part.ndim != len(letters):
                raise NotStrict(f"has a {self.name} whose {name} has {part.ndim} axes instead of {len(letters)}.")
            here = list(zip(letters, part.shape, strict=True))
        else:
            within = sizes_within(part)
            here = [(letter, within[letter]) for letter in letters if letter in within]
        for letter, size in here:
            if found.setdefault(letter, size) != size:
                raise NotStrict(f"has a {self.name} whose {name} has size {size} where {found[letter]} is needed.")
        if lower and not (part.diagonal() > 0).all():
            raise NotStrict(f"has a {self.name} whose {name} is no factor: its diagonal is not positive.")

    def _check_type(self, name: str, value: Any) -> None:
        if not (fits(value, self.hints[name]) or (value is None and name in self.may_be_none)):
            raise NotStrict(f"has a {self.name} whose {name} is of the wrong kind.")
        if name not in self.unbounded and not all(_is_finite(part) for part in _numbers(value)):
            raise NotStrict(f"has a {self.name} whose {name} is not finite.")


def kept(kind: type, /, **axes: Any) -> Kept:
    """A class that files may hold; what `Kept` takes beside axes has its own name here."""
    options = {name: axes.pop(name) for name in tuple(axes) if name in _OPTIONS}
    return Kept(kind, axes, **options)


_OPTIONS = ("gives", "left_out", "optional", "unbounded", "holds", "build", "are_rows")


def _parts(value: Any) -> Iterator[Any]:
    """The members of a tuple, or the value itself; nothing of None."""
    if isinstance(value, tuple):
        yield from value
    elif value is not None:
        yield value


def _numbers(value: Any) -> Iterator[Any]:
    """All floats and arrays of floats in plain containers."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        yield value


def _is_finite(value: Any) -> bool:
    return bool(np.isfinite(value).all())


def _within(places: Any, limit: int) -> bool:
    """Whether whole numbers lie in 0 … limit − 1."""
    return bool(((places >= 0) & (places < limit)).all())


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what a type says, for the types that records have."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(fits(value, each) for each in inner)
    check = _CONTAINERS.get(origin)
    if check is not None:
        return check(value, inner)
    return _is_a(value, hint)


def _is_a(value: Any, hint: Any) -> bool:
    """Plain values and classes: a truth value is no number, a whole number may stand for a float."""
    if hint in (int, float):
        numbers: Any = (int, np.integer) if hint is int else (int, float, np.integer, np.floating)
        return isinstance(value, numbers) and not isinstance(value, bool | np.bool_)
    return isinstance(value, type(None) if hint is None else hint)


def _array(value: Any, inner: tuple[Any, ...]) -> bool:
    """An array of the kind of numbers that its type names."""
    (wanted,) = get_args(inner[1]) or (Any,)
    if not isinstance(value, np.ndarray) or wanted is Any:
        return isinstance(value, np.ndarray)
    return bool(value.dtype.kind == np.dtype(wanted).kind)


def _tuple(value: Any, inner: tuple[Any, ...]) -> bool:
    if not isinstance(value, tuple):
        return False
    if len(inner) == 2 and inner[1] is Ellipsis:
        return all(fits(part, inner[0]) for part in value)
    return len(value) == len(inner) and all(map(fits, value, inner))


def _list(value: Any, inner: tuple[Any, ...]) -> bool:
    return isinstance(value, list) and all(fits(part, inner[0]) for part in value)


def _dict(value: Any, inner: tuple[Any, ...]) -> bool:
    return isinstance(value, dict) and all(fits(k, inner[0]) and fits(v, inner[1]) for k, v in value.items())


_CONTAINERS: dict[Any, Callable[[Any, tuple[Any, ...]], bool]] = {
    np.ndarray: _array,
    tuple: _tuple,
    list: _list,
    dict: _dict,
}
