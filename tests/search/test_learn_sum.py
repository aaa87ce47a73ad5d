"""A sum is learned part by part, then by weights, then as a whole."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels import ARD, RBF, GaussianMixture, Matern
from problems import naming, same_bits, table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SHORT = {"n_restarts": 2, "max_iter": 15, "random_state": 0, "n_jobs": 1}


def waves(n=80, seed=0):
    """A slow function and a fast one, of different inputs."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return X, np.sin(X[:, 0]) + 0.5 * np.sin(7 * X[:, 1]) + 0.05 * rng.standard_normal(n)


def test_a_sum_has_more_evidence_than_each_of_its_parts():
    X, y = waves()
    whole = GPRegressor(ARD() + Matern(), **SHORT).fit(X, y).log_marginal_likelihood_
    for part in (ARD(), Matern()):
        assert whole > GPRegressor(part, **SHORT).fit(X, y).log_marginal_likelihood_ - 0.2


def test_copies_of_one_kernel_find_several_scales():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, (120, 1))
    y = 3 * np.sin(X[:, 0] / 2) + 0.3 * np.sin(9 * X[:, 0]) + 0.05 * rng.standard_normal(120)
    alone = GPRegressor("ard", **SHORT).fit(X, y)
    twice = GPRegressor(ARD() + ARD(), **SHORT | {"max_iter": 60}).fit(X, y)
    first, second = twice.kernel_.ard1_lengthscale, twice.kernel_.ard2_lengthscale
    assert np.abs(np.log(first / second)).max() > 1
    assert twice.log_marginal_likelihood_ > alone.log_marginal_likelihood_ + 10


def test_without_iterations_parts_and_weights_stay_as_they_began():
    X, y, _ = table(3)
    model = GPRegressor(ARD() + GaussianMixture(), max_iter=0, n_components=2, random_state=0, n_jobs=1).fit(X, y)
    assert np.isfinite(model.log_marginal_likelihood_)
    assert model.n_components_ == 3


def test_a_short_time_and_threads():
    X, y = waves(60)
    assert np.isfinite(GPRegressor(RBF() + ARD(), max_time=0.05, random_state=0).fit(X, y).predict(X)).all()
    for expansion in ("auto", "fastfood"):
        with naming(expansion):
            models = [
                GPRegressor(RBF() + ARD(), **SHORT | {"n_jobs": n, "expansion": expansion}).fit(X, y) for n in (1, 2)
            ]
            assert same_bits(*models, X)


def test_parts_are_learned_as_they_are_alone():
    """The same random streams: with no steps for the sum, its parts are those of fits of their own."""
    X, y = waves(50)
    settings = SHORT | {"expansion": "exact"}
    model = GPRegressor(RBF() + ARD(), **settings).fit(X, y)
    alone = [GPRegressor(kernel, **settings).fit(X, y) for kernel in (RBF(), ARD())]
    assert len(model.starts_) == sum(len(part.starts_) for part in alone)
    for mine, own in zip(model.starts_, [start for part in alone for start in part.starts_], strict=True):
        assert np.array_equal(mine["theta"], own["theta"])
