"""Likelihoods by name: every class in this folder that has a `name` is found."""

import importlib
import inspect
import pkgutil
from functools import cache
from pathlib import Path

from alakarte.errors import InvalidInput
from alakarte.likelihoods.base import Likelihood


@cache
def likelihoods() -> dict[str, type[Likelihood]]:
    """Every likelihood class by its name."""
    by_name: dict[str, type[Likelihood]] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        for value in vars(importlib.import_module(f"alakarte.likelihoods.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Likelihood) and not inspect.isabstract(value):
                by_name[value.name] = value
    return by_name


def resolve_likelihood(likelihood: object, allowed: tuple[str, ...]) -> Likelihood:
    """A likelihood object from one of the allowed names, or from an object of one of these."""
    found = likelihoods()[likelihood]() if isinstance(likelihood, str) and likelihood in allowed else likelihood
    if isinstance(found, Likelihood) and found.name in allowed:
        return found
    raise InvalidInput(
        f"likelihood={likelihood!r} is not for this estimator: use one of {', '.join(allowed)}, or an object of "
        "alakarte.likelihoods that is one of these."
    )
