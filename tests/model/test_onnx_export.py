"""A graph of ONNX predicts as the estimator does, up to the rounding that it states: a second implementation."""

import sys
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from alakarte import FastfoodFeatures, GPClassifier, GPCountRegressor, GPRegressor, InvalidInput, Unavailable
from alakarte.data.compress import Tails
from model.kept_models import RECIPES, X, fitted, moved

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

REFUSED = {
    "input_noise": "a noise that depends on the input",
    "neighbours": "LocalPosterior",
    "votes": "VotesPosterior",
}
MODELS = [
    name
    for name, (estimator, _) in RECIPES.items()
    if not isinstance(estimator, FastfoodFeatures) and name not in REFUSED
]
MOST = {"float32": 1e-5, "float64": 1e-12}  # of std(y)


def run(path, rows):
    """Outputs by name."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": rows}), strict=True))


def expected(model, rows):
    """What the estimator says, by the names of the graph."""
    if isinstance(model, GPClassifier):
        return {"probabilities": model.predict_proba(rows)}
    mean, std = model.predict(rows, return_std=True)
    if isinstance(model, GPCountRegressor) or not model.model_.likelihood.is_exact:
        return {"mean": mean, "std": std}
    low, high = model.predict_interval(rows, 0.9)
    return {"mean": mean, "std": std, "low": low, "high": high}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MODELS)
def test_the_graph_predicts_as_the_estimator(name, dtype, tmp_path):
    model, rows = fitted(name), moved(X).astype(dtype)
    exported = model.to_onnx(tmp_path / "model.onnx", dtype=dtype, coverage=0.9)
    found, known = run(tmp_path / "model.onnx", rows), expected(model, rows.astype(np.float64))
    spread = 1.0 if isinstance(model, GPClassifier) else np.std(RECIPES[name][1])
    assert set(exported.outputs) == {*known, *(["label"] if isinstance(model, GPClassifier) else [])}
    for output, values in known.items():
        assert found[output].dtype == dtype
        assert found[output].shape == values.shape
        assert np.abs(found[output] - values).max() <= MOST[dtype] * spread, output
    if isinstance(model, GPClassifier):
        assert found["label"].tolist() == [str(label) for label in model.predict(rows.astype(np.float64))]
    elif isinstance(model, GPRegressor):
        assert np.abs(found["mean"] - known["mean"]).max() <= exported.bound


@pytest.mark.parametrize(("dtype", "most"), [("float32", 1e-2), ("float64", 1e-9)])
def test_bounds_say_something(dtype, most, tmp_path):
    for name in ("rows", "weights", "weights_fast", "low_rank"):
        exported = fitted(name).to_onnx(tmp_path / "model.onnx", dtype=dtype)
        assert exported.bound <= most * np.std(RECIPES[name][1]), name


def test_compressed_inputs_and_large_offsets(tmp_path):
    """Tails are drawn in, and offsets are taken away in double precision."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2)) * [1, 4] + np.array([0, 2000])
    y = 1e4 + np.sin(X[:, 1]) + np.arctan(X[:, 0])
    model = GPRegressor("ard", n_restarts=1, max_iter=0, random_state=0).fit(X, y)
    tails = Tails(np.array([0.1, 0.0]), np.array([0.5, 0.7]))
    model.model_ = replace(model.model_, scaling=replace(model.model_.scaling, tails=tails))
    rows = (3 * X).astype(np.float32)
    model.to_onnx(tmp_path / "model.onnx", dtype="float64")
    found = run(tmp_path / "model.onnx", rows.astype(np.float64))
    known = model.predict(rows.astype(np.float64), return_std=True)
    for values, output in zip(known, ("mean", "std"), strict=True):
        assert np.abs(found[output] - values).max() <= 1e-11 * np.std(y)
    exported = model.to_onnx(tmp_path / "model.onnx")
    assert np.abs(run(tmp_path / "model.onnx", rows)["mean"] - known[0]).max() <= exported.bound


def test_labels_that_are_numbers_stay_numbers(tmp_path):
    labels = (X[:, 0] > 0).astype(np.int32) + 3
    model = GPClassifier("rbf", n_restarts=1, max_iter=0, random_state=0).fit(X, labels)
    model.to_onnx(tmp_path / "model.onnx")
    assert run(tmp_path / "model.onnx", X.astype(np.float32))["label"].tolist() == model.predict(X).tolist()


def test_what_has_no_form_of_onnx_is_named(tmp_path, monkeypatch):
    with pytest.raises(InvalidInput, match="dtype='float16'"):
        fitted("rows").to_onnx(tmp_path / "model.onnx", dtype="float16")
    with pytest.raises(InvalidInput, match="coverage=95"):
        fitted("rows").to_onnx(tmp_path / "model.onnx", coverage=95)
    words = np.column_stack([X[:, 0].astype(object), np.where(X[:, 1] > 0, "a", "b")])
    model = GPRegressor("rbf", categorical_features=[1], n_restarts=1, max_iter=0).fit(words, X[:, 0])
    with pytest.raises(Unavailable, match="column 1 is a category of words"):
        model.to_onnx(tmp_path / "model.onnx")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(Unavailable, match=r'pip install "alakarte\[onnx\]"'):
        fitted("rows").to_onnx(tmp_path / "model.onnx")


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_graph_is_refused_by_name(name, tmp_path):
    with pytest.raises(Unavailable, match=REFUSED[name]):
        fitted(name).to_onnx(tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []


def test_corrected_log_odds_are_in_the_graph(tmp_path):
    model = deepcopy(fitted("two_classes"))
    before = model.predict_proba(X)
    model.model_ = replace(model.model_, posterior=replace(model.model_.posterior, sharpness=1.7, doubt=0.2))
    model.to_onnx(tmp_path / "model.onnx", dtype="float64")
    found = run(tmp_path / "model.onnx", X)["probabilities"]
    assert np.abs(found - model.predict_proba(X)).max() <= MOST["float64"]
    assert np.abs(found - before).max() > 0.01
