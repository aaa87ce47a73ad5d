"""One test for each departure from the printed paper, E1 to E24: each fails for the formula as printed."""
# ruff: noqa: N802  (the tags are those of the documentation)

import os

import numpy as np
import pytest
from scipy.special import erf

import alakarte.kernels.mixture
import alakarte.search.run_stage
from alakarte import GPRegressor
from alakarte.data.summary import summarise
from alakarte.features.draws import draw
from alakarte.features.feature_map import feature_map
from alakarte.kernels import PiecewiseLinear
from alakarte.kernels.base import GAUSSIAN
from alakarte.kernels.radial import hat_density, hat_quantile, knot_density, knot_radii
from alakarte.process.closed_form import closed_kernel
from alakarte.process.computation import Computation
from alakarte.process.problem import process_at
from alakarte.records import Shape, Spectrum, Summary
from alakarte.search.coordinates import Coordinates
from problems import dense_process, explicit_frequencies, posterior_at, problem, set_value, table, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def expansion_kernel(made, theta, x, other):
    model = process_at(made, theta)
    return (model.features.phi(x) * model.spectrum.weight_variance(made.draws.shape)) @ model.features.phi(other).T


def test_E01_weights_have_the_variance_of_the_squared_amplitude_over_m():
    made, theta = problem("pwl", (3, 2, 8))
    theta = set_value(made, theta, log_amplitude=np.log([3.0, 5.0]))
    variance = process_at(made, theta).spectrum.weight_variance(made.draws.shape)
    assert np.allclose(variance, np.tile(np.repeat([9 / 8, 25 / 8], 8), 2), rtol=1e-14)
    x = made.rows.x[:3]
    assert np.allclose(expansion_kernel(made, theta, x, x).diagonal(), 9 + 25, rtol=1e-13)


@pytest.mark.parametrize("d", [1, 4, 8, 16])  # no padding: the whole row is seen
def test_E02_a_frequency_is_as_long_as_its_radius(d):
    shape = Shape(d, (20,))
    draws = draw(shape, "fastfood", np.random.default_rng(0))
    radii = np.random.default_rng(1).uniform(0.5, 3, 20)
    spectrum = Spectrum(np.zeros(1), np.ones((1, d)), radii)
    for transform in ("fast", "matrix"):
        features = feature_map(spectrum, draws, transform)
        out = np.empty((d, 20))
        features.projection.phases(np.eye(d), out)
        assert np.allclose(np.linalg.norm(out, axis=0), radii, rtol=1e-13)


@pytest.mark.parametrize(("d", "p"), [(3, 4), (5, 8), (9, 16)])
def test_E03_padding_shortens_rows_and_is_corrected(d, p):
    shape = Shape(d, (p * 500,))
    draws = draw(shape, "fastfood", np.random.default_rng(0))
    squares = draws.lengths.reshape(500, p) ** 2
    stacks = squares.mean(axis=1)  # c² ~ Beta(d/2, (p−d)/2): mean d/p
    assert abs(stacks.mean() - d / p) < 5 * stacks.std() / np.sqrt(500) + 1e-12
    assert draws.lengths.max() <= 1 + 1e-12
    assert draws.lengths.std() > 0.1
    kernel = PiecewiseLinear()
    values = {name: np.zeros((1, d) if "scale" in name else 1) for name in ("log_lengthscale", "log_amplitude")}
    spectrum = kernel.spectrum(values | {"hat_edge": np.ones(1), "log_hat_width": np.log([0.5])}, draws)
    lengths = np.linalg.norm(explicit_frequencies(spectrum, draws), axis=1)
    assert np.allclose(lengths, 1 + 0.5 * hat_quantile(draws.points), rtol=1e-12)  # in R^d, not in R^p


@pytest.mark.parametrize(("d", "p"), [(1, 1), (3, 4), (5, 8), (8, 8)])
@pytest.mark.parametrize("expansion", ["fastfood", "dense"])
def test_E04_radii_are_chi_not_chi_squared(d, p, expansion):
    """With χ of p degrees of freedom the d coordinates that the data see are standard normal."""
    shape = Shape(d, (p * 1500,))
    draws = draw(shape, expansion, np.random.default_rng(0))
    dof = p if expansion == "fastfood" else d
    assert abs(np.mean(draws.chi**2) - dof) < 5 * np.sqrt(2 * dof / draws.chi.size)
    omega = explicit_frequencies(Spectrum(np.zeros(1), np.ones((1, d)), draws.chi), draws)
    stacks = (omega**2).reshape(1500, p, d).mean(axis=1)
    assert (np.abs(stacks.mean(axis=0) - 1) < 5 * stacks.std(axis=0) / np.sqrt(1500)).all()
    one_each = np.sort(omega[::p, 0])  # one row of every stack: independent
    empirical = (np.arange(1500) + 0.5) / 1500
    assert np.abs(empirical - 0.5 * (1 + erf(one_each / np.sqrt(2)))).max() < 2.2 / np.sqrt(1500)  # Kolmogorov, 1e-4


def test_E05_the_four_columns_of_gm_make_a_stationary_kernel():
    """As printed, φ₄ = cos(ξ+ζ): unbiased, but k(x, x) and k(x+h, x'+h) depend on x."""
    made, theta = problem("gm", (3, 1, 4))
    theta = set_value(made, theta, centre=[[1.0, -2.0, 0.5]])
    x, shift = made.rows.x[:6], np.array([0.7, -1.1, 2.0])
    here, there = expansion_kernel(made, theta, x, x), expansion_kernel(made, theta, x + shift, x + shift)
    assert np.abs(here - there).max() < 1e-13 * here.max()
    assert np.ptp(here.diagonal()) < 1e-13 * here.max()


def test_E06_the_products_of_gm_weigh_as_much_as_sums_and_differences_by_half():
    made, theta = problem("gm", (3, 2, 4))
    named, x = values_at(made, theta), made.rows.x[:6]
    spectrum = made.kernel.spectrum(named, made.draws)
    assert np.allclose(spectrum.weight_variance(made.draws.shape)[:4], np.exp(2 * named["log_amplitude"][0]) / 4)
    xi = x @ explicit_frequencies(spectrum, made.draws).T
    zeta = (x @ named["centre"].T)[:, made.draws.shape.component]
    columns = np.hstack([np.cos(xi + zeta), np.sin(xi + zeta), np.cos(xi - zeta), np.sin(xi - zeta)])
    halves = np.tile(np.exp(2 * named["log_amplitude"])[made.draws.shape.component] / (2 * 4), 4)
    assert np.allclose((columns * halves) @ columns.T, expansion_kernel(made, theta, x, x), atol=1e-13)


def test_E07_the_closed_form_of_gm_has_no_prefactor():
    x = np.array([[0.0, 0.0], [1.0, 2.0]])
    for scale in (0.1, 1.0, 30.0):
        spectrum = Spectrum(np.log([2.0]), np.full((1, 2), scale), centre=np.array([[0.3, -0.4]]))
        got = closed_kernel(spectrum, GAUSSIAN, x, x)
        assert got[0, 0] == pytest.approx(4, rel=1e-14)
        assert got[0, 1] == pytest.approx(4 * np.exp(-2.5 * scale**2) * np.cos(0.3 - 0.8), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("name", ["gm", "pwl"])
def test_E08_amplitudes_start_at_the_deviation_over_root_q(name):
    X, y, _ = table(3)
    model = GPRegressor(name, n_components=5, n_frequencies=4, max_iter=0, random_state=0).fit(X, 20 * y)
    assert np.allclose(model.kernel_.amplitude, 20 * y.std() / np.sqrt(5), rtol=1e-12)
    assert np.sum(model.kernel_.amplitude**2) == pytest.approx(np.var(20 * y), rel=1e-12)


@pytest.mark.parametrize("d", [1, 3, 5])
def test_E09_the_density_is_that_of_the_radius(d):
    """Whatever d is, the lengths of the frequencies follow ρ; no r^{d−1}."""
    made, theta = problem("pwl4", (d, 1, 64))
    named = values_at(made, theta)
    omega = explicit_frequencies(made.kernel.spectrum(named, made.draws), made.draws) * np.exp(named["log_lengthscale"])
    radius = np.linspace(0, np.exp(named["log_knot_gaps"]).sum(), 2001)
    density = made.kernel.closed_form(named).density(radius)[0]
    cumulated = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(radius))])
    at = np.interp(np.sort(np.linalg.norm(omega, axis=1)), radius, cumulated)
    assert np.abs(at - (np.arange(64) + 0.5) / 64).max() < 0.51 / 64  # one radius in every stratum


def test_E10_the_density_is_the_linear_interpolation_of_the_knots():
    gaps, weights = np.array([0.5, 1.0, 0.25]), np.array([2.0, 0.5])
    mass = 0.5 * 2 / 2 + 1.0 * 2.5 / 2 + 0.25 * 0.5 / 2
    at = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 1.625, 1.75, 2.0])
    expected = np.array([0, 1.0, 2.0, 1.625, 1.25, 0.5, 0.25, 0, 0]) / mass
    assert np.allclose(knot_density(at, gaps, weights), expected, rtol=1e-14, atol=1e-16)


def test_E11_the_mass_is_the_sum_of_weights_times_half_the_span():
    gaps, weights = np.array([0.5, 1.0, 0.25]), np.array([2.0, 0.5])
    knots = np.concatenate([[0], np.cumsum(gaps)])
    mass = sum(weights[i] * (knots[i + 2] - knots[i]) / 2 for i in range(2))
    peak = weights[0] / mass
    assert knot_density(np.array([0.5]), gaps, weights)[0] == pytest.approx(peak, rel=1e-14)
    shares = np.array([0.5 * 2.0 / 2, 0.5 * 2.0 / 2 + 1.0 * 2.5 / 2]) / mass  # below the first and the second knot
    assert np.allclose(knot_radii(shares, gaps, weights), knots[1:3], rtol=1e-12)


def test_E12_a_hat_begins_at_its_edge_and_peaks_a_width_further():
    edge, width = 0.7, 0.4
    assert np.allclose(
        hat_density(np.array([0.7, 0.9, 1.1, 1.3, 1.5]), edge, width), [0, 1.25, 2.5, 1.25, 0], atol=1e-12
    )
    assert np.allclose(edge + width * hat_quantile(np.array([0, 0.125, 0.5, 0.875, 1])), [0.7, 0.9, 1.1, 1.3, 1.5])
    made, theta = problem("pwl", (4, 1, 32))
    theta = set_value(made, theta, hat_edge=[edge], log_hat_width=[np.log(width)])
    radii = made.kernel.spectrum(values_at(made, theta), made.draws).radii
    assert edge < radii.min() < edge + 0.3 * width
    assert edge + 1.7 * width < radii.max() < edge + 2 * width


def test_E13_the_distance_of_a_hats_start_is_measured_after_scaling():
    rng = np.random.default_rng(0)
    differences, factor = rng.standard_normal((500, 3)), np.array([10.0, 0.1, 3.0])
    shape, kernel = Shape(3, (8, 8)), PiecewiseLinear()
    draws = draw(shape, "fastfood", np.random.default_rng(0))
    plain, stretched = (
        kernel.start(shape, Summary(3 * scale, differences * scale), draws, np.random.default_rng(4), 0.5)
        for scale in (np.ones(3), factor)
    )
    assert np.allclose(plain["log_hat_width"], stretched["log_hat_width"], rtol=1e-12)
    assert np.allclose(plain["hat_edge"], stretched["hat_edge"], rtol=1e-12)
    assert np.allclose(plain["log_lengthscale"] + np.log(factor), stretched["log_lengthscale"], rtol=1e-12)


@pytest.mark.parametrize("name", ["ard", "gm"])
def test_E14_the_weight_mean_carries_the_features(name):
    made, theta = problem(name, (3, 1, 8))
    x = made.rows.x[:7] + 0.1
    assert np.allclose(posterior_at(made, theta).mean(x), dense_process(made, theta, x).mean, rtol=1e-8)


@pytest.mark.parametrize("expansion", ["fastfood", "exact"])
def test_E15_data_lower_the_predictive_variance(expansion):
    made, theta = problem("ard", (3, 1, 32), expansion)
    prior = np.exp(2 * values_at(made, theta)["log_amplitude"]).sum()
    got = posterior_at(made, theta)
    noise = process_at(made, theta).noise_variance
    assert (got.variance(made.rows.x)[:, 0] <= np.minimum(prior, noise / made.rows.weight) * (1 + 1e-9)).all()
    assert (got.variance(made.rows.x + 0.5) <= prior * (1 + 1e-12)).all()
    expected = dense_process(made, theta, made.rows.x + 0.5).covariance.diagonal()
    assert np.allclose(got.variance(made.rows.x + 0.5)[:, 0], expected, rtol=1e-8)


def test_E16_signal_and_noise_have_a_variance_each():
    made, theta = problem("ard", (3, 1, 8))
    louder = set_value(made, theta, log_noise_std=np.log(0.5))
    assert process_at(made, louder).noise_variance == pytest.approx(0.25)
    assert np.array_equal(
        process_at(made, louder).spectrum.weight_variance(made.draws.shape),
        process_at(made, theta).spectrum.weight_variance(made.draws.shape),
    )
    assert {"log_amplitude[0]", "log_noise_std"} <= set(made.layout.labels())


@pytest.mark.skipif("ALAKARTE_DATA" not in os.environ, reason="ALAKARTE_DATA does not name the paper's data")
def test_E17_nine_partitions_train_and_one_tests():
    folds = pytest.importorskip("bench.folds")
    X, _, mask = folds.load("yacht")
    assert mask.shape == (len(X), 10)
    assert (mask.sum(axis=1) == 1).all()
    for k in range(10):
        train, _, test, _ = folds.fold("yacht", k)
        assert len(train) + len(test) == len(X)
        assert 8 < len(train) / len(test) < 10


@pytest.mark.parametrize("name", ["rbf", "ard", "fsard", "ssgpr"])
def test_E18_kernels_without_components_have_all_frequencies(name):
    made, theta = problem(name, (3, 4, 5))
    assert made.draws.shape.counts == (20,)
    assert process_at(made, theta).features.n_basis == 40


@pytest.mark.parametrize(("n", "n_pairs"), [(2, 1), (30, 435), (64, 2000), (5000, 2000), (20_000, 4000)])
def test_E19_the_number_of_pairs(n, n_pairs):
    x = np.random.default_rng(0).standard_normal((n, 2))
    assert summarise(x, np.ones(n), np.random.default_rng(1)).differences.shape == (n_pairs, 2)


@pytest.mark.parametrize(
    ("name", "n", "computation"),
    [
        ("ard", 31, Computation.ROWS),
        ("ard", 32, Computation.WEIGHTS),
        ("gm", 32, Computation.ROWS),
        ("gm", 63, Computation.ROWS),
        ("gm", 64, Computation.WEIGHTS),
    ],
)
def test_E20_the_form_follows_the_number_of_columns(name, n, computation):
    """Qm = 16: ard has 32 columns and gm 64."""
    made, theta = problem(name, (3, 2, 8), n=n)
    assert process_at(made, theta).computation == computation


def test_E21_inputs_are_standardised_inside():
    X, y, _ = table(3)
    settings = {"n_components": 1, "n_frequencies": 8, "max_iter": 0, "random_state": 0}
    here = GPRegressor("ard", **settings).fit(X, y)
    there = GPRegressor("ard", **settings).fit(X * [1e-6, 1.0, 1e9] + [0, 5, -3e9], 1e4 * y - 7)
    assert np.allclose(here.theta_, there.theta_, rtol=1e-7)
    assert np.allclose(1e4 * here.predict(X) - 7, there.predict(X * [1e-6, 1.0, 1e9] + [0, 5, -3e9]), rtol=1e-5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_E22_centres_move_slowly_where_rows_are_few(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 10))
    y = X[:, 0] + 0.5 * rng.standard_normal(80)
    noise = {}
    for slow in (alakarte.kernels.mixture.SLOW, np.inf):
        monkeypatch.setattr(alakarte.kernels.mixture, "SLOW", slow)
        sizes = {"n_components": 4, "n_frequencies": 32, "n_posterior_frequencies": None, "n_learning_rows": None}
        model = GPRegressor("gm", **sizes, n_restarts=4, max_iter=100, random_state=0).fit(X, y)
        noise[slow] = model.noise_std_
    assert noise[np.inf] < 0.5 * noise[1e-3]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_E22_with_many_rows_centres_move_directly(monkeypatch):
    seen = []
    stage = alakarte.search.run_stage
    real = stage.coordinates
    monkeypatch.setattr(stage, "coordinates", lambda layout: seen.append(layout.slow()) or real(layout))
    X, y, _ = table(1, n=120)
    settings = {"n_components": 1, "n_frequencies": 8, "n_restarts": 8, "max_iter": 2, "max_iter_restart": 2}
    for n_rows, quick in ((120, 8), (30, 0)):  # four parameters
        seen.clear()
        GPRegressor("gm", **settings, tol=1e9, random_state=0).fit(X[:n_rows], y[:n_rows])
        assert sum(np.isinf(slow).all() for slow in seen[:8]) == quick


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_E23_frequencies_stretch_together(monkeypatch):
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((2, 200, 8))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(200)  # one input of eight counts
    errors = []
    for shared in (True, False):
        if not shared:
            monkeypatch.setattr(alakarte.search.run_stage, "coordinates", lambda layout: Coordinates(layout.slow()))
        settings = {"n_components": 1, "n_frequencies": 100, "n_restarts": 2, "max_iter": 60, "random_state": 0}
        model = GPRegressor("ssgpr", n_learning_rows=None, **settings).fit(X, y)
        errors.append(np.sqrt(np.mean((model.predict(new) - np.sin(2 * new[:, 0])) ** 2)))
    assert errors[0] < 0.5 * errors[1]


@pytest.mark.skipif("ALAKARTE_DATA" not in os.environ, reason="ALAKARTE_DATA does not name a directory of data sets")
@pytest.mark.parametrize(
    ("name", "n_rows", "n_inputs"),
    [
        ("yacht", 308, 6),
        ("autos", 159, 25),
        ("breastcancer", 194, 33),
        ("keggdirected", 48827, 20),
        ("housing", 506, 13),
    ],
)
def test_E24_sizes_are_those_of_the_data(name, n_rows, n_inputs):
    from bench.folds import load

    assert load(name)[0].shape == (n_rows, n_inputs)
