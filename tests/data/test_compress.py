"""Inputs far out: drawn in by the logarithm where the evidence is better for it, the same way everywhere."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data.arrays import ArrayRows
from alakarte.data.compress import Tails, find_tails
from alakarte.search.policy import CLEARLY, FAR_OUT
from problems import heavy, scaling_of

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
QUICK = {"random_state": 0, "n_restarts": 2, "max_iter": 30}


def test_drawn_in_values_keep_their_order_and_meet_the_others_smoothly():
    tails = Tails(np.array([0.5]), np.array([2.0]))
    z = np.linspace(-200, 200, 40_001)[:, None]
    out = tails.compress(z)
    slope = np.diff(out[:, 0]) / np.diff(z[:, 0])
    assert (slope > 0).all()
    assert slope.max() < 1 + 1e-9
    assert np.abs(np.diff(slope)).max() < 0.01  # no kink
    inner = np.abs(z - 0.5) <= 2
    np.testing.assert_array_equal(out[inner], z[inner])
    np.testing.assert_allclose(out[-1], 0.5 + 2 * (1 + np.log(199.5 / 2)))
    assert np.isnan(tails.compress(np.array([[np.nan]]))).all()


def test_edges_are_those_of_a_gaussian_and_weights_repeat_rows():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((20_000, 2))
    z[:, 1] = z[:, 1] > 2  # most values are equal
    tails = find_tails(z, np.ones(len(z)))
    np.testing.assert_allclose(tails.edge, [4, 4], rtol=0.03)
    np.testing.assert_allclose(tails.middle, [0, 0], atol=0.03)
    weight = rng.integers(1, 4, 500)
    weighted = find_tails(z[:500], weight.astype(float))
    repeated = find_tails(np.repeat(z[:500], weight, axis=0), np.ones(weight.sum()))
    np.testing.assert_array_equal(weighted.edge, repeated.edge)
    np.testing.assert_array_equal(weighted.middle, repeated.middle)


def test_the_evidence_draws_tails_in_and_predictions_are_better_for_it():
    X, y = heavy()
    X_test, y_test = heavy(seed=1)
    model = GPRegressor(**QUICK).fit(X, y)
    assert (model.input_tails_ > 0).all()
    assert "compressed" in model.summary()
    assert all(place["compressed"] for place in model.ranking_)
    plain = GPRegressor(model.kernel_.kernel.name, **QUICK).fit(X, y)
    assert plain.input_tails_ is None
    assert model.log_marginal_likelihood_ > plain.log_marginal_likelihood_ + CLEARLY
    errors = [np.sqrt(np.mean((m.predict(X_test) - y_test) ** 2)) for m in (model, plain)]
    assert errors[0] < 0.9 * errors[1]


def test_nothing_changes_without_far_inputs():
    X, y = heavy()
    near = np.abs(X).max(axis=1) < 4
    model = GPRegressor(**QUICK).fit(X[near], y[near])
    assert model.input_tails_ is None
    assert "compressed" not in model.summary()


def test_all_that_reads_inputs_draws_them_in():
    X, y = heavy()
    model = GPRegressor(**QUICK | {"random_state": 1}).fit(X[:250], y[:250])
    assert model.input_tails_ is not None
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    z = scaling_of(X[:250], y[:250]).inputs(X)
    drawn = find_tails(z[:250], np.ones(250)).compress(z)
    np.testing.assert_allclose(model.model_.scaling.inputs(X), drawn, rtol=1e-9, atol=1e-12)
    back = again.partial_fit(X[250:], y[250:]).forget(X[250:], y[250:])
    np.testing.assert_allclose(back.predict(X), model.predict(X), rtol=1e-6, atol=1e-6)
    warm = GPRegressor(warm_start=True, **QUICK).fit(X, y).fit(X, y)
    assert warm.input_tails_ is not None


def test_rows_in_the_users_units_are_drawn_in_block_by_block():
    X, y = heavy()
    scaling = scaling_of(X, y)
    raw = ArrayRows(X, y[:, None], np.ones(len(X)), scaling=scaling)
    whole = raw.standardised()
    tails = find_tails(whole.x, whole.weight)
    assert tails.reach(whole.x) > FAR_OUT
    np.testing.assert_array_equal(raw.compressed(tails).whole().x, whole.compressed(tails).x)
    np.testing.assert_array_equal(raw.compressed(tails).block(3, 9).x, replace(scaling, tails=tails).inputs(X[3:9]))
