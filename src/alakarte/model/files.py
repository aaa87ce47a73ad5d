"""Models in files: what an estimator is made of ↔ one file that runs no code.

In: the name of a class, settings and attributes by name. Out: a file, and the same from it; or `InvalidFile`. What may
stand in it is listed in `catalogue.py`; which classes of estimators there are is for others to know.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from alakarte.errors import InvalidFile, InvalidInput
from alakarte.model.catalogue import BY_NAME
from alakarte.model.container import Contents, Entry, read, read_text, write
from alakarte.model.decode import Decoder
from alakarte.model.encode import Encoder
from alakarte.model.strict_json import NotStrict, parse

LIBRARIES = ("alakarte", "numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Parts:
    """What an estimator is made of."""

    kind: str  # name of its class
    settings: dict[str, Any]
    attributes: dict[str, Any]
    about: dict[str, Any]  # for who looks into the file without reading its arrays: plain values


@dataclass(frozen=True)
class Overview:
    """What a file says of itself."""

    about: dict[str, Any]
    arrays: dict[str, Entry]


def write_parts(path: str | Path, parts: Parts) -> None:
    """Write a file, whole or not at all."""
    encoder = Encoder()
    try:
        settings, attributes = (
            {name: encoder.encode(value, name) for name, value in part.items()}
            for part in (parts.settings, parts.attributes)
        )
    except NotStrict as error:
        raise InvalidInput(f"This model cannot be kept in a file: it {error}") from None
    model = {"class": parts.kind, "settings": settings, "attributes": attributes, "records": encoder.records}
    holds_rows = any(BY_NAME[name].are_rows for name, _ in encoder.records)
    versions = {library: version(library) for library in LIBRARIES}
    about = parts.about | {"holds_training_rows": holds_rows, "versions": versions}
    text = {"about": _json(about), "model": _json(model)}
    write(Path(path), Contents(text, encoder.arrays))


def read_parts(path: str | Path) -> Parts:
    """What was written; InvalidFile unless all of it is as it was, and of a known form."""
    contents = read(Path(path))
    with refused(path):
        return _parts(contents)


@contextmanager
def refused(path: str | Path) -> Iterator[None]:
    """Within it, what does not fit becomes an InvalidFile with path and reason."""
    try:
        yield
    except NotStrict as error:
        raise InvalidFile(f"{path}: {error}") from None
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise InvalidFile(f"{path}: has parts that do not belong together.") from None


def _parts(contents: Contents) -> Parts:
    about, model = _text(contents.text)
    if model.keys() != {"class", "settings", "attributes", "records"}:
        raise NotStrict("has a header without a model.")
    decoder = Decoder(contents.arrays, model["records"])
    named = [model["settings"], model["attributes"]]
    if not isinstance(model["class"], str) or not all(isinstance(part, dict) for part in named):
        raise NotStrict("has a header without a model.")
    settings, attributes = ({name: decoder.decode(value) for name, value in part.items()} for part in named)
    if unused := contents.arrays.keys() - decoder.used:
        raise NotStrict(f"holds an array that belongs to nothing, {sorted(unused)[0]!r:.80}.")
    return Parts(model["class"], settings, attributes, about)


def overview(path: str | Path) -> Overview:
    """What a file says of itself, its hash checked, its arrays not kept."""
    text, entries = read_text(Path(path))
    with refused(path):
        return Overview(_text(text)[0], entries)


def _text(text: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a file says of itself, and its model."""
    if text.keys() != {"format", "version", "sha256", "about", "model"}:
        raise NotStrict("has a header without a model.")
    return parse(text["about"]), parse(text["model"])


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
