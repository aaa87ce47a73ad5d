"""The door through which tables come in: small ones standardised in memory, large ones where they are."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data import table
from alakarte.errors import InvalidInput
from alakarte.likelihoods import Gaussian


def made(n=30, n_targets=None):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2)) * 5 + 3
    return X, rng.standard_normal(n if n_targets is None else (n, n_targets)) * 2 + 7


def test_a_small_table_is_standardised_at_once_and_a_large_one_block_by_block(monkeypatch):
    X, y = made()
    small = table.training_table(GPRegressor(), X, y, None, Gaussian().scaling)
    monkeypatch.setattr(table, "MERGE_ROWS", 0)
    large = table.training_table(GPRegressor(), X, y, None, Gaussian().scaling)
    assert small.rows.scaling is None
    assert large.rows.scaling is not None
    assert np.array_equal(small.rows.x, large.rows.whole().x)
    assert np.array_equal(small.rows.y, large.rows.whole().y)


def test_the_shape_of_targets_is_remembered_and_asked_for_again():
    model = GPRegressor()
    for n_targets, shape in ((None, ()), (1, (1,)), (3, (3,))):
        X, y = made(n_targets=n_targets)
        first = table.training_table(model, X, y, None, Gaussian().scaling)
        assert first.target_shape == shape
        assert first.rows.n_targets == (n_targets or 1)
        joined = table.further_rows(model, X, y, None, first.scaling, shape)
        assert np.allclose(joined.whole().y, first.rows.y)
        with pytest.raises(InvalidInput, match="this model was fitted to y of shape"):
            table.further_rows(model, X, made(n_targets=5)[1], None, first.scaling, shape)
