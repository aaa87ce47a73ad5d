"""Settings that make no sense are refused by name."""

import pytest

from alakarte import GPRegressor
from alakarte.errors import InvalidInput
from problems import naming, table

X, Y, _ = table(2, n=20)


def test_a_spread_that_is_none_is_refused():
    for value in (0, -1.0, "wide", True, float("nan")):
        with naming(value), pytest.raises(InvalidInput, match=r"lengthscale_spread=.*give a number > 0"):
            GPRegressor(lengthscale_spread=value).fit(X, Y)


def test_max_time_is_checked():
    for value in (0, -1, "long", float("nan")):
        with naming(value), pytest.raises(InvalidInput, match="max_time="):
            GPRegressor(max_time=value).fit(X, Y)


def test_sizes_are_checked():
    for name, value in (("n_learning_rows", 1), ("n_posterior_frequencies", "many"), ("n_neighbors", 0)):
        with naming(name, value), pytest.raises(InvalidInput, match=f"{name}="):
            GPRegressor(**{name: value}).fit(X, Y)


def test_neighbours_are_for_normal_noise():
    with pytest.raises(InvalidInput, match="expansion='local': use one of auto, fastfood, dense, exact"):
        GPRegressor(likelihood="student_t", expansion="local").fit(X, Y)
