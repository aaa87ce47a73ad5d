"""Neighbours along directions of many inputs: who sees them so, in which units, what the user sees, who is not."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import alakarte.search.class_neighbours as class_neighbours
import alakarte.search.policy as policy
from alakarte import GPClassifier, load
from alakarte.data.directions import Directions
from alakarte.errors import InvalidInput
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.votes import VotesPosterior

QUICK = {"n_restarts": 1, "max_iter": 5, "random_state": 0, "n_jobs": 1, "n_neighbors": 20}
N = 700


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(policy, "LEAST_CLASS_ROWS", 500)
    monkeypatch.setattr(policy, "MOST_CLASS_VARIABLES", 10)
    monkeypatch.setattr(policy, "CLASS_DIRECTIONS", 6)
    monkeypatch.setattr(policy, "CLASS_LOCAL_STAGES", ((200, 12, 6), (300, 16, 10)))
    monkeypatch.setattr(policy, "CLASS_TRIAL_ROWS", 100)
    monkeypatch.setattr(policy, "CLOSED_MENU", ("rbf",))
    monkeypatch.setattr(policy, "FIXED_KERNELS", ("rbf",))
    monkeypatch.setattr(policy, "KERNELS_IN_UNITS", ())
    monkeypatch.setattr(policy, "LATENT_FIRST_ROWS", 200)


def squares(n_classes=3, noise=1e-4):
    """Twelve inputs that two numbers say all of, but for many small ones of noise."""
    rng = np.random.default_rng(0)
    z = rng.uniform(-2, 2, (N + 200, 2))
    X = np.hstack([z @ rng.standard_normal((2, 6)), noise * rng.standard_normal((N + 200, 6))])
    return X, (np.floor(1.5 * z[:, 0]) + np.floor(1.5 * z[:, 1])).astype(int) % n_classes


def fitted(table=None, **settings):
    X, y = squares() if table is None else table
    return GPClassifier(**(QUICK | settings)).fit(X[:N], y[:N]), X, y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_neighbours_see_directions_in_units_where_noise_varies_little(n_classes):
    model, X, y = fitted(squares(n_classes), expansion="local")
    posterior = model.model_.posterior
    assert isinstance(posterior, VotesPosterior)
    assert posterior.directions is not None
    assert posterior.core.neighbours.points.shape[1] == 6
    assert model.score(X[N:], y[N:]) > 0.8
    lengthscale = model.kernel_.lengthscale
    assert lengthscale == pytest.approx(lengthscale[0])  # one, in the units of the inputs
    assert model.kernel_(X[:3]).shape[:2] == (3, 3)
    assert model.relevance_[:6].sum() > 0.99
    assert "votes of neighbours" in model.summary()


def test_length_scales_in_standard_deviations_where_units_say_nothing():
    X, y = squares(noise=0.1)
    X = X * 10.0 ** np.array([-3, 2, 0, 1, -1, 3, 0, 0, 0, 0, 0, 0])
    X[:, 6:] *= 1e4  # what varies most is noise
    model, _, _ = fitted((X, y), expansion="local")
    in_deviations = model.kernel_.lengthscale / X[:N].std(axis=0)
    assert in_deviations == pytest.approx(in_deviations[0])


def test_they_are_kept_alone_where_features_have_no_hope_and_threads_change_no_bits(monkeypatch):
    monkeypatch.setattr(policy, "CLASS_HOPE", 0.1)
    one, X, _ = fitted(n_jobs=1)
    assert isinstance(one.model_.posterior, VotesPosterior)
    assert one.ranking_[0]["n_neighbors"] == 20
    assert one.ranking_[0]["n_parameters"] == 2  # a length-scale and the noise
    two, _, _ = fitted(n_jobs=2)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert np.array_equal(one.predict_proba(X[5:6])[0], one.predict_proba(X)[5])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_features_and_directions_together_keep_their_word(n_classes, monkeypatch):
    monkeypatch.setattr(policy, "STACK_GAIN", -9.0)  # both at any price
    monkeypatch.setattr(policy, "CLASS_HOPE", 1e9)
    monkeypatch.setattr(policy, "MENU_OF_FEW_ROWS", ())
    model, X, y = fitted(squares(n_classes), expansion="auto")
    assert isinstance(model.model_.posterior, StackedPosterior)
    assert model.model_.posterior.near.directions is not None
    proba = model.predict_proba(X)
    assert proba.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(model.predict_proba(X[9:10])[0], proba[9])
    assert model.ranking_[0]["n_parameters"] == model.ranking_[-2]["n_parameters"] + 2
    assert model.rough_kernel_.lengthscale == pytest.approx(model.rough_kernel_.lengthscale[0])
    model.partial_fit(X[N:], y[N:])
    assert model.model_.posterior.near.total == N + 200


def test_without_hope_the_fit_is_that_of_features(monkeypatch):
    monkeypatch.setattr(policy, "VIEW_HOPE", 0.0)
    model, X, _ = fitted()
    assert isinstance(model.model_.posterior, LatentPosterior)
    monkeypatch.setattr(class_neighbours, "sees_directions", lambda search: False)
    assert np.array_equal(fitted()[0].predict_proba(X), model.predict_proba(X))


def test_rows_join_and_leave_and_files_keep_directions(tmp_path):
    model, X, y = fitted(expansion="local")
    proba = model.predict_proba(X)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), proba)
    model.save(tmp_path / "model.gp")
    loaded = load(tmp_path / "model.gp")
    assert np.array_equal(loaded.predict_proba(X), proba)
    votes = model.model_.posterior
    forged = replace(votes, directions=Directions(votes.directions.axes[:, :5]))
    model.model_ = replace(model.model_, posterior=forged)
    with pytest.raises(InvalidInput, match="do not belong together"):
        model.save(tmp_path / "forged.gp")
    joined = loaded.partial_fit(X[N:], y[N:])
    assert joined.model_.posterior.total == N + 200
    assert not np.array_equal(joined.predict_proba(X), proba)
    assert np.array_equal(joined.forget(X[N:], y[N:]).predict_proba(X), proba)


def test_a_warm_start_goes_on_along_directions():
    model, X, y = fitted(expansion="local", warm_start=True)
    before = model.theta_
    model.set_params(expansion="auto", max_iter=0).fit(X[:N], y[:N])
    assert model.model_.posterior.directions is not None
    assert model.theta_ == pytest.approx(before)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_kernels_by_name_categories_and_tables_of_very_many_rows_see_all_inputs(monkeypatch):
    model, _, _ = fitted(expansion="local", kernel="matern12")
    assert model.model_.posterior.directions is None
    X, y = squares()
    X[:, 3] = np.round(X[:, 3])
    model, _, _ = fitted((X, y), expansion="local", categorical_features=[3])
    assert model.model_.posterior.directions is None
    monkeypatch.setattr(policy, "MOST_SCANNED_ROWS", N - 1)
    assert fitted(expansion="local")[0].model_.posterior.directions is None
    assert isinstance(fitted()[0].model_.posterior, LatentPosterior)


def test_constant_inputs_and_fewer_rows_than_inputs():
    X, y = squares()
    X[:, 8:] = 3.0
    assert fitted((X, y), expansion="local")[0].predict_proba(X).sum(axis=1) == pytest.approx(1)
    few = GPClassifier(expansion="local", **(QUICK | {"n_neighbors": 5})).fit(np.tile(X[:24], 3), y[:24])
    assert few.predict(np.tile(X[:24], 3)).shape == (24,)


def test_max_time_leaves_out_what_takes_too_long():
    assert isinstance(fitted(max_time=0.1)[0].model_.posterior, LatentPosterior)
