"""Waves in a fit: periods are found and continued, and nothing changes where there are none."""

import numpy as np
import pytest

import alakarte.search.fit as recipe
from alakarte import GPRegressor
from alakarte.errors import InvalidInput
from alakarte.kernels import ARD, GaussianMixture
from alakarte.search import policy
from alakarte.search.waves import look_for_waves
from problems import rows_of
from search.searches import search_for


def wave(seed, n=200, period=9.3):
    rng = np.random.default_rng(seed)
    t = np.arange(float(n))
    return t[:, None], np.sin(2 * np.pi * t / period) + 0.1 * rng.standard_normal(n)


def error_beyond(model, X, y, n):
    return float(np.sqrt(np.mean((model.fit(X[:n], y[:n]).predict(X[n:]) - y[n:]) ** 2)))


def test_a_wave_is_continued_by_every_kernel_that_begins_from_it():
    X, y = wave(0)
    for kernel in ("gm", "mm", "ssgpr", "auto"):
        assert error_beyond(GPRegressor(kernel, random_state=0), X, y, 150) < 0.13, kernel


def test_a_fit_of_rows_without_waves_has_the_same_bits_with_and_without_the_search(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((120, 2))
    y = np.exp(-X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(120)
    for kernel in ("auto", "gm"):
        told = GPRegressor(kernel, random_state=0).fit(X, y).predict(X, return_std=True)
        with monkeypatch.context() as without:
            without.setattr(recipe, "look_for_waves", lambda search: search)
            before = GPRegressor(kernel, random_state=0).fit(X, y).predict(X, return_std=True)
        assert np.array_equal(told[0], before[0])
        assert np.array_equal(told[1], before[1])


def test_both_mixtures_are_averaged_evenly_where_waves_were_found():
    X, y = wave(2, 120)
    model = GPRegressor(random_state=0).fit(X, y)
    weights = {place["kernel"]: place["weight"] for place in model.model_.ranking}
    assert weights["gm"] == weights["mm"] == weights["trend + gm"] == pytest.approx(1 / 3)
    changed = model.partial_fit(X[-1:] + 1, y[:1])
    assert {p["kernel"]: p["weight"] for p in changed.model_.ranking}["mm"] == pytest.approx(1 / 3)


def test_given_periods_stay_as_they_are_in_the_units_of_the_table():
    X, y = wave(3, 120)
    X = 100 + X / 24  # days
    model = GPRegressor(GaussianMixture(periods=[9.3 / 24]), random_state=0).fit(X, y)
    assert 2 * np.pi / model.kernel_.centre[0, 0] == pytest.approx(9.3 / 24, rel=1e-12)
    assert error_beyond(model, X, y, 90) < 0.13
    total = GPRegressor(ARD() + GaussianMixture(periods=[9.3 / 24]), random_state=0).fit(X, y)
    assert 2 * np.pi / total.kernel_.gm_centre[0, 0] == pytest.approx(9.3 / 24, rel=1e-12)
    with pytest.raises(InvalidInput, match="periods"):
        GPRegressor(GaussianMixture(periods=[-1.0])).fit(X, y)
    with pytest.raises(InvalidInput, match="per input"):
        GPRegressor(GaussianMixture(periods=[[1.0, 2.0]])).fit(X, y)


def test_without_time_waves_are_not_looked_for(monkeypatch):
    X, y = wave(5, 60)
    monkeypatch.setattr(recipe.policy, "WAVE_FLOPS", 1e14)
    hasty = GPRegressor("gm", random_state=0, max_time=1.0).fit(X, y)
    assert hasty.n_components_ != 3
    assert GPRegressor("gm", random_state=0).fit(X, y).periods_ != []


def test_bounds_that_the_user_gives_to_centres_hold():
    X, y = wave(4, 120)
    model = GPRegressor(GaussianMixture(bounds={"centre": (0.0, 0.5)}), random_state=0).fit(X, y)
    assert (model.kernel_.centre <= 0.5 * (1 + 1e-9)).all()
    assert (model.kernel_.centre >= 0).all()


@pytest.mark.parametrize(("n_inputs", "most"), list(zip((1, 2), policy.MOST_BANDS, strict=True)))
def test_patterns_of_several_inputs_begin_with_more_bands(n_inputs, most):
    rng = np.random.default_rng(6)
    X = rng.uniform(0, 100, (900, n_inputs))
    waves = rng.uniform(-2, 2, (14, n_inputs))
    y = np.cos(X @ waves.T + rng.uniform(0, 6, 14)).sum(axis=1)
    search = look_for_waves(search_for("gm", *rows_of(X, y)))
    assert len(search.waves.variance) == most
    assert search.plan(search.settings.kernel).n_components == most + 2
