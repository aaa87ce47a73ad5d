"""Two numbers that correct log odds by rows left out: when they are found, and that nothing forgets them."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import alakarte.search.policy as policy
from alakarte import GPClassifier, load
from alakarte.likelihoods import Bernoulli
from alakarte.posteriors.left_out_classes import left_out_log_probabilities
from alakarte.search.odds import LeftOut, Odds, fitted_odds, log_loss
from alakarte.search.policy import ODDS_SPREAD

TRUE = Odds(1.4, 0.3)


def left_out(sharpness, doubt, seed=0, n=2000, optimism=1.0):
    """Rows of two kernels whose labels are drawn with these numbers, some twice."""
    rng = np.random.default_rng(seed)
    f, q = 4 * rng.standard_normal(n), rng.exponential(8.0, n)
    moments = [(0.7, f, q), (0.3, f + rng.standard_normal(n), 2 * q)]
    y = (rng.uniform(size=n) < probability(moments, sharpness, doubt)).astype(float)
    return LeftOut(moments, y, np.ones(n), optimism)


def probability(moments, c, kappa):
    return sum(share * Bernoulli().probability(c * f, kappa * c**2 * q) for share, f, q in moments)


def loss(rows, c, kappa):
    p = probability(rows.moments, c, kappa)
    return -float(rows.weight @ np.log(np.where(rows.y == 1, p, 1 - p)))


def test_ones_are_the_average_as_it_is_and_the_slope_is_that_of_the_loss():
    rows = left_out(*TRUE)._replace(weight=np.random.default_rng(1).uniform(0, 2, 2000))
    assert log_loss(np.zeros(2), rows)[0] == pytest.approx(loss(rows, 1.0, 1.0), rel=1e-12)
    theta, step = np.array([0.3, -0.8]), 1e-5
    value, slope = log_loss(theta, rows)
    assert value == pytest.approx(loss(rows, *np.exp(theta)), rel=1e-12)
    for direction, along in zip(np.eye(2), slope, strict=True):
        low, high = (log_loss(theta + sign * step * direction, rows)[0] for sign in (-1, 1))
        assert (high - low) / (2 * step) == pytest.approx(along, rel=1e-6)


def test_the_numbers_are_the_most_probable_ones():
    rows = left_out(*TRUE)
    found = minimize(
        lambda theta: loss(rows, *np.exp(theta)) + 0.5 * theta @ theta / ODDS_SPREAD**2, np.zeros(2), method="Powell"
    )
    assert fitted_odds(rows) == pytest.approx(np.exp(found.x), rel=1e-2)
    assert fitted_odds(rows) == pytest.approx(TRUE, rel=0.25)


def test_labels_that_are_as_probable_as_said_change_little():
    """Of 400 rows less than a nat is lost on average, on as many fresh ones, and most change nothing at all."""
    fresh, found = left_out(1.0, 1.0, 100, 20_000), [fitted_odds(left_out(1.0, 1.0, seed, 400)) for seed in range(20)]
    lost = [400 / 20_000 * (loss(fresh, *odds) - loss(fresh, 1.0, 1.0)) for odds in found]
    assert np.mean(lost) < 1
    assert sum(odds != Odds() for odds in found) < 8


def test_they_must_gain_more_than_rows_look_too_good():
    rows = left_out(*TRUE, n=400)
    found = fitted_odds(rows)
    theta = np.log(found)
    gain = loss(rows, 1.0, 1.0) - loss(rows, *found) - 0.5 * theta @ theta / ODDS_SPREAD**2
    assert fitted_odds(rows._replace(optimism=gain - 0.01)) == found != Odds()
    assert fitted_odds(rows._replace(optimism=gain + 0.01)) == Odds()


@pytest.mark.parametrize("most", [2000, 50])
def test_rows_look_better_by_a_nat_for_every_number_learned(monkeypatch, most):
    """Of the kernels by their shares; of some of the rows as much less as they are fewer."""
    seen = []
    monkeypatch.setattr(policy, "LEFT_OUT_ROWS", most)
    monkeypatch.setattr("alakarte.search.odds.fitted_odds", lambda rows: (seen.append(rows), Odds())[1])
    X = np.random.default_rng(1).standard_normal((120, 4))
    posterior = GPClassifier(random_state=0, n_jobs=1).fit(X[:, :3], wavy(X)).model_.posterior
    n_learned = np.array([member.n_parameters for member in posterior.members])
    [rows] = seen
    assert n_learned.min() < n_learned.max()
    assert rows.optimism == pytest.approx(posterior.weights @ n_learned * len(rows.y) / 120, rel=1e-12)


def test_rows_of_weight_two_are_there_twice():
    rows = left_out(*TRUE, n=1000)
    twice = LeftOut(
        [(w, np.tile(f, 2), np.tile(q, 2)) for w, f, q in rows.moments], np.tile(rows.y, 2), np.ones(2000), 1.0
    )
    found = fitted_odds(rows._replace(weight=np.full(1000, 2.0)))
    assert found != Odds()
    assert found == pytest.approx(fitted_odds(twice), rel=1e-4)


def wavy(X):
    """Labels by a wave along the first input, a slope along the second, and some noise, the last."""
    return (np.sin(3 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * X[:, -1] > 0).astype(int)


def ring(n, seed, d=20):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    near = rng.standard_normal((n, d))
    return np.where(labels[:, None] == 0, 2 * near, near + 2 / np.sqrt(d)), labels


@pytest.fixture(scope="module")
def model():
    return GPClassifier(random_state=0, n_jobs=1).fit(*ring(500, 15))


def with_odds(model, odds):
    """Another model with these numbers."""
    other = deepcopy(model)
    other.model_ = replace(model.model_, posterior=replace(model.model_.posterior, **odds._asdict()))
    return other


def odds_in(model):
    return Odds(model.model_.posterior.sharpness, model.model_.posterior.doubt)


def test_a_sharp_border_is_less_unsure_and_its_function_stays(model):
    X, labels = ring(3000, 1500)
    plain = with_odds(model, Odds())
    gain = model.log_predictive_density(X, labels) - plain.log_predictive_density(X, labels)
    assert odds_in(model) != Odds()
    assert gain.mean() > max(0.005, 3 * gain.std() / np.sqrt(len(gain)))
    assert "probabilities  from log odds x" in model.summary()
    assert "probabilities  from" not in plain.summary()
    assert np.array_equal(model.predict_latent(X), plain.predict_latent(X))
    f, _ = model.predict_latent(X)
    if len(model.model_.posterior.weights) == 1:
        assert np.array_equal(model.decision_function(X) > 0, f > 0)


def test_all_answers_have_them(model, tmp_path):
    X, labels = ring(40, 16)
    c, kappa = odds_in(model)
    f, q = model.model_.posterior.by_member(model.model_.scaling.inputs(X))[0][1:]
    if len(model.model_.posterior.weights) == 1:
        p = Bernoulli().probability(c * (f[:, 0] + model.model_.scaling.y_mean), kappa * c**2 * q[:, 0])
        assert model.predict_proba(X)[:, 1] == pytest.approx(p, rel=1e-12)
    model.save(tmp_path / "model.alk")
    again = load(tmp_path / "model.alk")
    assert odds_in(again) == odds_in(model)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    more = deepcopy(model).partial_fit(X, labels)
    assert odds_in(more) == odds_in(model)
    assert odds_in(more.forget(X, labels)) == odds_in(model)


def test_rows_left_out_have_them(model):
    X, labels = ring(500, 15)
    posterior, places = model.model_.posterior, np.arange(0, 500, 50)
    left = np.exp(left_out_log_probabilities(posterior, posterior.rows, np.arange(500)))
    order = [int(np.argmin(((posterior.rows.x - x) ** 2).sum(axis=1))) for x in model.model_.scaling.inputs(X[places])]
    forgotten = np.vstack([deepcopy(model).forget(X[[i]], labels[[i]]).predict_proba(X[[i]]) for i in places])
    assert left[order] == pytest.approx(forgotten, abs=0.03)
    plain = with_odds(model, Odds()).model_.posterior
    unsure = np.exp(left_out_log_probabilities(plain, plain.rows, np.arange(500)))
    assert np.abs(unsure - left).max() > 0.02


def test_without_iterations_nothing_is_corrected():
    X, labels = ring(300, 15)
    assert odds_in(GPClassifier("rbf", max_iter=0, random_state=0, n_jobs=1).fit(X, labels)) == Odds()


def test_features_keep_them_as_rows_join():
    X, labels = ring(400, 17)
    model = GPClassifier("rbf", n_frequencies=64, random_state=0, n_jobs=1).fit(X[:300], labels[:300])
    model = with_odds(model, TRUE)
    assert odds_in(model.partial_fit(X[300:], labels[300:])) == TRUE
