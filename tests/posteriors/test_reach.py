"""Far from rows: no more is told than rows can tell, the prior remains, and all ways to predict agree."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte
from alakarte import GPRegressor
from alakarte.data.arrays import ArrayRows
from alakarte.kernels import ARD, MaternMixture
from alakarte.posteriors.low_rank import LowRankPosterior
from alakarte.posteriors.reach import reach_of
from alakarte.posteriors.weights import WeightPosterior
from alakarte.process.problem import process_at
from problems import posterior_at, problem

FAR = 300.0  # of standard deviations: beyond all length-scales
SHORT = {"max_iter": 4, "max_iter_restart": 1, "n_restarts": 1, "random_state": 0, "n_jobs": 1}


def variance_of(made, theta):
    return np.exp(2 * process_at(made, theta).spectrum.log_amplitude)


@pytest.mark.parametrize("kernel", ["ard", "gm", "gm_full", "matern0.5", ARD() + MaternMixture(2.5)])
def test_no_rows_can_tell_more(kernel):
    """The variance that the exact process has left is at least v²h, at any distance."""
    made, theta = problem(kernel, (3, 2, 8), "exact", n=60)
    direction = np.random.default_rng(3).standard_normal((40, 3))
    x = direction * np.geomspace(0.5, FAR, 40)[:, None]
    unknown = reach_of(process_at(made, theta)).unknown(x)
    left = posterior_at(made, theta).variance(x)[:, 0]
    assert (left >= unknown @ variance_of(made, theta) - 1e-9).all()
    assert ((unknown > 0) & (unknown < 1)).any()  # between near and far
    assert np.allclose(unknown[-1], 1)
    assert not reach_of(process_at(made, theta)).unknown(made.rows.x).any()


@pytest.mark.parametrize(("n", "kind"), [(90, WeightPosterior), (12, LowRankPosterior)])
def test_far_from_all_rows_the_prior_remains(n, kind):
    made, theta = problem("gm", (3, 2, 8), n=n)
    got, variance = posterior_at(made, theta), variance_of(made, theta).sum()
    assert type(got) is kind
    plain, x = replace(got, reach=None), made.rows.x
    far = np.array([[FAR, 0, 0], [FAR + 1e-3, 0, 0], [0, -FAR, FAR]])
    both = np.vstack([x[:5], far])
    assert np.array_equal(got.mean(x), plain.mean(x))
    assert np.array_equal(got.variance(x), plain.variance(x))
    assert np.array_equal(got.mean(both)[:5], got.mean(x)[:5])  # company changes no bit
    assert np.array_equal(got.variance(both)[:5], got.variance(x)[:5])
    assert np.allclose(got.mean(far), 0)
    assert np.allclose(got.variance(far), variance)
    assert (np.abs(plain.mean(far)) > 0.01).any()
    covariance = got.covariance(both)[:, :, 0]
    assert np.allclose(covariance.diagonal(), got.variance(both)[:, 0])
    assert np.allclose(covariance[:5, 5:], 0)
    assert covariance[5, 6] > 0.9 * variance  # neighbours far away are alike
    n_samples = 4000
    drawn = got.sample(both, n_samples, np.random.default_rng(0))[:, 0]
    scale = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
    assert (np.abs(np.cov(drawn) - covariance) < 5 * np.sqrt(2 / n_samples) * scale).all()
    assert (np.abs(drawn.mean(axis=1) - got.mean(both)[:, 0]) < 5 * np.sqrt(covariance.diagonal() / n_samples)).all()


@pytest.mark.parametrize("n", [90, 12])
def test_rows_that_join_extend_it(n):
    made, theta = problem("ard", (3, 1, 40), n=n)
    before, far = posterior_at(made, theta), np.array([[FAR, 0.0, 0.0]])
    joined = ArrayRows(far, np.ones((1, 1)), np.ones(1))
    after = before.changed(joined, 1)
    assert type(after) is type(before)
    assert after.mean(far)[0, 0] > 0.2
    assert after.variance(far) < 0.8 * before.variance(far)
    assert np.allclose(after.mean(-far), 0)


@pytest.mark.parametrize("kernel", ["fsard", "ssgpr", "pwl"])
def test_kernels_without_a_closed_form_have_none(kernel):
    made, theta = problem(kernel, (3, 1, 8))
    assert reach_of(process_at(made, theta)) is None


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_all_ways_to_predict_agree(tmp_path):
    """Estimator, predictor by one row and by some, a file, a graph; std as the interval and samples have it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(200)
    kernel = ARD() + MaternMixture()
    model = GPRegressor(kernel, expansion="fastfood", n_components=2, n_frequencies=20, **SHORT).fit(X, y)
    x = X[:30] * np.linspace(1, 40, 30)[:, None]
    unknown = model.model_.posterior.reach.unknown(model.model_.scaling.inputs(x))
    assert ((unknown > 0) & (unknown < 1)).any()
    mean, std = model.predict(x, return_std=True)
    model.save(tmp_path / "model.alk")
    again = alakarte.load(tmp_path / "model.alk")
    assert np.array_equal(again.predict(x, return_std=True), (mean, std))
    for prepared in (model.predictor(std="auto"), model.predictor(std="exact")):
        assert np.allclose(prepared(x), (mean, std), rtol=1e-2, atol=1e-10)
        assert np.allclose([prepared(row) for row in x], np.transpose([mean, std]), rtol=1e-2, atol=1e-10)
    assert np.allclose(model.predictor(std=None)(x), mean)
    runtime = pytest.importorskip("onnxruntime")
    model.to_onnx(tmp_path / "model.onnx", dtype="float64")
    session = runtime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    assert np.allclose([part.ravel() for part in session.run(["mean", "std"], {"X": x})], (mean, std), atol=1e-10)
