"""Columns of Arrow as numbers: every type of number exactly, levels looked up once per batch."""

import decimal

import numpy as np
import pytest

from alakarte import InvalidInput, scan_arrow
from alakarte.data.decode import KnownLevels, NewLevels, NumberReader, fits_single, is_number
from data.parquet import pa


def batch_of(**columns):
    rows = scan_arrow(pa.table(columns))
    return next(rows.source.batches(rows.columns))


def test_numbers_of_every_type():
    halves = [decimal.Decimal("1.5"), decimal.Decimal("-2.5")]
    for column in (
        pa.array([1, -2], pa.int8()),
        pa.array([1, 2**53], pa.int64()),
        pa.array([True, False]),
        pa.array(halves, pa.decimal128(5, 2)),
        pa.array([1.5, -2.5], pa.float32()),
    ):
        assert is_number(column.type)
        values = NumberReader("X", "a").read(batch_of(a=column), None)
        assert values.astype(float).tolist() == [float(value) for value in column.to_pylist()]


def test_what_single_precision_holds():
    single = [pa.int8(), pa.uint16(), pa.bool_(), pa.float16(), pa.float32()]
    double = [pa.int32(), pa.int64(), pa.float64(), pa.uint32(), pa.decimal128(3)]
    assert all(map(fits_single, single))
    assert not any(map(fits_single, double))


@pytest.mark.parametrize("kind", [pa.string(), pa.timestamp("s"), pa.date32(), pa.list_(pa.float64()), pa.binary()])
def test_other_types_are_refused(kind):
    with pytest.raises(InvalidInput, match=r"X holds .* in column 3 \('a'\)\. alakarte needs numbers"):
        NumberReader("X", "a", 3).check_type(kind)


def test_large_finite_values_pass():
    values = NumberReader("X", "a").read(batch_of(a=[1.7e308, 1.7e308]), None)
    assert values.tolist() == [1.7e308, 1.7e308]


def test_levels_in_order_of_appearance_then_in_their_own():
    reader = NewLevels("X", "a", 0)
    first = reader.read(batch_of(a=["v", None, "u", "v"]), None)
    kept = np.array([True, False, True])
    second = reader.read(batch_of(a=pa.array(["w", "x", "u"]).dictionary_encode()), kept)
    assert [first.tolist(), second.tolist()] == [[0, np.inf, 1, 0], [2, 1]]
    reader.n_rows = 100
    levels = reader.levels()
    assert levels.values.tolist() == ["u", "v", "w"]
    assert levels.missing
    assert reader.renumbered(first, levels).tolist() == [1, np.inf, 0, 1]
    assert reader.renumbered(second, levels).tolist() == [2, 0]
    known = KnownLevels("X", "a", 0, levels)
    assert known.read(batch_of(a=["w", None, "z", "z"]), None).tolist() == [2, np.inf, -np.inf, -np.inf]
    assert (known.unknown, known.n_unknown) == ({"z"}, 2)


def test_numbers_as_levels_stand_for_themselves_and_nan_for_none():
    reader = NewLevels("X", "a", 0)
    codes = reader.read(batch_of(a=[7.0, np.nan, 3.0, 7.0]), None)
    reader.n_rows = 100
    levels = reader.levels()
    assert reader.renumbered(codes, levels).tolist() == [7, np.inf, 3, 7]
    assert levels.missing


def test_too_many_levels_end_the_reading():
    reader = NewLevels("X", "a", 0)
    with pytest.raises(InvalidInput, match=r"column 0 \('a'\) has 300 levels in 300 rows"):
        reader.read(batch_of(a=[str(i) for i in range(300)]), None)
