"""Rows in pieces on a cluster beside the same rows in memory: sums, values per row, subsets."""

import itertools
import os
import time
from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data import cluster_rows, merge, pieces, table
from alakarte.data.cluster_rows import _seams, _whole_blocks
from alakarte.data.rows import LANE_ROWS, Work
from alakarte.data.table import training_table
from alakarte.data.triangles import packed
from alakarte.execution import cluster as clusters
from alakarte.execution.checkpoint import Checkpoint, open_checkpoint
from alakarte.execution.tree import results_of
from alakarte.likelihoods import Gaussian
from data.clusters import chunked, cluster, da, made

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


def add_outer(sums, scratch, block, power):
    sums[0] += np.tril(block.x.T @ block.x)
    sums[1] += (block.weight[:, None] * block.y**power).sum(axis=0)


def of_each_row(scratch, block, factor):
    return factor * block.x[:, :2] + block.y * block.weight[:, None]


def zeros():
    return [np.zeros((3, 3), order="F"), np.zeros(1)]


def test_they_answer_as_rows_in_memory_do(monkeypatch):
    for module in (merge, pieces, table):
        monkeypatch.setattr(module, "MERGE_ROWS", 100)
    X, y, weight = made(2000)
    own = training_table(GPRegressor(), X, y, weight, Gaussian().scaling).rows
    with cluster(2):
        rows = training_table(GPRegressor(), *chunked(X, y, weight), Gaussian().scaling).rows
        assert (rows.n_rows, rows.n_inputs, rows.n_targets, rows.total) == (own.n_rows, 3, 1, own.total)
        picked = np.arange(3, rows.n_rows, 7)
        other = np.cos(own.targets()[0]), np.linspace(1, 2, rows.n_rows)
        for ours, theirs in ((rows, own), (rows.with_targets(*other), own.with_targets(*other))):
            for a, b in zip(ours.targets(), theirs.targets(), strict=True):
                assert np.array_equal(a, b)
            for a, b in ((ours.whole(), theirs.whole()), (ours.take(picked).whole(), theirs.take(picked).whole())):
                assert all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("x", "y", "weight"))
            for a, b in zip(*(each.map_sum(add_outer, zeros, 3, work=Work()) for each in (ours, theirs)), strict=True):
                assert np.array_equal(a, b)
            for work in (Work(), Work(n_columns=2048)):  # the second has blocks that lie in two pieces
                a, b = (each.map_rows(of_each_row, 2, 1.5, work=work) for each in (ours, theirs))
                assert np.array_equal(a, b)


def add_watched(sums, scratch, block):
    """The same slowly, as long as it is allowed to."""
    time.sleep(0.02)
    visited.append(len(block.x))
    if sum(visited) > allowed:
        raise ZeroDivisionError
    add_outer(sums, scratch, block, 3)


def test_a_pass_goes_on_after_its_driver_at_the_lanes_where_it_was(monkeypatch, tmp_path):
    for module in (merge, pieces, table):
        monkeypatch.setattr(module, "MERGE_ROWS", 100)
    monkeypatch.setattr(clusters, "LOOK", 0.02)
    n = 6 * LANE_ROWS  # as many lanes
    X, y, _ = made(n)
    own = training_table(GPRegressor(), X, y, None, Gaussian().scaling).rows
    path, lane = str(tmp_path / "fit.ckpt"), n // 6
    for n_bytes in (0, 1e9):  # sums are added by the workers, or here where nothing is remembered
        monkeypatch.setattr(cluster_rows, "ON_DRIVER", n_bytes)
        with cluster(1):
            monkeypatch.setitem(globals(), "allowed", 4.5 * lane)
            visited.clear()
            with pytest.raises(ZeroDivisionError):
                sums_of_watched(X, y, Checkpoint(path, 0))
        monkeypatch.setitem(globals(), "allowed", n)
        visited.clear()
        checkpoint = open_checkpoint(path, 0)
        [(nodes, *_)] = checkpoint.results.values()
        lanes = [index for level, number in nodes for index in results_of((int(level), int(number)), 6)]
        assert sorted(lanes) == [0, 1, 2, 3]
        assert len(nodes) < 4  # some of them were added
        with cluster(1):
            sums = sums_of_watched(X, y, checkpoint)
        assert sum(visited) == 2 * lane
        expected = own.map_sum(add_outer, zeros, 3, work=Work())
        assert all(np.array_equal(a, b) for a, b in zip(sums, expected, strict=True))
        # the same file serves an array
        visited.clear()
        assert replace(own, checkpoint=open_checkpoint(path, 0)).map_sum(add_watched, zeros, work=Work())[1] == sums[1]
        assert not visited
        os.unlink(path)


def test_sums_that_a_checkpoint_has_asked_for_are_kept_though_the_file_is_written_meanwhile(tmp_path):
    checkpoint = Checkpoint(str(tmp_path / "x"), 1000)
    checkpoint.written -= 1001
    memory = cluster_rows.ClusterRows(None, None, 1.0, checkpoint=checkpoint)._memory("a pass", {})
    assert memory.is_time()
    checkpoint.write()  # by another thread
    memory.keep({(1, 0): [packed(np.eye(3, order="F"))]}, [(1, 0)])
    assert checkpoint.recall_sums("a pass")[1, 0][0].tolist() == np.eye(3).tolist()


def sums_of_watched(X, y, checkpoint):
    collections = da.from_array(X, chunks=(len(X) // 5, 3)), da.from_array(y, chunks=len(X) // 5)
    rows = training_table(GPRegressor(), *collections, None, Gaussian().scaling).rows
    return replace(rows, checkpoint=checkpoint).map_sum(add_watched, zeros, work=Work())


visited, allowed = [], 0


def test_each_block_lies_in_a_piece_or_in_a_seam():
    edges = np.array([0, 300, 600, 900, 1200])
    for of_pieces in ([0, 600, 1200], [0, 500, 1200], [0, 310, 590, 1200]):
        places = np.array(of_pieces)
        blocks = [pair for run in _whole_blocks(edges, places) for pair in itertools.pairwise(run)]
        found = sorted([(int(a), int(b)) for a, b in blocks] + _seams(edges, places))
        assert found == [(0, 300), (300, 600), (600, 900), (900, 1200)]
