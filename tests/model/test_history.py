"""The trace of a fit: every evaluation, in the user's nats."""

import numpy as np
import pytest

from alakarte import GPRegressor
from problems import table

pytestmark = pytest.mark.usefixtures("one_blas_thread")


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
