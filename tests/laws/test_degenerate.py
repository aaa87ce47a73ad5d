"""Where one kernel becomes another, the numbers are the same; and what holds exactly at any number of frequencies."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data.arrays import ArrayRows
from alakarte.data.categories import learn_encoding
from alakarte.data.standardise import Scaling, standardise
from alakarte.features.feature_map import feature_map
from alakarte.kernels import ARD, FSARD, FSGBARD, RBF, SSGPR, GaussianMixture, MaternMixture
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.process.problem import process_at
from alakarte.records import Shape, Summary
from alakarte.search.set_up import parameter_layout, set_up
from problems import MENU, SHAPES, expansions, naming, plan_of, problem, set_value, table, values_at, ways

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def as_kernel(made, kernel):
    """The same rows and draws under another kernel without components."""
    d = made.draws.shape.n_inputs
    unit = Scaling(np.zeros(d), np.ones(d), np.ones(d, bool), np.zeros(1), np.ones(1))
    return replace(made, kernel=kernel, layout=parameter_layout(kernel, made.likelihood, made.draws.shape, unit))


def nlml_of(made, kernel, **values):
    other = as_kernel(made, kernel)
    return nlml(other, other.layout.pack({name: np.asarray(value, float) for name, value in values.items()}))


def close(a, b):
    return abs(a - b) < 1e-10 * (1 + abs(b))


@pytest.mark.parametrize("expansion", ["fastfood", "dense", "exact"])
def test_gm_with_zero_centres_is_ard(expansion):
    for shape in ((3, 1, 8), (5, 1, 6), (1, 1, 3), (9, 1, 5)):
        with naming(shape):
            made, theta = problem("ard", shape, expansion)
            named = values_at(made, theta)
            for way in ways(expansion):
                way = replace(made, **way)
                single = {"log_amplitude": named["log_amplitude"], "log_noise_std": named["log_noise_std"]}
                scales = named["log_lengthscale"][None, :]
                got = nlml_of(way, GaussianMixture(), **single, log_lengthscale=scales, centre=np.zeros((1, shape[0])))
                assert close(got, nlml(way, theta))


@pytest.mark.parametrize("expansion", ["fastfood", "dense", "exact"])
def test_mm_with_zero_centres_is_matern(expansion):
    for nu in (0.5, 1.5, 2.5):
        with naming(nu):
            made, theta = problem(f"matern{nu}", (3, 1, 8), expansion)
            named = values_at(made, theta)
            single = {"log_amplitude": named["log_amplitude"], "log_noise_std": named["log_noise_std"]}
            scales = named["log_lengthscale"][None, :]
            got = nlml_of(made, MaternMixture(nu), **single, log_lengthscale=scales, centre=np.zeros((1, 3)))
            assert close(got, nlml(made, theta))


@pytest.mark.parametrize("expansion", ["fastfood", "dense"])
def test_equal_components_without_centres_are_one_component(expansion):
    """Two components of 8 whole-stack frequencies with v/√2 each are one of 16 with v."""
    made, theta = problem("ard", (3, 2, 8), expansion)
    named = values_at(made, theta)
    halves = replace(made.draws, shape=Shape(3, (8, 8)))
    values = {
        "log_amplitude": np.repeat(named["log_amplitude"], 2) - 0.5 * np.log(2),
        "log_lengthscale": np.tile(named["log_lengthscale"], (2, 1)),
        "centre": np.zeros((2, 3)),
        "log_noise_std": named["log_noise_std"],
    }
    assert close(nlml_of(replace(made, draws=halves), GaussianMixture(), **values), nlml(made, theta))


@pytest.mark.parametrize("expansion", ["fastfood", "dense", "exact"])
def test_ard_with_equal_scales_is_rbf(expansion):
    for shape in SHAPES:
        with naming(shape):
            made, theta = problem("rbf", shape, expansion)
            named = values_at(made, theta)
            scales = np.full(shape[0], named["log_lengthscale"])
            assert close(nlml_of(made, ARD(), **(named | {"log_lengthscale": scales})), nlml(made, theta))
            equal = as_kernel(made, ARD())
            gradient = nlml_gradient(equal, equal.layout.pack(named | {"log_lengthscale": scales}))[1]
            shared = values_at(made, nlml_gradient(made, theta)[1])["log_lengthscale"]
            assert close(values_at(equal, gradient)["log_lengthscale"].sum(), shared)


@pytest.mark.parametrize("kernel", [FSARD(), FSGBARD()], ids=lambda kernel: kernel.name)
def test_fsard_and_fsgbard_start_as_ard(kernel):
    for shape in SHAPES:
        with naming(shape):
            made, theta = problem("ard", shape)
            named, summary = values_at(made, theta), Summary(np.ones(shape[0]), np.ones((1, shape[0])))
            start = kernel.start(made.draws.shape, summary, made.draws, np.random.default_rng(0), 0.5)
            assert close(nlml_of(made, kernel, **(start | named)), nlml(made, theta))
            learns = set(start) - set(named)
            assert learns == {p.name for p in kernel.parameters(made.draws.shape)} - set(named)


def test_fsard_of_dense_draws_starts_as_ard():
    made, theta = problem("ard", (5, 1, 6), "dense")
    assert close(nlml_of(made, FSARD(), **values_at(made, theta), radii=made.draws.chi), nlml(made, theta))


@pytest.mark.parametrize("expansion", ["fastfood", "dense"])
def test_ssgpr_with_the_frequencies_of_another_kernel_is_that_kernel(expansion):
    for shape in SHAPES:
        with naming(shape):
            made, theta = problem("ard", shape, expansion)
            named = values_at(made, theta)
            spectrum = made.kernel.spectrum(named, made.draws)
            frequencies = feature_map(spectrum, made.draws, "matrix").projection.frequencies
            named.pop("log_lengthscale")
            assert close(nlml_of(made, SSGPR(), **named, frequencies=frequencies.T), nlml(made, theta))


@pytest.mark.parametrize("nu", ["matern0.5", "matern1.5", "matern2.5"])
def test_rbf_and_matern_share_ards_parameters(nu):
    made, theta = problem(nu, (3, 2, 8))
    assert [p.name for p in made.kernel.parameters(made.draws.shape)] == [
        p.name for p in ARD().parameters(made.draws.shape)
    ]
    assert [p.name for p in RBF().parameters(made.draws.shape)] == ["log_amplitude", "log_lengthscale"]
    assert np.isfinite(nlml(made, theta))


@pytest.mark.parametrize("expansion", ["fastfood", "dense", "exact"])
def test_zero_centres_are_a_stationary_point_of_gm(expansion):
    for shape in SHAPES:
        with naming(shape):
            made, theta = problem("gm", shape, expansion)
            theta = set_value(made, theta, centre=np.zeros((shape[1], shape[0])))
            for way in ways(expansion):
                named = values_at(made, nlml_gradient(replace(made, **way), theta)[1])
                assert np.abs(named["centre"]).max() < 1e-9 * (1 + np.abs(named["log_lengthscale"]).max())


def expansion_kernel(made, theta, x, other):
    model = process_at(made, theta)
    variance = model.spectrum.weight_variance(made.draws.shape)
    return (model.features.phi(x) * variance) @ model.features.phi(other).T


@pytest.mark.parametrize("name", ["gm", "pwl", "ard", "fsgbard", "ssgpr"])
def test_prior_variance_is_the_sum_of_squared_amplitudes_at_any_size(name):
    for shape in SHAPES:
        with naming(shape):
            made, theta = problem(name, shape)
            variance = expansion_kernel(made, theta, made.rows.x, made.rows.x).diagonal()
            expected = np.exp(2 * values_at(made, theta)["log_amplitude"]).sum()
            assert np.abs(variance - expected).max() < 1e-13 * expected


@pytest.mark.parametrize("name", ["gm", "pwl", "ard", "fsgbard", "ssgpr"])
def test_expansion_is_stationary_at_any_size(name):
    for shape in SHAPES:
        with naming(shape):
            made, theta = problem(name, shape)
            x, other, shift = made.rows.x[:8], made.rows.x[8:20], np.linspace(-3, 5, shape[0])
            here, there = (expansion_kernel(made, theta, x + h * shift, other + h * shift) for h in (0, 1))
            assert np.abs(here - there).max() < 1e-12 * np.abs(here).max()


def test_gm_is_a_cosine_times_its_centred_self_at_any_size():
    """k = Σ v² cos(μᵀτ) (1/m) Σ_j cos((a∘z_j)ᵀτ), one component at a time."""
    for shape in SHAPES:
        with naming(shape):
            made, theta = problem("gm", (shape[0], 1, shape[2]))
            x, other = made.rows.x[:8], made.rows.x[8:20]
            centred = set_value(made, theta, centre=np.zeros((1, shape[0])))
            cosine = np.cos((x[:, None] - other) @ values_at(made, theta)["centre"][0])
            expected = cosine * expansion_kernel(made, centred, x, other)
            assert np.abs(expansion_kernel(made, theta, x, other) - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("name", MENU)
def test_length_scales_of_a_category_are_those_of_its_columns_set_equal_by_hand(name):
    X, y, weight = table(2, n=30)
    X = np.column_stack([X[:, 0], np.arange(30) % 4, X[:, 1], np.arange(30) % 3])
    encoding = learn_encoding(X, [1, 3], 4, np.ones(30, dtype=bool))
    scaling = standardise(X, weight, np.zeros(1), np.ones(1), encoding)
    rows = ArrayRows(scaling.inputs(X), y[:, None], weight)
    for expansion in expansions(MENU[name]):
        plan = plan_of(MENU[name], rows, n_components=2, n_frequencies=6, expansion=expansion)
        tied = set_up(plan, rows, scaling, np.random.default_rng(0))
        free = as_kernel(tied, MENU[name])
        theta = np.random.default_rng(1).uniform(-0.5, 0.5, tied.layout.size)
        by_hand = free.layout.pack(tied.layout.unpack(theta))
        for way in ways(expansion):
            with naming(way):
                value, gradient = nlml_gradient(replace(tied, **way), theta)
                value_by_hand, gradient_by_hand = nlml_gradient(replace(free, **way), by_hand)
                assert value == value_by_hand
                added = tied.layout.unpack_pullback(free.layout.unpack(gradient_by_hand))
                assert np.array_equal(gradient, added)


def test_a_category_of_two_levels_is_a_number_of_two_values():
    """Its two columns are √2 apart: a length-scale ℓ of the category is ℓ/√2 of the number."""
    X, y, _ = table(2, n=40)
    X[:, 1] = np.arange(40) % 3 == 0
    predictions = []
    for categories, length in (([1], 1.4), (None, 1.4 / np.sqrt(2))):
        kernel = ARD(fixed={"amplitude": 1.0, "lengthscale": [0.7, length]})
        settings = {"noise_std": 0.2, "expansion": "exact", "max_iter": 0, "n_jobs": 1}
        model = GPRegressor(kernel, categorical_features=categories, **settings).fit(X, y)
        predictions.append((*model.predict(X, return_std=True), model.log_marginal_likelihood_, model.kernel_(X)))
    for category, number in zip(*predictions, strict=True):
        assert np.allclose(category, number, rtol=1e-10, atol=1e-12)


def test_a_category_of_one_level_is_no_input():
    X, y, _ = table(2, n=40)
    with_one, settings = np.column_stack([X, np.full(40, 3.0)]), {"expansion": "exact", "max_iter": 0, "n_jobs": 1}
    alone = GPRegressor(ARD(fixed={"lengthscale": [0.7, 2.0]}), **settings).fit(X, y)
    kernel = ARD(fixed={"lengthscale": [0.7, 2.0, 1.0]})
    beside = GPRegressor(kernel, categorical_features=[2], **settings).fit(with_one, y)
    assert np.allclose(alone.predict(X), beside.predict(with_one), rtol=1e-12)
    assert beside.relevance_[2] == 0
