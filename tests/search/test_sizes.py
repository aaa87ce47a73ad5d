"""Components and frequencies that the user leaves open follow the rows; numbers that are given stay."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels.registry import resolve
from alakarte.search.cost import evaluation_flops, learning_columns
from alakarte.search.policy import (
    FIRST_COMPONENTS,
    LEARNING_COLUMNS,
    LEARNING_FREQUENCIES,
    ROWS_IN_PLENTY,
    ROWS_TO_BEAR,
)
from alakarte.search.sizes import choose_sizes
from problems import naming


@pytest.mark.parametrize(
    ("kernel", "per_component", "columns"), [("gm", lambda d: 2 * d + 1, 4), ("pwl", lambda d: d + 3, 2)]
)
def test_every_component_has_rows_behind_it(kernel, per_component, columns):
    for d in (1, 8, 33):
        with naming(d):
            for n_rows in (1, 100, 1000, 10_000, 1_000_000):
                q, m = choose_sizes(resolve(kernel), None, None, n_rows, d)
                assert q == 1 or q * per_component(d) * ROWS_TO_BEAR <= n_rows
                assert q >= FIRST_COMPONENTS or (q + 1) * per_component(d) * ROWS_TO_BEAR > n_rows
                many = n_rows >= 2 * FIRST_COMPONENTS * per_component(d) * ROWS_IN_PLENTY
                assert (q == 2 * FIRST_COMPONENTS) == many
                wanted = max(LEARNING_FREQUENCIES, learning_columns(n_rows) // columns)
                assert q * m <= wanted < (q + 1) * m + q


def test_mixtures_learn_with_as_many_columns_as_are_cheap():
    columns = [learning_columns(n_rows) for n_rows in (20, 500, 1000, 2000, 4000, 10_000, 10**6)]
    assert columns == sorted(columns, reverse=True)
    assert columns[0] == LEARNING_COLUMNS[0][0]
    assert columns[-1] == 2 * LEARNING_FREQUENCIES
    for n_rows in (100, 1000, 2000, 4000):
        assert evaluation_flops(n_rows, learning_columns(n_rows)) <= dict(LEARNING_COLUMNS)[learning_columns(n_rows)]


def test_given_numbers_stay():
    assert choose_sizes(resolve("gm"), 7, 3, 5, 2) == (7, 3)
    assert choose_sizes(resolve("gm"), 2, None, 10**6, 2) == (2, 64)
    assert choose_sizes(resolve("ard"), None, None, 10**6, 2) == (1, LEARNING_FREQUENCIES)


def test_a_fit_says_what_it_used():
    X = np.random.default_rng(0).standard_normal((130, 1))
    model = GPRegressor("gm", max_iter=0, n_posterior_frequencies=None, random_state=0).fit(X, X[:, 0])
    assert (model.n_components_, model.n_frequencies_) == (4, LEARNING_COLUMNS[0][0] // 16)
    assert model.kernel_.centre.shape == (4, 1)
    assert model.n_basis_ == LEARNING_COLUMNS[0][0]
