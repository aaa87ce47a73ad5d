"""Calibration of a fit: rows left out of its own posterior, or nothing where there is no time or nothing to learn."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.posteriors.average import Average
from alakarte.posteriors.calibration import UNCALIBRATED, calibration
from alakarte.posteriors.rows import RowPosterior
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


def test_what_was_not_learned_is_not_calibrated():
    X, y, _ = table(2, n=60)
    assert GPRegressor("ard", max_iter=0).fit(X, y).model_.calibration is UNCALIBRATED
    assert GPRegressor("ard").fit(X[:1], y[:1]).model_.calibration is UNCALIBRATED
