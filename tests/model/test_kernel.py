"""`kernel_`, the learned kernel in the user's units: values, frequencies and densities that belong together."""

import numpy as np
import pytest

from alakarte import GPRegressor, Unavailable
from alakarte.kernels import ARD, RBF, GaussianMixture, PiecewiseLinear
from problems import MENU, naming, table

FACTORS = np.array([1.0, 20.0, 0.05])


def fitted(name, d=3, **settings):
    X, y, _ = table(d, n=40)
    kernel = MENU[name] if isinstance(name, str) else name
    sizes = {"n_components": 2, "n_frequencies": 6, "max_iter": 0, "random_state": 0, "n_jobs": 1}
    X = X * FACTORS[:d]
    return X, GPRegressor(kernel, **(sizes | settings)).fit(X, 3 * y + 5)


def test_prior_variance_is_the_sum_of_squared_amplitudes():
    for name in MENU:
        with naming(name):
            X, model = fitted(name)
            assert np.allclose(model.kernel_(X).diagonal(), np.sum(model.kernel_.amplitude**2), rtol=1e-12)
            assert np.allclose(model.kernel_.expansion(X).diagonal(), np.sum(model.kernel_.amplitude**2), rtol=1e-12)


def test_kernel_of_two_tables_is_a_part_of_the_whole():
    for name in MENU:
        with naming(name):
            X, model = fitted(name)
            whole = model.kernel_(X)
            assert np.allclose(model.kernel_(X[:7], X[7:]), whole[:7, 7:], atol=1e-12 * whole.max())
            assert np.allclose(whole, whole.T, atol=1e-13 * whole.max())
            assert np.linalg.eigvalsh(whole).min() > -1e-10 * np.linalg.eigvalsh(whole).max()


def test_frequencies_give_the_expansion():
    """Σ v²/m cos ωᵀτ in the user's units, times cos μᵀτ where there are centres."""
    for name in MENU:
        with naming(name):
            X, model = fitted(name)
            tau, total = X[:6, None, :] - X[None, 6:15, :], 0.0
            for kernel in model.kernel_.parts:
                component, counts = kernel.draws.shape.component, np.array(kernel.draws.shape.counts)
                waves = np.cos(tau @ kernel.frequencies().T) * (kernel.amplitude**2 / counts)[component]
                if "centre" in kernel.parameters:
                    waves *= np.cos(tau @ kernel.centre.T)[..., component]
                assert np.allclose(kernel.expansion(X[:6], X[6:15]), waves.sum(axis=-1), atol=1e-11)
                total = total + waves.sum(axis=-1)
            assert np.allclose(model.kernel_.expansion(X[:6], X[6:15]), total, atol=1e-11)


@pytest.mark.parametrize("name", ["rbf", "ard", "gm", "matern1.5", "matern2.5", "pwl", "pwl4"])
def test_spectral_density_is_the_transform_of_the_kernel(name):
    """∫ S(ω) cos ωτ dω = k(τ), one input."""
    _, model = fitted(name, d=1, n_frequencies=2000 if "pwl" in name else 6)
    omega = np.linspace(-100, 100, 100_000)[:, None]  # no point at zero, where a radial density may have a pole
    density = model.kernel_.spectral_density(omega)
    tau = np.array([0.0, 0.3, 1.1])
    got = (density[:, None] * np.cos(omega * tau)).sum(axis=0) * (omega[1, 0] - omega[0, 0])
    expected = model.kernel_(np.zeros((1, 1)), tau[:, None])[0]
    assert np.allclose(got, expected, atol=3e-3 * expected[0])


def test_spectral_density_in_two_dimensions_integrates_to_the_prior_variance():
    for name in ("gm", "pwl"):
        _, model = fitted(name, d=2)
        scale = 40 / FACTORS[:2]
        axes = [np.linspace(-s, s, 600) for s in scale]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
        cell = np.prod([axis[1] - axis[0] for axis in axes])
        total = model.kernel_.spectral_density(grid).sum() * cell
        assert total == pytest.approx(np.sum(model.kernel_.amplitude**2), rel=2e-2)


def test_radial_density_has_one_row_a_component_and_mass_one():
    for kernel in (PiecewiseLinear(), PiecewiseLinear(4)):
        _, model = fitted(kernel)
        radius = np.linspace(0, 50, 200_001)
        density = model.kernel_.radial_density(radius)
        assert density.shape == (2, radius.size)
        assert np.allclose(density.sum(axis=1) * radius[1], 1, rtol=1e-4)


def test_learned_values_are_attributes_with_the_users_names():
    _, model = fitted(GaussianMixture())
    assert list(model.kernel_.parameters) == ["amplitude", "lengthscale", "centre"]
    assert model.kernel_.lengthscale.shape == model.kernel_.centre.shape == (2, 3)
    assert "lengthscale" in repr(model.kernel_)
    assert not hasattr(model.kernel_, "radii")


def test_point_masses_have_no_density():
    for name in ("fsard", "fsgbard", "ssgpr"):
        with naming(name):
            X, model = fitted(name)
            with pytest.raises(Unavailable, match="point masses"):
                model.kernel_.spectral_density(X)
            assert np.array_equal(model.kernel_(X), model.kernel_.expansion(X))


def test_an_input_that_does_not_vary_does_not_count():
    X, y, _ = table(3)
    X[:, 1] = 4.0
    model = GPRegressor("ard", n_components=1, n_frequencies=6, max_iter=0, random_state=0).fit(X, y)
    moved = X + np.array([0.0, 1e3, 0.0])
    assert np.array_equal(model.predict(moved), model.predict(X))
    assert (model.kernel_.frequencies()[:, 1] == 0).all()
    assert model.relevance_[1] == 0


def test_relevance_finds_the_inputs_that_matter():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 4))
    X[:, 3] = 7.0
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.05 * rng.standard_normal(120)
    for name in ("ard", "gm"):
        model = GPRegressor(name, n_components=1, n_frequencies=32, n_restarts=2, random_state=0, n_jobs=1).fit(X, y)
        assert model.relevance_.sum() == pytest.approx(1, rel=1e-12)
        assert np.argmax(model.relevance_) == 0
        assert model.relevance_[3] == 0
        assert model.relevance_[0] > 3 * model.relevance_[2]


def test_bounds_of_a_kernel_hold_in_the_users_units():
    X, y, _ = table(3)
    X = X * [1.0, 100.0, 0.01]
    bounds = {"lengthscale": ([0.5, 50.0, 0.005], [0.6, 60.0, 0.006]), "amplitude": (0.1, 0.2)}
    model = GPRegressor(ARD(bounds=bounds), n_components=1, n_frequencies=6, random_state=0, n_restarts=2).fit(X, y)
    low, high = (np.array(bound) for bound in bounds["lengthscale"])
    assert (model.kernel_.lengthscale >= low * (1 - 1e-12)).all()
    assert (model.kernel_.lengthscale <= high * (1 + 1e-12)).all()
    assert 0.1 * (1 - 1e-12) <= model.kernel_.amplitude[0] <= 0.2 * (1 + 1e-12)


def test_rbf_counts_its_lengthscale_in_deviations_and_reports_it_for_every_input():
    X, y, _ = table(3)
    X = X * [1.0, 100.0, 0.01]
    model = GPRegressor(RBF(fixed={"lengthscale": 2.0}), n_components=1, n_frequencies=6, random_state=0).fit(X, y)
    assert np.allclose(model.kernel_.lengthscale, 2 * X.std(axis=0), rtol=1e-12)
