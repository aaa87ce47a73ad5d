"""Settings that make no sense are refused by name."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.errors import InvalidInput
from problems import table


def few_rows(n=30, d=6):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, d))
    return X, np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(n)


@pytest.mark.parametrize("value", [0, -1.0, "wide", True, float("nan")])
def test_a_spread_that_is_none_is_refused(value):
    with pytest.raises(ValueError, match=r"lengthscale_spread=.*give a number > 0"):
        GPRegressor(lengthscale_spread=value).fit(*few_rows())


@pytest.mark.parametrize("value", [0, -1, "long", float("nan")])
def test_max_time_is_checked(value):
    X, y, _ = table(2, n=20)
    with pytest.raises(InvalidInput, match="max_time="):
        GPRegressor(max_time=value).fit(X, y)


@pytest.mark.parametrize(("name", "value"), [("n_learning_rows", 1), ("n_posterior_frequencies", "many")])
def test_sizes_are_checked(name, value):
    X, y, _ = table(2, n=20)
    with pytest.raises(InvalidInput, match=f"{name}="):
        GPRegressor(**{name: value}).fit(X, y)
