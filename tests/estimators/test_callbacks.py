"""Scikit-learn's callbacks hear of a fit, alone and within a pipeline or a search, and can end it."""

import importlib.util
import pickle
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import alakarte.estimators.callbacks as callbacks
from alakarte import GPClassifier, GPCountRegressor, GPRegressor, load
from alakarte.execution.budget import Budget

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X = np.random.default_rng(0).standard_normal((60, 2))
y = np.sin(X[:, 0])
SHORT = {"max_iter": 8, "max_iter_restart": 2, "n_restarts": 2, "random_state": 0, "n_jobs": 1, "tol": 0.0}
NEEDS = "scikit-learn before 1.9 has no callbacks"


class Notes:
    """Remembers what it hears; asks to stop after so many iterations."""

    def __init__(self, most=None):
        self.most, self.heard = most, []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X=None, fitted_estimator=None):
        self.heard.append(f"end {context.task_name}")
        if context.task_name == "fit":
            assert fitted_estimator.predict(X).shape == (60,)
        return self.most is not None and self.heard.count("end iteration") >= self.most


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (GPRegressor("ard", **SHORT), y),
        (GPRegressor("ard", likelihood="heteroscedastic", **SHORT), y),
        (GPClassifier("rbf", **SHORT), y > 0),
        (GPCountRegressor("rbf", **SHORT), np.round(np.exp(y))),
    ],
)
def test_a_fit_is_a_task_with_iterations(model, target):
    pytest.importorskip("sklearn.callback", reason=NEEDS)
    notes, plain = Notes(), clone(model).fit(X, target)
    model.set_callbacks(notes).fit(X, target)
    assert notes.heard[:2] == ["setup", "begin fit"]
    assert notes.heard[-2:] == ["end fit", "teardown"]
    if model.get_params().get("likelihood") != "heteroscedastic":
        assert notes.heard.count("end iteration") >= 1
        assert notes.heard.count("end restart") >= 1
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_a_callback_ends_a_fit_and_the_best_so_far_is_kept():
    pytest.importorskip("sklearn.callback", reason=NEEDS)
    model = GPRegressor("ard", **SHORT).set_callbacks(Notes(most=3)).fit(X, y)
    assert model.stop_reason_ == "interrupted"
    assert model.n_iter_ < GPRegressor("ard", **SHORT).fit(X, y).n_iter_
    assert np.isfinite(model.predict(X)).all()


def test_several_runs_side_by_side():
    pytest.importorskip("sklearn.callback", reason=NEEDS)
    notes = Notes()
    GPRegressor(**SHORT | {"n_jobs": 2}).set_callbacks(notes).fit(X, y)
    begun, ended = (sum(heard.startswith(word) for heard in notes.heard) for word in ("begin", "end"))
    assert begun == ended > 5


def test_files_and_pickles_do_without(tmp_path):
    pytest.importorskip("sklearn.callback", reason=NEEDS)
    model = GPRegressor("ard", **SHORT).set_callbacks(Notes()).fit(X, y)
    model.save(tmp_path / "model.alk")
    assert load(tmp_path / "model.alk").predict(X).tolist() == model.predict(X).tolist()
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


def test_bars_and_scores_of_scikit_learn(capsys):
    callback = pytest.importorskip("sklearn.callback", reason=NEEDS)
    pytest.importorskip("rich")
    monitor = callback.ScoringMonitor(scoring="r2")
    pipeline = make_pipeline(StandardScaler(), GPRegressor("ard", **SHORT).set_callbacks(monitor))
    pipeline.set_callbacks(callback.ProgressBar(max_propagation_depth=None)).fit(X, y)
    assert "GPRegressor" in capsys.readouterr().out
    assert len(monitor.get_logs().data) >= 1
    search = GridSearchCV(GPRegressor("ard", **SHORT), {"max_iter": [0, 2]}, cv=2)
    search.set_callbacks(callback.ProgressBar(max_propagation_depth=None)).fit(X, y)
    assert search.best_score_ > 0


def test_without_them_nothing_is_missed(monkeypatch):
    """As with scikit-learn before 1.9: nothing is inherited, and `fit` is as it was written."""
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    spec = importlib.util.spec_from_file_location("callbacks_of_older_versions", callbacks.__file__)
    older = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(older)
    assert not hasattr(older.Told, "set_callbacks")
    assert older.tells_callbacks(test_several_runs_side_by_side) is test_several_runs_side_by_side
    assert older.Listener(GPRegressor(), Budget())("iteration") is None
