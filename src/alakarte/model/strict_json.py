"""JSON without surprises: no name twice, no NaN, no number of thousands of digits, bounded memory.

In: bytes. Out: an object of plain values, or `NotStrict`.
"""

import json
from typing import Any

MOST_VALUES = 200_000  # a model has some hundred; each takes up to a hundred bytes


class NotStrict(Exception):
    """What is wrong, in words that follow the path of a file."""


def parse(text: bytes | str) -> dict[str, Any]:
    """The object that a text is."""
    raw = text.encode() if isinstance(text, str) else text
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MOST_VALUES:
        raise NotStrict(f"has a header of more than {MOST_VALUES:,} values.")
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_int=_whole,
            parse_float=_finite,
        )
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        raise NotStrict("has a header that is no JSON.") from None
    if not isinstance(value, dict):
        raise NotStrict("has a header that is no object.")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStrict("has a header with a name that comes twice.")
    return found


def _no_number(name: str) -> None:
    raise NotStrict(f"has {name} in its header, which is no number.")


def _whole(digits: str) -> int:
    """A number of at most 64 bits."""
    if len(digits) > 20:
        raise NotStrict("has a whole number of too many digits in its header.")
    return int(digits)


def _finite(digits: str) -> float:
    """A number that a float64 can hold."""
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise NotStrict("has a number beyond all bounds in its header.")
    return value
