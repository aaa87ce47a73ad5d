"""Full covariances of `gm`: today's gm where nothing is mixed, everything else that an estimator does, and what for."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte
from alakarte import GPRegressor, InvalidInput, Unavailable
from alakarte.kernels import ARD, GaussianMixture
from alakarte.kernels.full_covariance import RANK, input_map, rank_of
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.search.set_up import parameter_layout
from problems import problem, scaling_of, set_value, table, values_at, ways

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SHORT = {"n_components": 1, "max_iter": 6, "max_iter_restart": 2, "n_restarts": 1, "random_state": 0, "n_jobs": 1}


@pytest.mark.parametrize("expansion", ["fastfood", "dense", "exact"])
def test_without_mixing_it_is_the_diagonal_kernel(expansion):
    made, theta = problem("gm_full", (5, 2, 6), expansion)
    theta = set_value(made, theta, mixing=np.zeros((2, 4, 5)))
    scaling = scaling_of(*table(5)[:2])
    layout = parameter_layout(GaussianMixture(), made.likelihood, made.draws.shape, scaling)
    for way in ways(expansion):
        full = replace(made, **way)
        plain = replace(full, kernel=GaussianMixture(), layout=layout)
        values = values_at(full, theta)
        value, gradient = nlml_gradient(full, theta)
        expected, of_plain = nlml_gradient(plain, plain.layout.pack(values))
        assert value == pytest.approx(expected, rel=1e-10)
        gradient, of_plain = full.layout.unpack(gradient), plain.layout.unpack(of_plain)
        for name, part in of_plain.items():
            assert np.allclose(gradient[name], part, rtol=1e-8, atol=1e-8)


def test_turning_the_mixed_space_changes_nothing():
    """J enters by JᵀJ alone; and every covariance of few inputs can be had."""
    made, theta = problem("gm_full", (4, 1, 4), "exact")
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    turned = set_value(made, theta, mixing=turn @ values_at(made, theta)["mixing"])
    assert nlml(made, turned) == pytest.approx(nlml(made, theta), rel=1e-12)
    root = np.random.default_rng(1).standard_normal((4, 4))
    values, vectors = np.linalg.eigh(root @ root.T)
    least = np.sqrt(values[0])
    J = (np.sqrt(np.sqrt(values) / least - 1) * vectors).T[1:]
    A = input_map(np.full((1, 4), least), J[None])[0]
    assert np.allclose(A.T @ A, root @ root.T)


def test_the_rank_follows_inputs_and_the_user():
    assert [rank_of("full", None, d) for d in (1, 2, 5, 50)] == [0, 1, 4, RANK]
    assert [rank_of("full", 2, d) for d in (2, 9)] == [1, 2]
    assert rank_of("diagonal", 3, 9) == 0
    X, y, _ = table(3)
    for kernel, words in ((GaussianMixture(covariance="round"), "'round'"), (GaussianMixture(rank=0), "rank=0")):
        with pytest.raises(InvalidInput, match=words):
            GPRegressor(kernel, **SHORT).fit(X, y)


def test_what_cannot_be_mixed_is_refused_by_name():
    with pytest.raises(Unavailable, match="covariance='full'"):
        ARD() + GaussianMixture(covariance="full")
    X, y, _ = table(3)
    with pytest.raises(Unavailable, match="covariance='full'"):
        GPRegressor(GaussianMixture(covariance="full"), expansion="local").fit(X, y)


@pytest.mark.parametrize("n_frequencies", [None, 8])
def test_a_fit_can_be_told_and_kept(tmp_path, n_frequencies):
    X, y, _ = table(3, n=60)
    X, y = X * [1.0, 50.0, 0.02] + 7, 30 * y - 100
    kernel = GaussianMixture(covariance="full", rank=1)
    model = GPRegressor(kernel, n_frequencies=n_frequencies, **SHORT).fit(X, y)
    model.save(tmp_path / "model")
    again = alakarte.load(tmp_path / "model")
    assert np.array_equal(model.predict(X), again.predict(X))
    assert "mixing" in model.summary()
    learned = again.kernel_
    assert learned.mixing.shape == (1, 1, 3)
    A = np.eye(3) + learned.mixing[0].T @ learned.mixing[0]
    tau = X[:4, None] - X[:4]
    apart = ((tau / learned.lengthscale[0]) @ A) ** 2
    expected = learned.amplitude[0] ** 2 * np.exp(-0.5 * apart.sum(axis=2)) * np.cos(tau @ learned.centre[0])
    assert np.allclose(learned(X[:4]), expected)


def test_the_density_of_frequencies_is_that_of_the_kernel():
    """∫ S(ω) dω = k(0), and ∫ S(ω) ωωᵀ dω is what curves the kernel there."""
    X, y, _ = table(2, n=40)
    model = GPRegressor(GaussianMixture(covariance="full"), **SHORT, noise_std=0.2).fit(X, y)
    kernel, grid = model.kernel_, np.linspace(-40, 40, 401)
    omega = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    density = kernel.spectral_density(omega) * (grid[1] - grid[0]) ** 2
    assert density.sum() == pytest.approx(kernel(X[:1])[0, 0], rel=1e-6)
    curvature = (density * omega.T) @ omega
    h = 1e-3 * np.array([[0, 0], [1, 1], [1, -1]])
    k = kernel(h)[0]
    for step, value in zip(h[1:], k[1:], strict=True):
        assert k[0] - value == pytest.approx(0.5 * step @ curvature @ step, rel=1e-4)
    along = kernel.marginal_density(0, grid[grid >= 0])
    of_grid = density.reshape(401, 401).sum(axis=0)[grid >= 0]
    assert np.allclose(along / along.sum(), of_grid / of_grid.sum(), rtol=0.05, atol=1e-4)


def rotated(rng, X):
    """The exponent of a kernel whose length-scales of 1/3, 2 and 10 are those of combinations of inputs."""
    A = np.diag([3, 0.5, 0.1]) @ np.linalg.qr(rng.standard_normal((3, 3)))[0]
    return ((X[:, None] @ A.T - X @ A.T) ** 2).sum(axis=2), 0.0


def oblique(rng, X):
    """That of waves of period 1 that run along (1, 1, 0), in step over 5 that way and over 0.4 across."""
    turned = X @ np.array([[1, 1, 0], [1, -1, 0], [0, 0, np.sqrt(2)]]) / np.sqrt(2)
    tau = turned[:, None] - turned
    return ((tau / [5.0, 0.4, 4.0]) ** 2).sum(axis=2), 2 * np.pi * tau[..., 0]


@pytest.mark.parametrize("law", [rotated, oblique], ids=lambda law: law.__name__)
def test_what_runs_obliquely_is_found_better(law):
    """Draws of a process: more evidence by far, and a smaller error where no row is."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (400, 3))
    r2, phase = law(rng, X)
    values, vectors = np.linalg.eigh(np.exp(-0.5 * r2) * np.cos(phase))
    f = vectors @ (np.sqrt(np.maximum(values, 0)) * rng.standard_normal(400))
    y = f + 0.1 * rng.standard_normal(400)
    kinds = (GaussianMixture(covariance=covariance) for covariance in ("diagonal", "full"))
    plain, full = (GPRegressor(kernel, n_components=1, random_state=0).fit(X[:200], y[:200]) for kernel in kinds)
    assert full.log_marginal_likelihood_ > plain.log_marginal_likelihood_ + 30
    error, of_full = (np.sqrt(np.mean((model.predict(X[200:]) - f[200:]) ** 2)) for model in (plain, full))
    assert of_full < 0.7 * error
