"""Trends of series go on, with their doubt; tables without a clear one, or with more inputs, have none."""

import numpy as np
import pytest

import alakarte.search.fit as recipe
from alakarte import GPRegressor

T = np.arange(160.0)[:, None]


def walk(seed):
    return np.cumsum(0.5 + np.random.default_rng(seed).standard_normal(160))


def kernels(model):
    return [place["kernel"] for place in model.ranking_]


def test_a_walk_with_a_drift_goes_on_and_its_band_is_wide_enough():
    errors, before = [], []
    for seed in (0, 2, 7):
        y = walk(seed)
        model = GPRegressor(random_state=0).fit(T[:120], y[:120])
        low, high = model.predict_interval(T[120:])
        assert ((y[120:] >= low) & (y[120:] <= high)).mean() > 0.9
        assert kernels(model)[0] == "trend + matern + matern"
        errors.append(np.sqrt(np.mean((model.predict(T[120:]) - y[120:]) ** 2)))
        with pytest.MonkeyPatch.context() as without:
            without.setattr(recipe, "with_trends", lambda search, ranking: ranking)
            plain = GPRegressor(random_state=0).fit(T[:120], y[:120])
        before.append(np.sqrt(np.mean((plain.predict(T[120:]) - y[120:]) ** 2)))
    assert np.mean(errors) < 0.7 * np.mean(before)


def test_waves_of_a_series_are_averaged_with_waves_on_a_trend():
    y = np.sin(2 * np.pi * T[:, 0] / 12) + 0.02 * T[:, 0] + 0.1 * np.random.default_rng(0).standard_normal(160)
    model = GPRegressor(random_state=0).fit(T, y)
    weights = {place["kernel"]: place["weight"] for place in model.ranking_}
    assert weights["gm"] == weights["mm"] == weights["trend + gm"] == pytest.approx(1 / 3)
    assert "ssgpr" not in weights  # free frequencies fit so few rows too well
    assert model.periods_[0]["period"]["x0"] == pytest.approx(12, rel=0.02)


def test_without_a_clear_trend_and_without_time_nothing_is_changed():
    rng = np.random.default_rng(1)
    noise = rng.standard_normal(160)
    for X, y, settings in (
        (T, noise, {}),
        (T, walk(0), {"kernel": "ard"}),
        (np.c_[T, rng.standard_normal(160)], walk(0), {}),
        (T, walk(0), {"expansion": "fastfood", "max_iter": 5}),
    ):
        assert not any("trend" in name for name in kernels(GPRegressor(random_state=0, **settings).fit(X, y)))


def test_max_time_may_leave_no_time_for_trends(monkeypatch):
    monkeypatch.setattr(recipe.policy, "TREND_EVALUATIONS", 1e12)
    hasty = GPRegressor(random_state=0, max_time=2.0).fit(T[:60], walk(0)[:60])
    assert not any("trend" in name for name in kernels(hasty))
