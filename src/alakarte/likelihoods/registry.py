"""Likelihoods by name: every class in this folder that has a `name` is found."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from alakarte.likelihoods.base import Likelihood


@cache
def likelihoods() -> dict[str, type[Likelihood]]:
    """Every likelihood class by its name."""
    by_name: dict[str, type[Likelihood]] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        for value in vars(importlib.import_module(f"alakarte.likelihoods.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Likelihood) and value is not Likelihood:
                by_name[value.name] = value
    return by_name
