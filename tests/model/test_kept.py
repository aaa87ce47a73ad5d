"""Types and shapes of records: what fits is taken, what does not is named."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from alakarte.model.kept import fits, kept
from alakarte.model.strict_json import NotStrict
from alakarte.records import Array, Flags, Integers


@dataclass(frozen=True)
class Inner:
    """Some numbers."""

    values: Array  # (n,)


@dataclass(frozen=True)
class Outer:
    """A factor, places in it, and records beside it."""

    factor: Array  # (n, n)
    places: Integers  # (k,)
    inner: tuple[Inner, ...]
    scale: float = 1.0
    more: Array | None = None


INNER = kept(Inner, values="n")
OUTER = kept(Outer, factor="n n lower", places="k < n", inner="n", more="k", unbounded=("scale",))


def sizes_of(value):
    return {"n": value.values.size} if isinstance(value, Inner) else {}


def fields(**changed):
    good = {"factor": np.eye(3), "places": np.array([0, 2]), "inner": (Inner(np.ones(3)), Inner(np.zeros(3)))}
    return good | changed


def test_what_fits_is_made_with_its_sizes():
    record, sizes = OUTER.made(fields(scale=np.inf, more=np.zeros(2)), sizes_of)
    assert isinstance(record, Outer)
    assert sizes == {"n": 3, "k": 2}


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"factor": np.ones((3, 2))}, "factor has size 2"),
        ({"factor": np.ones(3)}, "factor has 1 axes"),
        ({"factor": np.diag([1.0, 0.0, 1.0])}, "factor is no factor"),
        ({"factor": np.full((3, 3), np.nan)}, "factor is not finite"),
        ({"factor": np.eye(3, dtype=int)}, "factor is of the wrong kind"),
        ({"places": np.array([0, 3])}, "places points outside"),
        ({"places": np.array([-1])}, "places points outside"),
        ({"inner": (Inner(np.ones(2)),)}, "inner has size 2"),
        ({"inner": (1,)}, "inner is of the wrong kind"),
        ({"inner": [Inner(np.ones(3))]}, "inner is of the wrong kind"),
        ({"more": np.zeros(3)}, "more has size 3"),
        ({"scale": True}, "scale is of the wrong kind"),
        ({"other": 1}, "other fields than"),
    ],
)
def test_what_does_not_fit_is_named(changed, text):
    with pytest.raises(NotStrict, match=text):
        OUTER.made(fields(**changed), sizes_of)


def test_a_field_may_be_absent_only_if_it_has_a_default():
    assert OUTER.made(fields(), sizes_of)[0].scale == 1.0
    with pytest.raises(NotStrict, match="other fields"):
        INNER.made({}, sizes_of)


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        (1, int, True),
        (np.int64(1), int, True),
        (1, float, True),
        (True, int, False),
        (1.5, int, False),
        ("a", str, True),
        (None, int | None, True),
        (None, None, True),
        ("a", int | None, False),
        (object(), Any, True),
        ((1, 2), tuple[int, ...], True),
        ((1, "a"), tuple[int, ...], False),
        ((), tuple[()], True),
        ((1, "a"), tuple[int, str], True),
        ((1,), tuple[int, str], False),
        ([1], list[int], True),
        ({"a": [1]}, dict[str, list[int]], True),
        ({1: [1]}, dict[str, list[int]], False),
        (np.ones(2), Array, True),
        (np.ones(2, bool), Flags, True),
        (np.ones(2), Integers, False),
        ([1.0], Array, False),
    ],
)
def test_types_of_records(value, hint, expected):
    assert fits(value, hint) == expected
