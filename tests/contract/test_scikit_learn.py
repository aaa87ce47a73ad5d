"""scikit-learn's own checks of an estimator, all of them: no check is expected to fail."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from alakarte import FastfoodFeatures, GPClassifier, GPCountRegressor, GPRegressor
from alakarte.kernels import PiecewiseLinear

SMALL = {"n_components": 2, "n_frequencies": 8, "n_restarts": 2, "max_iter": 10, "max_iter_restart": 4}
MODELS = [
    GPRegressor(**SMALL),
    GPRegressor("ard", expansion="exact", **SMALL),
    GPRegressor("ssgpr", **SMALL),
    GPRegressor(PiecewiseLinear(n_knots=3), **SMALL),
    GPRegressor(n_restarts=1, max_iter=5),  # closed forms, averaged
    GPRegressor("ard", likelihood="student_t", **SMALL),
    GPRegressor("ard", likelihood="student_t", expansion="exact", **SMALL),
    GPClassifier("ard", **SMALL),
    GPClassifier("ard", inference="laplace", expansion="exact", **SMALL),
    GPClassifier(n_restarts=1, max_iter=5),
    GPCountRegressor("ard", **SMALL),
    GPCountRegressor("ard", likelihood="poisson", expansion="exact", **SMALL),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MODELS)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.skipif(find_spec("pandas") is None, reason="scikit-learn skips some of its checks without pandas")
def test_scikit_learn_with_the_array_api_switched_on():
    """SCIPY_ARRAY_API=1 must be set before SciPy is imported: another process."""
    program = (
        "import warnings; from sklearn.exceptions import ConvergenceWarning; "
        "from sklearn.utils.estimator_checks import check_estimator; from test_scikit_learn import MODELS; "
        "warnings.simplefilter('error'); warnings.simplefilter('ignore', ConvergenceWarning); "
        "results = [r for model in MODELS[:2] for r in check_estimator(model, on_skip=None)]; "
        "print(len(results), [r['check_name'] for r in results if r['status'] != 'passed'])"
    )
    here = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": here}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    count, failed = done.stdout.split(" ", 1)
    assert int(count) > 100
    assert failed.strip() == "[]"


@pytest.mark.parametrize("kernel", ["rbf", "ard", "matern12", "matern32", "matern52"])
@pytest.mark.parametrize("n_components", [15, 16])
def test_scikit_learn_contract(kernel, n_components):
    estimator = FastfoodFeatures(kernel=kernel, n_components=n_components, n_jobs=1)
    results = check_estimator(estimator, on_skip=None)
    others = {(r["check_name"], r["status"]) for r in results if r["status"] != "passed"}
    assert others <= {("check_array_api_input", "skipped")}  # it runs where SCIPY_ARRAY_API is set
