"""Buffers are used again, aligned, and never travel with a pickle."""

import pickle

import numpy as np

from alakarte.execution.scratch import Scratch, ScratchPool, aligned


def test_arrays_start_at_a_cache_line_and_hold_zeros():
    for dtype in (np.float32, np.float64):
        for shape in ((1,), (3, 5), (7, 1, 2)):
            array = aligned(shape, dtype)
            assert array.shape == shape
            assert array.ctypes.data % 64 == 0
            assert not array.any()


def test_a_name_gives_the_same_memory_until_more_is_asked_for():
    scratch = Scratch()
    first = scratch.array("a", (4, 5), np.float64)
    assert np.shares_memory(first, scratch.array("a", (2, 3), np.float64))
    assert not np.shares_memory(first, scratch.array("b", (4, 5), np.float64))
    assert not np.shares_memory(first, scratch.array("a", (40, 5), np.float64))
    assert scratch.array("a", (4,), np.float32).dtype == np.float32


def test_a_pool_lends_what_is_given_back_and_a_copy_is_empty():
    pool = ScratchPool()
    with pool.borrow() as first, pool.borrow() as second:
        assert first is not second
        first.array("large", (1000, 1000), np.float64)
    with pool.borrow() as again:
        assert again in (first, second)
    assert len(pickle.dumps(pool)) < 1000
