"""Calibration of a fit: rows left out of its own posterior, or nothing where there is no time or nothing to learn."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data.rows import Block
from alakarte.posteriors.average import Average
from alakarte.posteriors.calibration import UNCALIBRATED, calibration
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.smooth_and_rough import smooth_and_rough
from alakarte.search import calibrate as module
from alakarte.search.policy import DOFS
from problems import small, table

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]
SHORT = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "n_jobs": 1}


def by_hand(model, block, n_parameters):
    posterior = model.model_.posterior
    mean, variance = posterior.leave_one_out(block)
    z = (block.y - mean) / np.sqrt(variance + posterior.noise_variance)
    return calibration(z, block.weight, n_parameters, DOFS)


@pytest.mark.parametrize(("kernel", "kind"), [("ard", RowPosterior), ("auto", Average)])
def test_a_closed_form_leaves_out_every_row(kernel, kind):
    X, y, weight = table(2, n=60)
    model = GPRegressor(kernel, **SHORT).fit(X, y, sample_weight=weight)
    posterior = model.model_.posterior
    assert type(posterior) is kind
    expected = by_hand(model, posterior.rows.whole(), model.theta_.size)
    assert model.model_.calibration.scale == pytest.approx(expected.scale)
    assert model.model_.calibration.dof == pytest.approx(expected.dof)


def test_features_leave_out_the_rows_that_come_last(monkeypatch):
    X, y, _ = table(2, n=60)
    seen = []
    monkeypatch.setattr(module.policy, "LEFT_OUT_ROWS", 20)
    monkeypatch.setattr(module, "calibration", lambda z, *rest: seen.append(z) or calibration(z, *rest))
    model = small("ard").fit(X, y)
    assert seen[0].shape == (20, 1)
    assert model.model_.calibration is not UNCALIBRATED


def test_no_time_means_intervals_as_they_were_learned(monkeypatch):
    monkeypatch.setattr(module, "_rows_to_leave_out", lambda *_: pytest.fail("there is no time"))
    model = small("ard", max_time=1e-6).fit(*table(2, n=60)[:2])
    assert model.model_.calibration is UNCALIBRATED


def test_an_interrupt_leaves_a_model_with_intervals_as_they_were_learned(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "calibration", interrupt)
    model = small("ard")
    with pytest.raises(KeyboardInterrupt, match="best model so far"):
        model.fit(*table(2, n=60)[:2])
    assert model.model_.calibration is UNCALIBRATED


def test_heavy_tails_of_the_noise_are_seen():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 2))
    y = np.sin(X[:, 0]) + 0.2 * rng.standard_t(3, 600)
    model = GPRegressor("ard", random_state=0).fit(X[:300], y[:300])
    assert model.model_.calibration.dof[0] <= 6
    low, high = model.predict_interval(X[300:])
    covered = np.mean((low <= y[300:]) & (y[300:] <= high))
    assert abs(covered - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 300)


def posterior_rows(model):
    """All rows of a posterior from neighbours, standardised."""
    near = model.model_.posterior
    return Block(near.neighbours.points / near.neighbours.scale, near.targets, np.ones(len(near.targets)))


def coverage_of(model, X, y):
    low, high = model.predict_interval(X)
    return np.mean((low <= y) & (y <= high))


def with_secrets(n_groups=80, n_rows=8):
    """Rows close to those of their group, and targets with an effect of each group that no input tells."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(n_groups), n_rows)
    X = rng.standard_normal((n_groups, 2))[group] + 0.02 * rng.standard_normal((len(group), 2))
    y = np.sin(2 * X[:, 0]) + 0.5 * rng.standard_normal(n_groups)[group] + 0.05 * rng.standard_normal(len(group))
    return X, y, group


def test_far_neighbours_are_doubted_where_near_rows_share_a_secret():
    X, y, group = with_secrets()
    known = group < 60
    model = GPRegressor("matern12", expansion="local", n_neighbors=10, random_state=0, n_jobs=1)
    posterior = model.fit(X[known], y[known]).model_.posterior
    assert posterior.doubt > 0.1
    assert f"(1 + v/noise)^{posterior.doubt:.2g}, by rows left out" in model.summary()
    expected = by_hand(model, posterior_rows(model), model.theta_.size)  # of the posterior that doubts
    assert model.model_.calibration.scale == pytest.approx(expected.scale)
    covered = coverage_of(model, X[~known], y[~known])
    model.model_ = replace(model.model_, posterior=replace(posterior, doubt=0.0))
    assert covered > coverage_of(model, X[~known], y[~known]) + 0.05


def test_neighbours_of_what_features_leave_are_doubted_too():
    X, y, _ = with_secrets()
    near = GPRegressor("matern12", expansion="local", n_neighbors=10, **SHORT).fit(X, y).model_.posterior
    learned, smooth = replace(near, doubt=0.0), small("ard", expansion="fastfood").fit(X, y).model_.posterior
    search = SimpleNamespace(subsets=SimpleNamespace(order=np.arange(len(y))), settings=SimpleNamespace(n_jobs=1))
    expected = module._doubted(search, learned, DOFS).doubt
    assert expected > 0
    both = module._doubted(search, smooth_and_rough(smooth, learned, near.targets), DOFS)
    assert both.rough.doubt == expected
    assert module._doubted(search, smooth, DOFS) is smooth


def test_what_was_not_learned_is_not_calibrated():
    X, y, _ = table(2, n=60)
    assert GPRegressor("ard", max_iter=0).fit(X, y).model_.calibration is UNCALIBRATED
    assert GPRegressor("ard").fit(X[:1], y[:1]).model_.calibration is UNCALIBRATED
