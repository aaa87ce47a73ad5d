"""Features and neighbours together: normalised, and one of them alone at the ends."""

import numpy as np
import pytest

from alakarte.posteriors.stacked import stacked


def logs(seed, n=7, k=4):
    f = np.random.default_rng(seed).standard_normal((n, k))
    return f - np.log(np.exp(f).sum(axis=1, keepdims=True))


def test_probabilities_sum_to_one():
    both = stacked(logs(0), logs(1), np.zeros(4), np.array([0.7, 1.2, 0.3]))
    assert np.exp(both).sum(axis=1) == pytest.approx(1)


def test_weights_of_one_and_zero_leave_one_of_them():
    shares = np.log([0.4, 0.8, 1.2, 1.6])
    assert stacked(logs(0), logs(1), shares, np.array([1.0, 0.0, 0.0])) == pytest.approx(logs(0))
    assert stacked(logs(0), logs(1), shares, np.array([0.0, 1.0, 0.0])) == pytest.approx(logs(1))
    only_shares = np.exp(stacked(logs(0), logs(1), shares, np.array([0.0, 0.0, 1.0])))
    assert only_shares == pytest.approx(np.tile([0.1, 0.2, 0.3, 0.4], (7, 1)))
