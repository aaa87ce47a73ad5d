"""Awkward queries, weights, settings and noise: finite predictions, or an error that says what is wrong."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from contract.tables import (
    DAYS,
    MODELS,
    N_ROWS,
    NUMBERS,
    SMALL,
    TABLE,
    TARGET,
    Case,
    changed,
    check_predictions,
    check_refusal,
    model,
    named,
    objects,
)
from problems import naming

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
QUERIES = [
    Case("other width", TABLE[:, :2], None, (ValueError, "2 features", "expecting 3 features")),
    Case("NaN", changed(TABLE, (3, 1), np.nan), None, (ValueError, "NaN", "row 3, column 1", "impute")),
    Case("no rows", TABLE[:0], None, (ValueError, "0 sample(s)", "minimum of 1")),
    Case("one dimension", TABLE[0], None, (ValueError, "Expected 2D array", "reshape(1, -1)")),
    Case("dates", np.tile(DAYS[:, None], 3), None, (ValueError, "dates", "datetime64", *NUMBERS)),
    Case("strings", changed(objects(TABLE), (2, 1), "red"), None, (ValueError, "'red'", "row 2, column 1", *NUMBERS)),
    Case("sparse", sparse.csr_array(TABLE), None, (TypeError, "Sparse", "toarray")),
    Case("1e300 away", TABLE + np.array([1e300, -1e300, 0]), None),
    Case("the ends of float64", np.sign(TABLE) * np.finfo(float).max, None),
    Case("subnormal", TABLE * 1e-310, None),
    Case("nested lists", TABLE[:2].tolist(), None),
]


@pytest.fixture(scope="module")
def fitted():
    with warnings.catch_warnings():  # the menu means its few iterations, one kernel warns of them
        warnings.simplefilter("ignore", ConvergenceWarning)
        return {name: model(name, tol=0.0).fit(TABLE, TARGET) for name in MODELS}


@named(QUERIES)
def test_query(case, fitted):
    for name, one in fitted.items():
        with naming(name):
            if case.error:
                check_refusal(case.error, one.predict, case.X)
            else:
                check_predictions(one, case.X)


WEIGHTS = {
    "negative": (changed(np.ones(N_ROWS), 5, -2.0), (ValueError, "sample_weight[5]", "-2.0", "≥ 0")),
    "all zero": (np.zeros(N_ROWS), (ValueError, "sample_weight", "zero", "positive")),
    "NaN": (changed(np.ones(N_ROWS), 5, np.nan), (ValueError, "sample_weight", "NaN", "row 5")),
    "infinite": (changed(np.ones(N_ROWS), 5, np.inf), (ValueError, "sample_weight", "infinity", "row 5")),
    "wrong length": (np.ones(5), (ValueError, "sample_weight", "(5,)", "(24,)", "row")),
    "two dimensions": (np.ones((N_ROWS, 1)), (ValueError, "1D", "24")),
    "strings": (["heavy"] * N_ROWS, (ValueError, "sample_weight", "'heavy'", "row 0", "number")),
    "huge": (np.full(N_ROWS, 1e300), (ValueError, "sample_weight", "1e+15", "divide")),
    "tiny": (np.full(N_ROWS, 1e-300), (ValueError, "sample_weight", "1e-15", "multiply")),
    "dates": (DAYS, (ValueError, "sample_weight", "dates", *NUMBERS)),
    "NaN for all": (np.nan, (ValueError, "sample_weight", "NaN")),
    "mixed sizes": (10.0 ** np.linspace(-300, 10, N_ROWS), ()),
    "some zero": (changed(np.ones(N_ROWS), slice(0, 20), 0), ()),
    "scalar": (2, ()),
    "integers in a list": ([1, 2, 3] * 8, ()),
}


@pytest.mark.parametrize(("weight", "error"), WEIGHTS.values(), ids=[key.replace(" ", "_") for key in WEIGHTS])
def test_weights(weight, error):
    for name in MODELS:
        with naming(name):
            if error:
                check_refusal(error, model(name).fit, TABLE, TARGET, weight)
            else:
                check_predictions(model(name).fit(TABLE, TARGET, weight), TABLE)


SETTINGS = {
    "noise_std": [-1.0, np.nan, np.inf, "small"],
    "tol": [-1.0, np.nan, "0.1"],
    "n_components": [0, 1.5, True, "2"],
    "n_frequencies": [0, -8],
    "n_restarts": [0, 2.0],
    "max_iter": [-1, None],
    "max_iter_restart": [-1],
    "expansion": ["fast", None],
    "kernel": ["gaussian", None, 3],
    "n_jobs": [0, 1.5, "all"],
    "random_state": ["seed"],
}


@pytest.mark.parametrize(("name", "values"), SETTINGS.items())
def test_setting_is_refused_by_name_and_value(name, values):
    for value in values:
        with naming(value), pytest.raises((ValueError, TypeError)) as caught:
            GPRegressor(**SMALL | {name: value}).fit(TABLE, TARGET)
        assert str(value) in str(caught.value)
        assert name in str(caught.value) or name == "random_state"


@pytest.mark.parametrize("noise_std", [0, 1e-300, np.float32(0.1), 1e50])
def test_extreme_noise(noise_std):
    for name in MODELS:
        with naming(name):
            check_predictions(model(name, noise_std=noise_std).fit(TABLE, TARGET), TABLE)


@pytest.mark.parametrize("unit", [1e-310, 1.0])
def test_noise_in_other_units_is_refused(unit):
    error = (ValueError, "noise_std = 1e+300", "1e+100", "units")
    check_refusal(error, model(noise_std=1e300).fit, TABLE, TARGET * unit)
