"""Counts from neighbours: learned by rows given the sites of others, kept where rows left out prefer them."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte.search.latent_neighbours
from alakarte import GPCountRegressor, load
from alakarte.errors import Unavailable
from alakarte.kernels.registry import resolve
from alakarte.search.latent import fit_latent

QUICK = {"random_state": 0, "n_jobs": 1, "n_restarts": 1, "max_iter": 8, "n_neighbors": 20}


def people(n=300, n_people=60, own=1.0):
    """Counts of people who are there several times: a smooth rate, and one of their own."""
    rng = np.random.default_rng(0)
    person = rng.integers(0, n_people, n)
    places, rate = rng.standard_normal((n_people, 2)), own * rng.standard_normal(n_people)
    X = places[person] + 1e-3 * rng.standard_normal((n, 2))
    return X, rng.poisson(np.exp(1.5 + 0.5 * X[:, 0] + rate[person]))


@pytest.fixture
def by_few_features(monkeypatch):
    """Few rows go by few features of one kernel, as many rows go by many of several."""

    def fit(search, *rest):
        settings = replace(search.settings, kernel=resolve("rbf"), n_frequencies=32)
        return replace(fit_latent(replace(search, settings=settings), *rest), search=search)

    monkeypatch.setattr(alakarte.search.latent_neighbours, "fit_latent", fit)


def test_neighbours_alone_know_what_those_nearby_had(tmp_path):
    X, y = people()
    model = GPCountRegressor(expansion="local", **QUICK).fit(X[:240], y[:240])
    constant = GPCountRegressor("rbf", **QUICK | {"max_iter": 100}).fit(np.zeros((240, 1)), y[:240])
    assert model.score(X[240:], y[240:]) > constant.score(np.zeros((60, 1)), y[240:]) + 0.2
    assert model.model_.is_local
    assert "20 neighbours among 240 rows" in model.summary()
    model.save(tmp_path / "near.gp")
    assert np.array_equal(load(tmp_path / "near.gp").predict(X[:9]), model.predict(X[:9]))
    with pytest.raises(Unavailable, match="forget"):
        model.forget(X[:9], y[:9])


def test_rows_join_with_sites_of_their_own():
    X, y = people()
    model = GPCountRegressor(expansion="local", **QUICK).fit(X[:200], y[:200])
    before = model.score(X[200:], y[200:])
    model.partial_fit(X[200:], y[200:])
    assert model.model_.posterior.n_basis == 300
    assert model.score(X[200:], y[200:]) > before


def test_neighbours_go_where_rows_left_out_prefer_them(by_few_features):
    X, y = people(own=1.5)
    model = GPCountRegressor(**QUICK).fit(X, y)
    first, second = model.ranking_[:2]
    assert first["kernel"].startswith("near ")
    assert first["weight"] == 1
    assert first["left_out_log_density"] > second["left_out_log_density"]
    assert first["left_out_log_loss"] == pytest.approx(-first["left_out_log_density"])


def test_features_stay_where_neighbours_know_no_more(by_few_features):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 2))
    model = GPCountRegressor(**QUICK).fit(X, rng.poisson(np.exp(1 + 0.4 * X[:, 0])))
    assert not model.model_.is_local
    assert model.ranking_[1]["kernel"].startswith("near ")
    assert model.ranking_[0]["left_out_log_density"] > model.ranking_[1]["left_out_log_density"] - 0.05
