"""Variances from few directions: the bound holds for every row, whatever the directions are."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels import ARD, GaussianMixture
from alakarte.posteriors import projected
from alakarte.posteriors.projected import COLUMNS_PER_DIRECTION, SHARE, _with_directions, projected_variance
from alakarte.posteriors.weights import WeightPosterior


def smooth_table(n=600, noise=0.3):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] + noise * rng.standard_normal(n)


KERNELS = {
    "ard": ("ard", {"n_frequencies": 128}),
    "gm": ("gm", {"n_components": 2, "n_frequencies": 32}),
    # of two and of four columns
    "a sum": (ARD(fixed={"amplitude": 3.0}) + GaussianMixture(), {"n_components": 1, "n_frequencies": 48}),
}


@pytest.fixture(scope="module", params=KERNELS)
def posterior(request):
    X, y = smooth_table()
    kernel, sizes = KERNELS[request.param]
    model = GPRegressor(kernel, n_restarts=1, max_iter=0, random_state=0, **sizes).fit(X, y)
    assert isinstance(model.model_.posterior, WeightPosterior)
    return replace(model.model_.posterior, reach=None)  # of what rows do not reach it knows nothing


def queries():
    """Rows like those of the fit, and others far from all of them."""
    rng = np.random.default_rng(1)
    return np.vstack([rng.standard_normal((50, 3)), 5 * rng.standard_normal((50, 3))])


def test_the_bound_holds_for_every_row(posterior):
    found = projected_variance(posterior, 0.02 * posterior.noise_variance, np.random.default_rng(0))
    assert found is not None
    assert found.rank <= posterior.n_basis // COLUMNS_PER_DIRECTION
    x = queries()
    variance, bound = found.variance_and_bound(posterior.features.phi(x))
    exact = posterior.variance(x)[:, 0]
    assert (np.abs(variance - exact) <= bound + 1e-12).all()
    assert bound[50:].max() > bound[:50].mean()  # far away it says that it does not know


def test_the_bound_holds_for_directions_that_mean_nothing(posterior):
    """Their e_i are not small then, and must be part of the bound."""
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((posterior.n_basis, 20)))[0].T
    found = _with_directions(posterior, np.ascontiguousarray(basis))
    x = queries()
    variance, bound = found.variance_and_bound(posterior.features.phi(x))
    exact = posterior.variance(x)[:, 0]
    assert (np.abs(variance - exact) <= bound + 1e-12).all()
    without = replace(found, cross=0 * found.cross).variance_and_bound(posterior.features.phi(x))[1]
    assert (np.abs(variance - exact) > without).any()


def test_directions_suffice_for_rows_of_the_fit(posterior):
    X, _ = smooth_table()
    tolerance = 0.02 * posterior.noise_variance
    found = projected_variance(posterior, tolerance, np.random.default_rng(0))
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    bound = found.variance_and_bound(posterior.features.phi(scaled))[1]
    assert bound.mean() <= 1.1 * SHARE * tolerance


def test_little_noise_needs_too_many_directions(posterior):
    assert projected_variance(posterior, 1e-12 * posterior.noise_variance, np.random.default_rng(0)) is None


def test_few_directions_tell_that_many_will_not_do(posterior, monkeypatch):
    tried, directions = [], projected._leading_directions
    monkeypatch.setattr(projected, "FIRST_RANK", 4)
    monkeypatch.setattr(
        projected, "_leading_directions", lambda *parts: tried.append(len(parts[2])) or directions(*parts)
    )
    flat = replace(
        posterior, diagonal=np.full(posterior.n_basis, posterior.diagonal.max()), factor=0 * posterior.factor
    )
    assert projected.projected_variance(flat, 1e-3 * posterior.noise_variance, np.random.default_rng(0)) is None
    assert tried == [4]
