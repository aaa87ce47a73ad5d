"""How rows are cut: by the size of the table and of the sums, never by threads."""

import numpy as np

from alakarte.data.rows import LANE_BYTES, LANES, TWO_LANES, Work, add_sums, lane_edges


def test_lanes_cover_all_rows_in_order():
    for n_rows in (1, 7, TWO_LANES - 1, TWO_LANES, 10**5, 10**7):
        edges = lane_edges(n_rows, 8)
        assert (edges[0], edges[-1]) == (0, n_rows)
        assert (np.diff(edges) > 0).all()


def test_small_tables_have_one_lane_and_large_sums_two():
    assert len(lane_edges(TWO_LANES - 1, 8)) == 2
    assert len(lane_edges(10**7, 8)) == LANES + 1
    assert len(lane_edges(10**7, int(LANE_BYTES))) == 3


def test_a_billion_rows_feed_a_hundred_workers():
    assert len(lane_edges(10**9, 8)) > 200
    assert len(lane_edges(10**9, 8 * 1024**2)) > 200


def test_blocks_grow_with_the_columns_and_not_with_the_threads():
    assert Work(64).block_rows <= Work(4096).block_rows
    assert Work(1024, n_jobs=1).block_rows == Work(1024, n_jobs=8).block_rows
    assert Work(1024, itemsize=4).block_rows > Work(1024, itemsize=8).block_rows


def test_sums_grow_in_place():
    sums, others = [np.array([1e16]), np.array(1.0)], [np.array([1.0]), np.array(2.0)]
    total = add_sums(sums, others)
    assert total[0] is sums[0]
    assert (total[0][0], total[1]) == (1e16 + 1.0, 3.0)
    assert others[0][0] == 1
