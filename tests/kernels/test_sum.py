"""A sum is the sum of its parts: names, columns, closed forms, limits, fixed values; and a kernel like any other."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from alakarte import GPClassifier, GPCountRegressor, GPRegressor, Unavailable
from alakarte.features.draws import draw
from alakarte.features.feature_map import feature_map
from alakarte.kernels import ARD, FSARD, RBF, SSGPR, GaussianMixture, Matern, MaternMixture, PiecewiseLinear, Sum
from alakarte.process.problem import process_at
from alakarte.records import Shape
from problems import SUMS, naming, problem, same_bits, small, table, textbook_kernel, values_at

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_kernels_are_added_and_sums_taken_apart():
    kernel = ARD() + (GaussianMixture() + Matern(2.5)) + RBF()
    assert isinstance(kernel, Sum)
    assert kernel.name == "ard + gm + matern + rbf"
    assert [term.name for term in kernel.terms] == ["ard", "gm", "matern", "rbf"]
    assert (RBF() + RBF() + ARD()).labels == ["rbf1", "rbf2", "ard"]
    assert (kernel.has_closed_form, (ARD() + PiecewiseLinear()).has_closed_form) == (True, False)


def test_it_is_a_setting_like_any_other():
    kernel = ARD(fixed={"lengthscale": 2.0}) + Matern(0.5)
    copy = clone(GPRegressor(kernel)).kernel
    assert copy is not kernel
    assert copy.terms[0].fixed == {"lengthscale": 2.0}
    assert copy.terms[1].nu == 0.5
    assert repr(copy) == "Sum(kernels=[ARD(fixed={'lengthscale': 2.0}), Matern(nu=0.5)])"


def test_what_cannot_be_added_is_refused():
    for kernels in ([ARD()], [ARD(), SSGPR()], [FSARD(), ARD()], [ARD(), "gm"]):
        with pytest.raises(Unavailable, match="two or more of rbf, ard, matern, gm, mm, pwl and trend"):
            Sum(kernels)
    with pytest.raises(TypeError):
        ARD() + "gm"
    with pytest.raises(Unavailable, match="'pwl' has no closed form"):
        GPRegressor(ARD() + PiecewiseLinear(), expansion="exact").fit(*table(2)[:2])
    with pytest.raises(ValueError, match="Unknown kernel parameter 'width'"):
        GPRegressor(ARD() + RBF(bounds={"width": (1, 2)})).fit(*table(2)[:2])


@pytest.mark.parametrize("name", SUMS)
def test_columns_and_values_are_those_of_the_parts(name):
    for expansion in ("fastfood", "dense"):
        made, theta = problem(name, (3, 2, 8), expansion)
        process, kernel, x = process_at(made, theta), made.kernel, made.rows.x
        parts = kernel.split(values_at(made, theta), made.draws.shape)
        total = 0.0
        for term, values, draws in zip(kernel.terms, parts, made.draws.parts, strict=True):
            spectrum = term.spectrum(values, draws)
            phi = feature_map(spectrum, draws).phi(x)
            assert phi.shape[1] == term.columns_per_frequency * draws.shape.n_frequencies
            total = total + (phi * spectrum.weight_variance(draws.shape)) @ phi.T
        phi = process.features.phi(x)
        assert phi.shape[1] == made.n_basis == process.weight_variance.size
        assert np.allclose((phi * process.weight_variance) @ phi.T, total, rtol=1e-12, atol=1e-12)
        weights = np.random.default_rng(0).standard_normal((made.n_basis, 1))
        assert np.allclose(process.features.dot(weights, x), phi @ weights, rtol=1e-12, atol=1e-12)
        assert {n: v.tolist() for n, v in kernel.join(parts).items()} == {
            n: v.tolist() for n, v in values_at(made, theta).items() if n != "log_noise_std"
        }


def test_parts_may_differ_in_their_numbers_of_frequencies():
    kernel = ARD() + GaussianMixture()
    shape = Shape.joined([Shape(3, (5,)), Shape(3, (2, 9))], [False, True])
    assert (shape.n_columns(4), shape.parts, shape.edges.tolist()) == (2 * 5 + 4 * 11, (1, 2), [0, 1, 3])
    draws = draw(shape, "fastfood", np.random.default_rng(0))
    assert [part.shape.counts for part in draws.parts] == [(5,), (2, 9)]
    values = {p.name: np.full(p.shape, 0.3) for p in kernel.parameters(shape)}
    assert feature_map(kernel.spectrum(values, draws), draws).phi(np.ones((2, 3))).shape == (2, 54)


@pytest.mark.parametrize("expansion", ["fastfood", "dense"])
def test_the_expansion_tends_to_the_closed_form(expansion):
    """Replicates of few frequencies: their mean within five standard errors."""
    kernel = Matern(1.5) + GaussianMixture()
    x, other = np.random.default_rng(7).standard_normal((2, 6, 3))
    shape = Shape.joined([Shape(3, (8,)), Shape(3, (8, 8))], [False, True])
    values = {
        p.name: np.linspace(-0.4, 0.5, max(1, np.prod(p.shape, dtype=int))).reshape(p.shape)
        for p in kernel.parameters(shape)
    }
    got = []
    for seed in range(400):
        draws = draw(shape, expansion, np.random.default_rng([1, seed]))
        spectrum = kernel.spectrum(values, draws)
        features = feature_map(spectrum, draws)
        got.append((features.phi(x) * spectrum.weight_variance(shape) * features.phi(other)).sum(axis=1))
    parts = zip(kernel.terms, kernel.split(values, shape), strict=True)
    truth = sum(textbook_kernel(term, part, x, other).diagonal() for term, part in parts)
    error = np.abs(np.mean(got, axis=0) - truth)
    assert (error < 5 * np.std(got, axis=0, ddof=1) / np.sqrt(len(got))).all()


@pytest.mark.parametrize("expansion", ["exact", "fastfood"])
def test_each_part_keeps_what_was_fixed_and_bounded(expansion):
    X, y, _ = table(3)
    kernel = ARD(fixed={"lengthscale": 2.0, "amplitude": 0.7}) + GaussianMixture(bounds={"lengthscale": (0.5, 3.0)})
    model = small(kernel, expansion=expansion).fit(X, y)
    learned = model.kernel_
    assert learned.amplitude[0] == pytest.approx(0.7)
    assert learned.ard_lengthscale == pytest.approx(np.full(3, 2.0))
    assert (learned.gm_lengthscale > 0.499).all()
    assert (learned.gm_lengthscale < 3.001).all()
    assert model.theta_.size == len(model.theta_labels_) == 2 + 2 * 2 * 3 + 1
    assert "log_amplitude[0]" not in model.theta_labels_
    fixed = ARD(fixed={"amplitude": 0.7}) + RBF(fixed={"amplitude": 0.5})
    assert small(fixed, expansion=expansion).fit(X, y).kernel_.amplitude == pytest.approx([0.7, 0.5])


def test_what_a_user_reads_of_it():
    X, y, _ = table(3)
    model = small(ARD() + GaussianMixture(), n_frequencies=None, n_components=None, max_iter=10).fit(X, y)
    kernel = model.kernel_
    assert [part.kernel.name for part in kernel.parts] == ["ard", "gm"]
    assert kernel.parts[0].lengthscale.shape == (3,)
    assert kernel.parts[1].centre.shape == kernel.gm_centre.shape
    assert np.allclose(kernel(X), sum(part(X) for part in kernel.parts))
    omega = X[:5]
    assert np.allclose(kernel.spectral_density(omega), sum(part.spectral_density(omega) for part in kernel.parts))
    for word in ("kernel ard + gm", "ard_lengthscale", "gm_centre"):
        assert word in model.summary()
    again = pickle.loads(pickle.dumps(model))
    assert same_bits(model, again, X)
    assert model.model_.description()["kernel"] == "ard + gm"


def test_rows_join_and_leave_and_a_fit_goes_on():
    X, y, _ = table(3, n=40)
    for expansion in ("auto", "fastfood"):
        with naming(expansion):
            model = small(ARD() + MaternMixture(), expansion=expansion, warm_start=True).fit(X[:30], y[:30])
            before = model.predict(X[:5])
            changed = model.partial_fit(X[30:], y[30:]).forget(X[30:], y[30:])
            assert changed.predict(X[:5]) == pytest.approx(before, abs=1e-6)
            evidence = model.log_marginal_likelihood_
            assert model.fit(X[:30], y[:30]).log_marginal_likelihood_ > evidence - 1e-6


def test_classes_counts_and_heavy_tails_take_it():
    X, y, _ = table(2, n=60)
    kernel = RBF() + Matern()
    settings = {"random_state": 0, "n_jobs": 1, "n_restarts": 1, "max_iter": 5}
    assert GPClassifier(kernel, **settings).fit(X, y > 0).score(X, y > 0) > 0.8
    three = np.digitize(y, [-0.4, 0.4])
    assert GPClassifier(kernel, **settings).fit(X, three).score(X, three) > 0.7
    assert np.isfinite(GPCountRegressor(kernel, **settings).fit(X, np.round(np.exp(y))).predict(X)).all()
    assert GPRegressor(kernel, likelihood="student_t", **settings).fit(X, y).score(X, y) > 0.8
