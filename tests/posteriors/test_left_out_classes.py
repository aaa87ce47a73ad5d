"""Probabilities of rows left out are near those of models that forget each row."""

from copy import deepcopy

import numpy as np
import pytest

from alakarte import GPClassifier
from alakarte.data.arrays import ArrayRows
from alakarte.posteriors.left_out_classes import left_out_log_probabilities, left_out_mode
from alakarte.process.design_matrix import KeptDesign
from alakarte.process.softmax import Labels, softmax_mode


def noisy_labels(n_classes, n=60):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, 2))
    labels = np.digitize(X[:, 0] + 0.7 * rng.standard_normal(n), np.linspace(-1, 1, n_classes + 1)[1:-1])
    return X, labels


@pytest.mark.parametrize("n_classes", [2, 3])
def test_near_to_models_that_forget_each_row(n_classes):
    X, labels = noisy_labels(n_classes)
    model = GPClassifier("rbf", random_state=0, n_jobs=1).fit(X, labels)
    posterior = model.model_.posterior
    left_out = np.exp(left_out_log_probabilities(posterior, posterior.rows, np.arange(len(X))))
    places = np.arange(0, len(X), 6)
    order = [int(np.argmin(((posterior.rows.x - x) ** 2).sum(axis=1))) for x in model.model_.scaling.inputs(X[places])]
    forgotten = np.vstack([deepcopy(model).forget(X[[i]], labels[[i]]).predict_proba(X[[i]]) for i in places])
    assert left_out.sum(axis=1) == pytest.approx(1)
    assert left_out[order] == pytest.approx(forgotten, abs=0.03)
    seen = model.predict_proba(X[places])
    assert np.abs(left_out[order] - forgotten).mean() < 0.3 * np.abs(seen - forgotten).mean()


def test_features_serve_too():
    X, labels = noisy_labels(3)
    model = GPClassifier("ard", random_state=0, n_jobs=1, n_frequencies=8).fit(X, labels)
    rows = ArrayRows(model.model_.scaling.inputs(X), labels[:, None].astype(float), np.ones(len(X)))
    log_probability = left_out_log_probabilities(model.model_.posterior, rows, np.arange(len(X)))
    own = log_probability[np.arange(len(X)), labels].mean()
    assert np.exp(log_probability).sum(axis=1) == pytest.approx(1)
    assert own < model.log_predictive_density(X, labels).mean()


def test_a_row_of_weight_two_is_left_out_once():
    psi, y = np.random.default_rng(0).standard_normal((20, 4)), np.arange(20) % 3
    twice = np.append(np.arange(20), 0)
    weight = np.where(np.arange(20) == 0, 2.0, 1.0)
    once = _left_out(psi, y, weight)
    assert once == pytest.approx(_left_out(psi[twice], y[twice], np.ones(21))[:20], abs=1e-4)


def _left_out(psi, y, weight):
    design, labels = KeptDesign(psi), Labels(y, np.zeros(3), weight)
    return left_out_mode(design, labels, softmax_mode(design, labels, tol=1e-12).latent, np.arange(len(y)))
