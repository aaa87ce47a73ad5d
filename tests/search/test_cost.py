"""What an evaluation costs, and the sizes that follow from it."""

from alakarte.search.cost import (
    closed_flops,
    compare_columns,
    learning_columns,
    local_flops,
    most_columns,
    posterior_flops,
)
from alakarte.search.policy import LEARN_CLOSED_FLOPS
from problems import naming


def test_pairs_of_rows_cost_the_more_the_more_inputs_and_components():
    assert closed_flops(1300, 128, 1) < LEARN_CLOSED_FLOPS < closed_flops(1300, 128, 4)
    assert closed_flops(1000, 8, 8) < LEARN_CLOSED_FLOPS < closed_flops(2000, 1, 1)


def test_sizes_stay_within_flops_and_memory():
    for n_rows in (30, 1000, 40_000, 2_000_000, 10**8):
        with naming(n_rows):
            most = most_columns(n_rows)
            assert 64 <= most <= 4096
            assert posterior_flops(n_rows, most) <= 4.1e12 or most == 64
            assert 512 <= compare_columns(n_rows) <= min(max(2048, learning_columns(n_rows)), 4096)


def test_learning_by_neighbours_grows_with_inputs_and_not_with_rows():
    assert local_flops(8) < local_flops(80) < 1e13
