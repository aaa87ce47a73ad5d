"""What a fit leaves: a frozen record of plain numbers and plain words."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from alakarte.kernels import Matern, PiecewiseLinear
from problems import small

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_it_is_all_that_a_fitted_estimator_keeps(data):
    model = small("ard")
    settings = set(vars(model))
    model.fit(*data)
    assert set(vars(model)) - settings == {"model_", "n_features_in_"}
    with pytest.raises(FrozenInstanceError):
        model.model_.theta = model.theta_


def test_fitted_attributes_are_not_there_before_a_fit(data):
    names = ["kernel_", "noise_std_", "log_marginal_likelihood_", "ranking_", "trace_", "n_basis_", "theta_labels_"]
    for name in names:
        with pytest.raises(AttributeError, match=f"no '{name}' before fit"):
            getattr(small("ard"), name)


@pytest.mark.parametrize("kernel", ["gm", Matern(2.5), PiecewiseLinear(n_knots=3), "ssgpr"], ids=str)
def test_words_and_arrays_are_plain(kernel, data):
    model = small(kernel).fit(*data).model_
    words = json.loads(json.dumps(model.description()))
    assert words["kernel"] == model.kernel.kernel.name
    assert words["kernel_settings"] == json.loads(json.dumps(model.kernel.kernel.get_params(deep=False)))
    assert words["parameters"] == model.problem.layout.labels()
    arrays = model.arrays()
    assert all(isinstance(array, np.ndarray) and array.dtype.kind in "fiub" for array in arrays.values())
    for name in ("theta", "scaling.x_scale", "scaling.y_mean", "posterior.weight_mean", "problem.draws.directions"):
        assert name in arrays, name
