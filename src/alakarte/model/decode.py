"""From JSON and arrays to values, each checked before it is used: the twin of `encode.py`.

In: what `Encoder` gave. Out: the values, or `NotStrict`. Records are made in their order, each of earlier ones: nothing
in a file can refer to itself.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from alakarte.errors import Unavailable
from alakarte.kernels.registry import kernels
from alakarte.kernels.sum import Sum
from alakarte.likelihoods.registry import likelihoods
from alakarte.model.catalogue import BY_NAME, ENUMS
from alakarte.model.container import AnyArray
from alakarte.model.kept import Sizes
from alakarte.model.strict_json import NotStrict

MOST_DEPTH = 12  # of containers within containers
_NUMBERS = frozenset(
    ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
)
_SPECIAL = frozenset(("inf", "-inf", "nan"))


class Decoder:
    """Values by their JSON, from arrays and records of a file."""

    def __init__(self, arrays: dict[str, AnyArray], records: Any):
        self.arrays = arrays
        self.used: set[str] = set()
        self._made: list[Any] = []
        self._sizes: dict[int, Sizes] = {}
        for place, entry in enumerate(_as_list(records)):
            self._made.append(self._new_record(place, *_as_pair(entry)))

    def decode(self, value: Any, depth: int = 0) -> Any:
        """The value of a JSON value."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if not isinstance(value, dict) or len(value) != 1 or depth > MOST_DEPTH:
            raise NotStrict("has a header with a value of unknown form.")
        ((tag, inner),) = value.items()
        if tag not in _TAGS:
            raise NotStrict(f"has a header with a value of unknown form, {tag!r:.40}.")
        return _TAGS[tag](self, inner, depth)

    def _new_record(self, place: int, name: Any, values: Any) -> Any:
        listed = BY_NAME.get(name) if isinstance(name, str) else None
        if listed is None or not isinstance(values, dict):
            raise NotStrict(f"holds a record of the unknown class {name!r:.40}.")
        fields = {field: self.decode(value) for field, value in values.items()}
        record, sizes = listed.made(fields, lambda value: self._sizes.get(id(value), {}))
        self._sizes[id(record)] = sizes
        return record

    def _record(self, place: Any, depth: int) -> Any:
        if type(place) is not int or not 0 <= place < len(self._made):
            raise NotStrict("refers to a record that comes later, or not at all.")
        return self._made[place]

    def _array(self, name: Any, depth: int) -> AnyArray:
        if not isinstance(name, str) or name not in self.arrays:
            raise NotStrict(f"refers to an array {name!r:.80} that it does not hold.")
        self.used.add(name)
        return self.arrays[name]

    def _columns(self, name: Any, depth: int) -> AnyArray:
        return self._array(name, depth).T

    def _words(self, name: Any, depth: int) -> AnyArray:
        points = self._array(name, depth)
        if points.dtype != np.uint32 or points.ndim < 1 or points.shape[-1] < 1:
            raise NotStrict("has words that are no code points.")
        if ((points > 0x10FFFF) | ((points >= 0xD800) & (points < 0xE000))).any():
            raise NotStrict("has words that are no code points.")
        return points.view(f"<U{points.shape[-1]}")[..., 0]

    def _objects(self, name: Any, depth: int) -> AnyArray:
        return self._words(name, depth).astype(object)

    def _float(self, name: Any, depth: int) -> float:
        if not isinstance(name, str) or name not in _SPECIAL:
            raise NotStrict("has a header with a value of unknown form.")
        return float(name)

    def _number(self, pair: Any, depth: int) -> Any:
        name, value = _as_pair(pair)
        value = self.decode(value, depth + 1)
        if not isinstance(name, str) or name not in _NUMBERS or not isinstance(value, bool | int | float):
            raise NotStrict("has a number of unknown type in its header.")
        try:
            return np.dtype(name).type(value)
        except (OverflowError, ValueError):
            raise NotStrict(f"has a {name} beyond its bounds in its header.") from None

    def _tuple(self, values: Any, depth: int) -> tuple[Any, ...]:
        return tuple(self._list(values, depth))

    def _list(self, values: Any, depth: int) -> list[Any]:
        return [self.decode(value, depth + 1) for value in _as_list(values)]

    def _dict(self, pairs: Any, depth: int) -> dict[Any, Any]:
        decoded: list[Any] = [[self.decode(part, depth + 1) for part in _as_pair(pair)] for pair in _as_list(pairs)]
        if not all(isinstance(key, str | int | float | np.generic) for key, _ in decoded):
            raise NotStrict("has a dictionary by something that is no name.")
        return dict(decoded)

    def _enum(self, pair: Any, depth: int) -> Any:
        name, value = _as_pair(pair)
        try:
            return ENUMS[name](value)
        except (KeyError, TypeError, ValueError):
            raise NotStrict(f"has a choice {name!r:.40} that is not known.") from None

    def _kernel(self, pair: Any, depth: int) -> Any:
        return self._by_settings("kernel", kernels(), pair, depth)

    def _sum(self, terms: Any, depth: int) -> Sum:
        try:
            return Sum(self._list(terms, depth))
        except Unavailable:
            raise NotStrict("has a sum of what cannot be added.") from None

    def _likelihood(self, pair: Any, depth: int) -> Any:
        return self._by_settings("likelihood", likelihoods(), pair, depth)

    def _by_settings(self, what: str, listed: dict[str, Any], pair: Any, depth: int) -> Any:
        """A kernel or likelihood from its name and settings; the constructors of both only keep what they are given."""
        name, settings = _as_pair(pair)
        if not isinstance(name, str) or name not in listed or not isinstance(settings, dict):
            raise NotStrict(f"has the unknown {what} {name!r:.40}.")
        if settings.keys() - set(listed[name]._get_param_names()):
            raise NotStrict(f"has a {what} {name!r} with unknown settings.")
        return listed[name](**{each: self.decode(value, depth + 1) for each, value in settings.items()})


def _as_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise NotStrict("has a header with a value of unknown form.")
    return value


def _as_pair(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise NotStrict("has a header with a value of unknown form.")
    return value


_TAGS: dict[str, Callable[[Decoder, Any, int], Any]] = {
    "array": Decoder._array,
    "columns": Decoder._columns,
    "words": Decoder._words,
    "objects": Decoder._objects,
    "float": Decoder._float,
    "number": Decoder._number,
    "tuple": Decoder._tuple,
    "list": Decoder._list,
    "dict": Decoder._dict,
    "record": Decoder._record,
    "enum": Decoder._enum,
    "kernel": Decoder._kernel,
    "sum": Decoder._sum,
    "likelihood": Decoder._likelihood,
}
