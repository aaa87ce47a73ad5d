"""Periods in the user's units, by the names of the inputs."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels import GaussianMixture

pd = pytest.importorskip("pandas")


def test_a_period_is_told_in_the_unit_and_by_the_name_of_its_input():
    rng = np.random.default_rng(0)
    months = 1950 * 12 + np.arange(150.0)
    y = 0.02 * months + np.sin(2 * np.pi * months / 12) + 0.1 * rng.standard_normal(150)
    for kernel in ("gm", "mm", "ssgpr", "auto"):
        model = GPRegressor(kernel, random_state=0).fit(pd.DataFrame({"month": months}), y)
        first = model.periods_[0]
        assert first["period"]["month"] == pytest.approx(12, rel=0.01), kernel
        assert 0.05 < first["share"] < 1
    assert "along month, " in model.summary()


def test_an_oblique_wave_has_a_period_along_each_input_and_others_none():
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 30, (300, 3))
    y = np.sin(2 * np.pi * (X[:, 0] / 7 + X[:, 1] / 11)) + 0.1 * rng.standard_normal(300)
    model = GPRegressor("gm", random_state=0).fit(X, y)
    period = model.periods_[0]["period"]
    assert period["x0"] == pytest.approx(7, rel=0.02)
    assert period["x1"] == pytest.approx(11, rel=0.02)
    assert period.get("x2", np.inf) > 100


def test_kernels_that_do_not_repeat_themselves_have_no_periods():
    X = np.linspace(0, 1, 40)[:, None]
    for kernel in ("ard", "pwl", "gm"):
        model = GPRegressor(kernel, random_state=0).fit(X, np.exp(X[:, 0]))
        assert model.periods_ == []
        assert "period " not in model.summary()


def test_a_learned_wave_of_which_rows_hold_a_part_is_a_trend_and_a_given_one_is_a_period():
    X = np.linspace(0, 1, 40)[:, None]
    long = {"lengthscale": [[10.0]]}
    learned = GaussianMixture(fixed=long | {"centre": [[2 * np.pi / 3.3]]})
    for kernel, told in ((learned, []), (GaussianMixture(periods=[3.3], fixed=long), [3.3])):
        model = GPRegressor(kernel, n_components=1, max_iter=0, random_state=0).fit(X, np.exp(X[:, 0]))
        assert [wave["period"]["x0"] for wave in model.periods_] == pytest.approx(told)
