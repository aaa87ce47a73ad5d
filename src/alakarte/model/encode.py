"""From values to what JSON and arrays can say.

In: plain values, arrays, records of `catalogue.py`, kernels and likelihoods. Out: JSON values, in which all but plain
ones are objects of one name, such as {"array": "posterior.factor"}; the arrays by name; the records in an order in
which each refers to earlier ones only. What is held twice is written once.
"""

import hashlib
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from alakarte.errors import InvalidInput
from alakarte.kernels.base import Kernel
from alakarte.kernels.registry import kernels
from alakarte.kernels.sum import Sum
from alakarte.likelihoods.base import Likelihood
from alakarte.likelihoods.registry import likelihoods
from alakarte.model.catalogue import BY_CLASS, ENUMS
from alakarte.model.container import AnyArray, can_hold
from alakarte.model.kept import Sizes


class Encoder:
    """Collects the arrays and records of what it is asked to encode."""

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}
        self.records: list[list[Any]] = []
        self._names: dict[bytes, str] = {}  # of arrays, by what they hold
        self._places: dict[int, int] = {}  # of records, by identity
        self._sizes: dict[int, Sizes] = {}
        self._alive: list[Any] = []  # so that no identity is used again

    def encode(self, value: Any, path: str) -> Any:
        """A JSON value for what stands at `path`, a dotted name for messages and arrays."""
        if value is None or type(value) in (bool, int, str):
            return value
        for kinds, method in _METHODS:
            if isinstance(value, kinds):
                return method(self, value, path)
        return self._record(value, path)

    def _float(self, value: float, path: str) -> Any:
        return value if np.isfinite(value) else {"float": str(float(value))}

    def _number(self, value: np.generic, path: str) -> Any:
        """A number of NumPy, with its type."""
        if value.dtype.kind not in "biuf":
            raise InvalidInput(f"{path} = {value!r:.80} cannot be kept in a file: give it as a plain number or word.")
        return {"number": [value.dtype.name, self.encode(value.item(), path)]}

    def _array(self, array: AnyArray, path: str) -> Any:
        """A reference: to a row-major array, to one in Fortran's order, or to the code points of words."""
        if array.dtype.kind in "OUT":
            return self._words(array, path)
        if not can_hold(array):
            raise InvalidInput(f"{path} has dtype {array.dtype}, which cannot be kept in a file.")
        if array.flags.f_contiguous and not array.flags.c_contiguous:
            return {"columns": self._stored(array.T, path)}
        return {"array": self._stored(array, path)}

    def _words(self, array: AnyArray, path: str) -> Any:
        words = array.astype(str) if array.dtype.kind != "O" else np.array(array.tolist())
        if words.dtype.kind != "U" or (
            array.dtype.kind == "O" and not all(isinstance(word, str) for word in array.flat)
        ):
            raise InvalidInput(f"{path} holds objects that are no words: turn them into words or numbers.")
        width = words.dtype.itemsize // 4
        points = np.ascontiguousarray(words).view(np.uint32).reshape(*words.shape, width)
        return {"objects" if array.dtype.kind == "O" else "words": self._stored(points, path)}

    def _stored(self, array: AnyArray, path: str) -> str:
        """The name of an array; the same for arrays that hold the same."""
        array = np.ascontiguousarray(array).reshape(array.shape)
        key = hashlib.sha256(f"{array.dtype.str} {array.shape}".encode())
        key.update(array.reshape(-1).view(np.uint8).data)
        name = self._names.setdefault(key.digest(), path)
        self.arrays.setdefault(name, array)
        return name

    def _sequence(self, values: Any, path: str) -> Any:
        kind = "tuple" if isinstance(values, tuple) else "list"
        return {kind: [self.encode(value, f"{path}.{place}") for place, value in enumerate(values)]}

    def _dict(self, values: dict[Any, Any], path: str) -> Any:
        return {
            "dict": [[self.encode(key, path), self.encode(value, f"{path}.{key}")] for key, value in values.items()]
        }

    def _enum(self, value: Enum, path: str) -> Any:
        if ENUMS.get(type(value).__name__) is not type(value):
            raise _not_listed(value, path)
        return {"enum": [type(value).__name__, value.value]}

    def _kernel(self, kernel: Kernel, path: str) -> Any:
        if type(kernel) is Sum:
            return {"sum": [self.encode(term, f"{path}.{place}") for place, term in enumerate(kernel.terms)]}
        return {"kernel": self._by_settings(kernel, kernels().get(kernel.name), path)}

    def _likelihood(self, likelihood: Likelihood, path: str) -> Any:
        return {"likelihood": self._by_settings(likelihood, likelihoods().get(likelihood.name), path)}

    def _by_settings(self, value: Kernel | Likelihood, listed: type | None, path: str) -> Any:
        """Name and settings of a kernel or likelihood of this package."""
        if type(value) is not listed:
            raise InvalidInput(
                f"{path} is {type(value).__name__}, which is not part of alakarte: a file that runs no code cannot "
                "hold it. Use pickle for such a model."
            )
        settings = value.get_params(deep=False)
        return [value.name, {name: self.encode(part, f"{path}.{name}") for name, part in settings.items()}]

    def _record(self, record: Any, path: str) -> Any:
        """A reference to a record, which is checked as it will be when it is read."""
        if id(record) not in self._places:
            listed = BY_CLASS.get(type(record))
            if listed is None:
                raise _not_listed(record, path)
            values = {name: getattr(record, name) for name in listed.written}
            encoded = {name: self.encode(value, f"{path}.{name}") for name, value in values.items()}
            sizes = listed.made(values, self._sizes_of)[1]
            self._places[id(record)], self._sizes[id(record)] = len(self.records), sizes
            self._alive.append(record)
            self.records.append([listed.name, encoded])
        return {"record": self._places[id(record)]}

    def _sizes_of(self, value: Any) -> Sizes:
        return self._sizes.get(id(value), {})


def _not_listed(value: Any, path: str) -> InvalidInput:
    return InvalidInput(
        f"{path} is a {type(value).__name__}, which model files do not know: it belongs into model/catalogue.py."
    )


_METHODS: tuple[tuple[Any, Callable[[Encoder, Any, str], Any]], ...] = (
    (np.generic, Encoder._number),  # before float: a float64 is one
    (float, Encoder._float),
    (np.ndarray, Encoder._array),
    (tuple | list, Encoder._sequence),
    (dict, Encoder._dict),
    (Enum, Encoder._enum),
    (Kernel, Encoder._kernel),
    (Likelihood, Encoder._likelihood),
)
