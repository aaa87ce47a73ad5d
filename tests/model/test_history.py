"""The trace of a fit: every evaluation, in the user's nats."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from alakarte.model.history import shortfall
from alakarte.search.optimise import Run
from alakarte.search.stopping import Ending, Stop
from problems import table

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]


def fit(kernel="ard", **settings):
    X, y, _ = table(3)
    defaults = {"n_components": 1, "n_frequencies": 6, "n_restarts": 2, "random_state": 0, "n_jobs": 1}
    return GPRegressor(kernel, **(defaults | settings)).fit(X, y)


def test_trace_of_a_fit_is_in_the_users_nats():
    model = fit(max_iter=300, lengthscale_spread=None)
    lengths = {len(column) for column in model.trace_.values()}
    assert set(model.trace_) == {"value", "gradient_norm", "seconds"}
    assert len(lengths) == 1
    assert model.trace_["value"].max() == pytest.approx(model.log_marginal_likelihood_, rel=1e-12)
    assert (np.diff(model.trace_["seconds"]) >= 0).all()
    assert model.n_iter_ < len(model.trace_["value"])
    screening = model.n_evaluations_ - len(model.trace_["value"])
    assert screening >= sum(start["n_iter"] + 1 for start in model.starts_)


def test_evidence_of_starts_is_that_of_the_rows_they_were_screened_on():
    """In the user's nats: a start on 1,000 of 1,500 rows has no more of log std(y) than these rows."""
    X, y, _ = table(2, n=1500)
    settings = {"n_frequencies": 4, "n_posterior_frequencies": None, "n_restarts": 2, "max_iter": 2}
    plain, scaled = (
        GPRegressor("ard", max_iter_restart=1, random_state=0, n_jobs=1, **settings).fit(X, y * s) for s in (1.0, 1e3)
    )
    for left, right in zip(plain.starts_, scaled.starts_, strict=True):
        shift = left["log_marginal_likelihood"] - right["log_marginal_likelihood"]
        assert shift == pytest.approx(1000 * np.log(1e3), rel=1e-6)


def test_the_warning_does_not_contradict_itself():
    """It asks for a larger max_iter only where that was reached."""
    X, y, _ = table(2, n=40)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 reached.*raise max_iter \(now 2\)"):
        GPRegressor("ard", max_iter=2, n_restarts=1, tol=0.0, random_state=0).fit(X, y)
    run = Run(np.zeros(3), 1.0, 5, Ending(Stop.MAX_ITER, converged=False, limit=5), 2, [(1.0, 1.0, 0.0)])
    fit = search_result(run, [run, run])
    assert "2 evaluation(s) gave no finite value" in shortfall(fit)
    assert "raise max_iter" not in shortfall(fit)
    assert shortfall(search_result(replace(run, n_failed=0), [run, run])) is None


def search_result(run, runs):
    """As much of a `Fit` as the warning reads."""
    settings = SimpleNamespace(kernel="ard", max_iter=150, tol=0.1)
    learned = SimpleNamespace(run=run, runs=runs)
    return SimpleNamespace(best=SimpleNamespace(learned=learned), search=SimpleNamespace(settings=settings))
