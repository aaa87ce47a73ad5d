"""`random_state` may be anything that scikit-learn takes."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from problems import table

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
SMALL = {"n_components": 2, "n_frequencies": 6, "n_restarts": 2, "max_iter": 5, "max_iter_restart": 2, "n_jobs": 1}


def small(kernel="gm", **settings):
    return GPRegressor(kernel, **(SMALL | {"random_state": 0} | settings))


@pytest.fixture(scope="module")
def data():
    X, y, _ = table(3, n=50)
    return X, y


def test_random_state_may_be_anything_that_scikit_learn_takes(data):
    by_seed = small("ard", random_state=3).fit(*data).theta_
    assert np.array_equal(by_seed, small("ard", random_state=np.random.RandomState(3)).fit(*data).theta_)
    by_generator = [small("ard", random_state=np.random.default_rng(3)).fit(*data).theta_ for _ in range(2)]
    assert np.array_equal(*by_generator)
    assert np.isfinite(small("ard", random_state=None).fit(*data).theta_).all()
