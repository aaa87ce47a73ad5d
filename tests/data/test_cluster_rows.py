"""Rows in pieces on a cluster beside the same rows in memory: sums, values per row, subsets."""

import itertools

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data import merge, pieces, table
from alakarte.data.cluster_rows import _seams, _whole_blocks
from alakarte.data.rows import Work
from alakarte.data.table import training_table
from alakarte.likelihoods import Gaussian
from data.clusters import chunked, cluster, made

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


def test_each_block_lies_in_a_piece_or_in_a_seam():
    edges = np.array([0, 300, 600, 900, 1200])
    for of_pieces in ([0, 600, 1200], [0, 500, 1200], [0, 310, 590, 1200]):
        places = np.array(of_pieces)
        blocks = [pair for run in _whole_blocks(edges, places) for pair in itertools.pairwise(run)]
        found = sorted([(int(a), int(b)) for a, b in blocks] + _seams(edges, places))
        assert found == [(0, 300), (300, 600), (600, 900), (900, 1200)]
