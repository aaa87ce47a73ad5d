"""The average of the function over rows equals the average of predictions, for every kind of posterior."""

import numpy as np
import pytest

from alakarte.posteriors.averaged import averaged
from alakarte.posteriors.averaged_kernel import Replaced
from model.kept_models import RECIPES, X, fitted


@pytest.mark.parametrize("name", sorted(set(RECIPES) - {"features", "votes"}))
def test_mean_and_variance_are_those_of_averaged_predictions(name):
    model = fitted(name).model_
    variables = model.scaling.variables
    columns = np.array([1]) if variables is None else np.flatnonzero(variables.of_column == 2)
    moved = np.repeat(X[:1], 3, axis=0)
    if variables is None:
        moved[:, 1] = [0.0, 1.0, 30.0]  # the last out of reach of all rows
    else:
        moved[:, 2] = [0.0, 1.0, 2.0]
    rows = Replaced(model.scaling.inputs(X), columns, model.scaling.inputs(moved)[:, columns])
    mean, variance = averaged(model.posterior, rows)
    for g in range(3):
        z = rows.at(g)
        np.testing.assert_allclose(mean[g], model.posterior.mean(z).mean(axis=0), rtol=0, atol=1e-10)
        direct = model.posterior.covariance(z).mean(axis=(0, 1))
        np.testing.assert_allclose(variance[g], direct, rtol=1e-6, atol=1e-12)
