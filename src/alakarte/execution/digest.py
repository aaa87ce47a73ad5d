"""A short name for values: equal values have the same name, in every process; others have another.

In: numbers, words, arrays, functions, and records of these. Out: hexadecimal digits. What is too large to be read as a
whole says what stands for it: its class registers with `stands_for`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial, singledispatch
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator


def digest(*values: object) -> str:
    """The name of some values."""
    state = hashlib.sha256()
    _feed(state, values)
    return state.hexdigest()


def _feed(state: Any, value: object) -> None:
    plain = stands_for(value)
    if isinstance(plain, np.ndarray):
        state.update(f"array {plain.dtype.str} {plain.shape} ".encode())
        state.update(np.ascontiguousarray(plain).data.cast("B") if plain.size else b"")
    elif isinstance(plain, tuple):
        state.update(f"{len(plain)} parts ".encode())
        for part in plain:
            _feed(state, part)
    else:
        state.update(f"{type(plain).__name__} {plain!r} ".encode())


@singledispatch
def stands_for(value: Any) -> Any:
    """An array, a tuple, or a value that its own text tells from others; records are their fields."""
    if is_dataclass(value):
        return (type(value).__name__, *(getattr(value, each.name) for each in fields(value) if each.compare))
    if callable(value):
        return f"{value.__module__}.{value.__qualname__}"
    return value


@stands_for.register(np.ndarray)
@stands_for.register(tuple)
def _as_it_is(value: Any) -> Any:
    return value.astype(str) if isinstance(value, np.ndarray) and value.dtype.hasobject else value


@stands_for.register(list)
def _list(value: list[Any]) -> Any:
    return tuple(value)


@stands_for.register(Mapping)
def _mapping(value: Mapping[Any, Any]) -> Any:
    return tuple(sorted(value.items(), key=lambda pair: str(pair[0])))


@stands_for.register(Enum)
@stands_for.register(np.dtype)
def _by_text(value: Any) -> Any:
    return str(value)


@stands_for.register(partial)
def _partial(value: Any) -> Any:
    return value.func, value.args, value.keywords


@stands_for.register(BaseEstimator)
def _estimator(value: Any) -> Any:
    return type(value).__name__, value.get_params(deep=False)
