"""What features of all rows may come to: the smooth border and the rough one."""

import numpy as np
import pytest

import alakarte.search.class_trial as class_trial
from alakarte.search.class_trial import Trial, expected_loss


def trial_of(labels, n=200, n_held=300):
    x = np.random.default_rng(0).uniform(-2, 2, (n + n_held, 2))
    y = labels(x)
    return Trial(x[:n], y[:n], x[n:], y[n:], np.zeros(2))


def smooth(x):
    return (x[:, 0] + x[:, 1] > 0).astype(int)


def rough(x):
    return (np.floor(4 * x[:, 0]) + np.floor(4 * x[:, 1])).astype(int) % 2


def test_a_smooth_border_promises_more_than_a_rough_one():
    assert expected_loss(trial_of(smooth), 10_000, 1) < 0.1
    assert expected_loss(trial_of(rough), 10_000, 1) > 0.3


def test_more_rows_promise_no_less_and_the_same_rows_what_was_seen():
    trial = trial_of(smooth)
    here = expected_loss(trial, 200, 1)
    assert expected_loss(trial, 2000, 1) <= here
    factor = class_trial._factor(trial, class_trial._FORMS[0], 1.0, 1)
    assert here <= class_trial._least_loss(trial, factor, 200, 1) * 1.5


def test_rows_that_coincide_have_a_distance():
    assert class_trial._median_distance(np.zeros((9, 2))) == 1.0
    trial = trial_of(smooth)
    same = trial._replace(x=np.zeros_like(trial.x))
    assert np.isfinite(expected_loss(same, 1000, 1))


def test_the_leading_columns_of_the_factor_are_those_of_fewer_rows():
    trial = trial_of(smooth, 40, 10)
    few = trial._replace(x=trial.x[:20], labels=trial.labels[:20])
    form = class_trial._FORMS[1]
    whole, part = class_trial._factor(trial, form, 1.0, 1), class_trial._factor(few, form, 1.0, 1)
    assert whole[40:, :20] == pytest.approx(part[20:, :20], abs=1e-6)
