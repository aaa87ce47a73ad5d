"""Boxes of rows: every row is within one, and a gap is within none."""

import numpy as np
import pytest

from alakarte.data import boxes
from alakarte.data.arrays import ArrayRows


def within(x, found):
    return ((x[:, None] >= found.low) & (x[:, None] <= found.high)).all(axis=2).any(axis=1)


@pytest.mark.parametrize("some_rows", [20, 4096])
def test_every_row_is_within_a_box_and_a_gap_is_not(some_rows, monkeypatch):
    """Whether all rows were looked at, or some of them and then the others in blocks."""
    monkeypatch.setattr(boxes, "SOME_ROWS", some_rows)
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, (2000, 2))
    x = x[np.abs(x).max(axis=1) > 1]  # a hole in the middle
    x[17] = [50, 0]  # alone
    weight = rng.integers(1, 4, len(x)).astype(float)
    found = boxes.boxes_of(ArrayRows(x, x[:, :1], weight, block_rows=100), np.array([0.5, 0.5]))
    assert within(x, found).all()
    assert found.weight.sum() == weight.sum()
    assert 1 < len(found.weight) <= boxes.MOST
    if some_rows > 20:
        assert not within(np.array([[0.0, 0.0], [20.0, 0.0]]), found).any()


def test_few_boxes_stand_for_many():
    one = boxes.Boxes(np.zeros((1, 2)), np.ones((1, 2)), np.ones(1))
    many = one
    for step in range(3 * boxes.MOST):
        many = many.and_more(boxes.Boxes(one.low + step, one.high + step, one.weight))
    assert len(many.weight) <= 2 * boxes.MOST
    assert many.weight.sum() == 3 * boxes.MOST + 1
    assert within(np.arange(3 * boxes.MOST)[:, None] + [0.5, 0.5], many).all()


def test_rows_at_one_place_are_one_box():
    x = np.ones((5, 3))
    found = boxes.boxes_of(ArrayRows(x, x[:, :1], np.full(5, 0.1)), np.ones(3))
    assert found.low.tolist() == found.high.tolist() == [[1, 1, 1]]
    assert found.weight.sum() == pytest.approx(0.5)


def test_rows_that_leave_take_their_boxes_with_them():
    rng = np.random.default_rng(0)
    first, second = (
        ArrayRows(x, x[:, :1], np.full(60, 0.3)) for x in (rng.uniform(-1, 1, (60, 2)), rng.normal(0, 3, (60, 2)))
    )
    before = boxes.boxes_of(first, np.ones(2))
    both = before.and_more(boxes.boxes_of(second, np.ones(2)))
    after = both.without(second)
    assert np.array_equal(after.low, before.low)
    assert np.array_equal(after.high, before.high)
    assert np.allclose(after.weight, before.weight)
    part = both.without(first.take(np.arange(30)))
    assert part.weight.sum() == pytest.approx(both.weight.sum() - 9)
