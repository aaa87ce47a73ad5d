"""A weight is a repeated row, to the last bit; neither the order of rows nor rows of weight zero count."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data import read
from problems import same_bits, table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_components": 2, "n_frequencies": 8, "n_restarts": 2, "max_iter": 10, "max_iter_restart": 4, "n_jobs": 1}
MODELS = {
    "ard": {"kernel": "ard"},
    "gm": {"kernel": "gm"},
    "pwl": {"kernel": "pwl"},
    "pwl of dense draws": {"kernel": "pwl", "expansion": "dense"},
    "ssgpr": {"kernel": "ssgpr"},
    "weights": {"kernel": "ard", "n_frequencies": 3},  # D < n
    "exact": {"kernel": "ard", "expansion": "exact"},
}
every_model = pytest.mark.parametrize("name", MODELS)


def fit(name, X, y, weight=None):
    return GPRegressor(**SMALL | MODELS[name], random_state=0).fit(X, y, weight)


@every_model
def test_weights_equal_repeated_rows_to_the_last_bit(name):
    X, y, _ = table(3)
    weight = np.random.default_rng(1).integers(0, 4, size=len(X))
    repeated = np.random.default_rng(2).permutation(np.repeat(np.arange(len(X)), weight))
    assert same_bits(fit(name, X, y, weight), fit(name, X[repeated], y[repeated]), X)


@every_model
def test_order_of_rows_does_not_matter_to_the_last_bit(name):
    X, y, _ = table(3, n=60)
    weight = np.random.default_rng(1).uniform(size=len(X))
    X[5:9], y[5:9] = X[0], y[0]  # equal rows whose weights add to the same bits in any order
    order = np.random.default_rng(2).permutation(len(X))
    assert same_bits(fit(name, X, y, weight), fit(name, X[order], y[order], weight[order]), X)


@every_model
def test_rows_of_weight_zero_may_be_anything(name):
    X, y, _ = table(3)
    junk_X, junk_y = np.concatenate([X, 1e6 * X]), np.concatenate([y, 1e6 * y])
    weight = np.repeat([1.0, 0.0], len(X))
    assert same_bits(fit(name, junk_X, junk_y, weight), fit(name, X, y), X)


@every_model
def test_large_tables_are_not_merged_but_the_evidence_agrees(name, monkeypatch):
    monkeypatch.setattr(read, "MERGE_ROWS", 0)
    X, y, _ = table(3)
    weight = np.random.default_rng(1).integers(0, 4, size=len(X))
    fitted = fit(name, X, y)
    weighted = fitted.log_marginal_likelihood(X, y, sample_weight=weight, eval_gradient=True)
    repeated = fitted.log_marginal_likelihood(X.repeat(weight, axis=0), y.repeat(weight), eval_gradient=True)
    np.testing.assert_allclose(weighted[0], repeated[0], rtol=1e-9)
    np.testing.assert_allclose(weighted[1], repeated[1], rtol=1e-7, atol=1e-7)
