"""Sums over lanes of rows: the same bits on any number of threads, and errors that get through."""

import time

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.data.pieces import over_pieces
from alakarte.data.rows import Work, lane_edges
from problems import scaling_of

THREADS = (1, 2, 3, 8)


def _add_slowly(sums, scratch, block):
    """Sums that depend on their order to the last bit, and lanes that do not end in the order they began."""
    time.sleep(1e-3 * (len(block.x) % 3) + 2e-3 * float(block.weight[0]))
    sums[0] += (block.x**3 * block.y).sum(axis=0)
    sums[1] += block.weight.sum()


def test_map_sum_adds_in_the_order_of_the_table(monkeypatch):
    monkeypatch.setattr("alakarte.data.rows.LANE_ROWS", 3)
    monkeypatch.setattr("alakarte.data.rows.TWO_LANES", 1)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((41, 3)) * 10.0 ** rng.integers(-8, 8, (41, 1))
    rows = ArrayRows(x, rng.standard_normal((41, 1)), rng.uniform(0, 1, 41), block_rows=2)
    assert len(lane_edges(rows.n_rows, 32)) > 5
    sums = [
        rows.map_sum(_add_slowly, lambda: [np.zeros(3), np.zeros(())], work=Work(n_jobs=n_jobs)) for n_jobs in THREADS
    ]
    for other in sums[1:]:
        assert np.array_equal(sums[0][0], other[0])
        assert sums[0][1] == other[1]
    assert np.allclose(sums[0][0], (x**3 * rows.y).sum(axis=0), rtol=1e-12)
    assert np.isclose(sums[0][1], rows.total, rtol=1e-14)


def test_one_weight_for_all_has_the_bits_of_a_weight_for_each():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((3000, 2)), rng.standard_normal((3000, 1))
    parts = []
    for weight in (np.full(3000, 0.3), np.broadcast_to(np.float64(0.3), 3000)):
        rows = ArrayRows(x, y, weight, scaling=scaling_of(x, y))
        [total] = rows.map_sum(_add_product, lambda: [np.zeros(1)], work=Work())
        parts.append([total[0], *over_pieces(x, weight, lambda values, w: float(w @ values[:, 0]))])
        assert rows.targets()[1].flags.c_contiguous
    assert parts[0] == parts[1]


def _add_product(sums, scratch, block):
    sums[0] += block.weight @ block.y


def _fail(sums, scratch, block):
    raise ArithmeticError("in a thread")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_map_sum_passes_errors_on(n_jobs, monkeypatch):
    monkeypatch.setattr("alakarte.data.rows.LANE_ROWS", 3)
    monkeypatch.setattr("alakarte.data.rows.TWO_LANES", 1)
    rows = ArrayRows(np.zeros((20, 1)), np.zeros((20, 1)), np.ones(20), block_rows=2)
    with pytest.raises(ArithmeticError, match="in a thread"):
        rows.map_sum(_fail, lambda: [np.zeros(1)], work=Work(n_jobs=n_jobs))


def test_lanes_are_added_along_the_tree(monkeypatch):
    monkeypatch.setattr("alakarte.data.rows.LANE_ROWS", 3)
    monkeypatch.setattr("alakarte.data.rows.TWO_LANES", 1)
    y = np.array([1e16, 1.0, -1e16, 1.0, 0.25, 0.5, 1.0, 1e16])[:, None]
    rows = ArrayRows(np.repeat(y, 3, axis=0), np.repeat(y, 3, axis=0), np.ones(24), block_rows=3)
    assert len(lane_edges(24, 8)) == 9

    def add_first(sums, scratch, block):
        sums[0] += block.y[0, 0]

    expected = ((1e16 + 1.0) + (-1e16 + 1.0)) + ((0.25 + 0.5) + (1.0 + 1e16))
    assert expected != sum(y[:, 0].tolist())
    for n_jobs in THREADS:
        assert rows.map_sum(add_first, lambda: [np.zeros(())], work=Work(n_jobs=n_jobs)) == [expected]
