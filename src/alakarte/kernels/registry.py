"""Kernels by name: every class in this folder that has a `name` is found; a sum has those of its parts."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Any

from alakarte.errors import InvalidInput
from alakarte.kernels.base import Kernel
from alakarte.kernels.sum import Sum

_ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    "matern12": ("matern", {"nu": 0.5}),
    "matern32": ("matern", {"nu": 1.5}),
    "matern52": ("matern", {"nu": 2.5}),
}


@cache
def kernels() -> dict[str, type[Kernel]]:
    """Every kernel class by its name."""
    by_name = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        for value in vars(importlib.import_module(f"alakarte.kernels.{module.name}")).values():
            is_kernel = isinstance(value, type) and issubclass(value, Kernel) and value not in (Kernel, Sum)
            if is_kernel:
                by_name[value.name] = value
    return by_name


def resolve(kernel: object) -> Kernel:
    """A kernel object from a name or an object."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        name, settings = _ALIASES.get(kernel, (kernel, {}))
        if name in kernels():
            return kernels()[name](**settings)
    names = ", ".join(sorted({*kernels(), *_ALIASES}))
    raise InvalidInput(f"kernel={kernel!r} is not known: use auto, {names}, or an object from alakarte.kernels.")
