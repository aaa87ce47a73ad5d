"""Three numbers that join two classifiers, and when they are worth it."""

import numpy as np
import pytest

from alakarte.posteriors.stacked import stacked
from alakarte.search.stack import Held, stack

SHARES = np.array([0.6, 0.3, 0.1])


def held(noise_features, noise_near, n=3000):
    """Rows of known log odds, which each classifier sees with noise of its own."""
    rng = np.random.default_rng(0)
    f = 2 * rng.standard_normal((n, 3)) + np.log(SHARES)
    p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
    labels = (p.cumsum(axis=1) < rng.uniform(size=(n, 1))).sum(axis=1)
    logs = []
    for noise in (noise_features, noise_near):
        g = f + noise * rng.standard_normal(f.shape)
        logs.append(g - np.log(np.exp(g).sum(axis=1, keepdims=True)))
    return Held(*logs, np.log(3 * SHARES), labels, np.ones(n))


def test_two_classifiers_that_err_differently_are_better_together():
    found = stack(held(1.0, 1.0))
    assert found.gains
    assert found.both < min(found.features, found.near) - 0.01
    assert found.weights[:2] == pytest.approx(found.weights[:2].mean(), rel=0.2)


@pytest.mark.parametrize(("noise", "better"), [((0.0, 3.0), "features"), ((3.0, 0.0), "near")])
def test_one_that_knows_all_goes_alone(noise, better):
    found = stack(held(*noise))
    assert not found.gains
    assert found.loss == getattr(found, better) == min(found.features, found.near)


def test_the_numbers_are_where_the_slope_vanishes():
    rows = held(1.0, 0.7)
    found, step = stack(rows), 1e-4

    def loss(weights):
        return rows.mean(rows.losses(stacked(rows.log_features, rows.log_near, rows.log_shares, weights)))

    for direction in np.eye(3):
        low, high = (loss(found.weights + sign * step * direction) for sign in (-1, 1))
        assert abs(high - low) / (2 * step) < 1e-4


def test_rows_of_no_weight_do_not_count():
    rows = held(1.0, 0.7, 400)
    weight = np.ones(400)
    weight[300:] = 0.0
    worse = rows._replace(weight=weight, labels=np.where(weight > 0, rows.labels, 0))
    assert worse.mean(worse.losses(worse.log_near)) == pytest.approx(rows.losses(rows.log_near)[:300].mean())
