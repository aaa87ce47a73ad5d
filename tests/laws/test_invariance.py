"""What must not matter does not: blocks, threads, the way to compute phases, company, units, offsets."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from alakarte import GPRegressor
from alakarte.posteriors.low_rank import LowRankPosterior
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.weights import WeightPosterior
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml_gradient
from problems import MENU, problem, same_bits, table

SMALL = {"n_components": 2, "n_frequencies": 4, "n_restarts": 3, "max_iter": 6, "max_iter_restart": 3}
short_fits = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
THREADS = (1, 2, 3, 8)


def fit(kernel="gm", n_jobs=1, weight=None, X=None, y=None, **settings):
    """A short fit; not converged, which is no matter here."""
    if X is None:
        X, y, _ = table(3, n=60)
    return GPRegressor(kernel, **(SMALL | {"random_state": 0} | settings), n_jobs=n_jobs).fit(X, y, weight)


@pytest.mark.usefixtures("one_blas_thread")
@pytest.mark.parametrize("name", MENU)
def test_block_sizes_agree_to_rounding(name):
    made, theta = problem(name, (3, 2, 8), computation=Computation.WEIGHTS)
    value, gradient = nlml_gradient(made, theta)
    for block_rows in (1, 5, 29, 30, 1000):
        other = replace(made, rows=replace(made.rows, block_rows=block_rows))
        other_value, other_gradient = nlml_gradient(other, theta)
        assert abs(other_value - value) < 1e-12 * abs(value)
        assert np.abs(other_gradient - gradient).max() < 1e-11 * np.abs(gradient).max()


@pytest.mark.usefixtures("one_blas_thread")
@pytest.mark.parametrize("name", MENU)
def test_threads_give_the_same_bits(name, monkeypatch):
    monkeypatch.setattr("alakarte.data.rows.LANE_ROWS", 3)  # as many lanes as a large table has
    monkeypatch.setattr("alakarte.data.rows.TWO_LANES", 1)
    made, theta = problem(name, (3, 2, 8), computation=Computation.WEIGHTS, n=50)
    made = replace(made, rows=replace(made.rows, block_rows=4))
    value, gradient = nlml_gradient(made, theta)
    for n_jobs in THREADS:
        other_value, other_gradient = nlml_gradient(made.with_jobs(n_jobs), theta)
        assert other_value == value
        assert np.array_equal(other_gradient, gradient)


@short_fits
@pytest.mark.parametrize("across", [20_000_000, 0], ids=["starts-in-threads", "lanes-in-threads"])
@pytest.mark.parametrize("name", ["gm", "pwl", "ard"])
def test_whole_fits_do_not_depend_on_threads(name, across, monkeypatch):
    monkeypatch.setattr("alakarte.search.policy.SIDE_BY_SIDE", across)
    monkeypatch.setattr("alakarte.data.rows.LANE_ROWS", 6)
    monkeypatch.setattr("alakarte.data.rows.TWO_LANES", 1)
    X = table(3, n=60)[0]
    models = [fit(name, n_jobs) for n_jobs in THREADS]
    assert all(same_bits(models[0], model, X) for model in models[1:])


@short_fits
def test_the_same_seed_gives_the_same_bits():
    X = table(3, n=60)[0]
    assert same_bits(fit(), fit(), X)
    assert not np.array_equal(fit().theta_, fit(random_state=1).theta_)


@short_fits
@pytest.mark.parametrize(
    ("name", "expansion", "n", "kind"),
    [
        ("gm", "fastfood", 60, WeightPosterior),
        ("pwl", "fastfood", 60, WeightPosterior),
        ("gm", "fastfood", 9, LowRankPosterior),
        ("ssgpr", "dense", 60, WeightPosterior),
        ("gm", "exact", 60, RowPosterior),
    ],
)
def test_a_prediction_does_not_depend_on_its_company(name, expansion, n, kind):
    X, y, _ = table(3, n=n)
    model = fit(name, X=X, y=y, expansion=expansion)
    assert isinstance(model.model_.posterior, kind)
    new = np.random.default_rng(9).standard_normal((301, 3))
    mean, std = model.predict(new, return_std=True)
    order = np.random.default_rng(2).permutation(301)
    shuffled = model.predict(new[order], return_std=True)
    assert np.array_equal(shuffled[0], mean[order])
    assert np.array_equal(shuffled[1], std[order])
    for i in range(0, 301, 43):
        one = model.predict(new[i : i + 1], return_std=True)
        assert (one[0][0], one[1][0]) == (mean[i], std[i])
    part = model.predict(np.asfortranarray(new[100:290]), return_std=True)
    assert np.array_equal(part[0], mean[100:290])
    assert np.array_equal(part[1], std[100:290])
    assert np.array_equal(model.predict(new), mean)


@short_fits
@pytest.mark.parametrize(("name", "expansion"), [("gm", "fastfood"), ("ard", "exact"), ("rbf", "dense")])
def test_units_of_the_table_only_rename_the_result(name, expansion):
    """Powers of two, so that the standardised table is the same to the last bit."""
    X, y, weight = table(3, n=60)
    factors, unit = np.array([4.0, 0.125, 1024.0]), 2.0**-7
    left = fit(name, X=X, y=y, weight=weight, expansion=expansion)
    right = fit(name, X=X * factors, y=y * unit, weight=weight, expansion=expansion)
    assert np.array_equal(left.theta_, right.theta_)
    assert np.allclose(right.kernel_.lengthscale, left.kernel_.lengthscale * factors, rtol=1e-14)
    assert np.allclose(right.kernel_.amplitude, left.kernel_.amplitude * unit, rtol=1e-14)
    assert right.noise_std_ == pytest.approx(left.noise_std_ * unit, rel=1e-14)
    expected = left.log_marginal_likelihood_ - weight.sum() * np.log(unit)
    assert right.log_marginal_likelihood_ == pytest.approx(expected, rel=1e-12)
    assert np.allclose(right.kernel_(X * factors), left.kernel_(X) * unit**2, rtol=1e-12)
    mean, std = left.predict(X, return_std=True)
    assert np.allclose(right.predict(X * factors, return_std=True), (mean * unit, std * unit), rtol=1e-12)
    assert np.allclose(right.kernel_.frequencies(), left.kernel_.frequencies() / factors, rtol=1e-14)
    if name == "gm":
        assert np.allclose(right.kernel_.centre, left.kernel_.centre / factors, rtol=1e-14)


@short_fits
def test_offsets_of_the_table_do_not_matter():
    X, y, _ = table(3, n=60)
    X, y = np.round(X * 64) / 64, np.round(y * 64) / 64  # exact under the shift
    left, right = fit("ard", X=X, y=y), fit("ard", X=X + 1024, y=y - 4096)
    assert np.allclose(left.predict(X), right.predict(X + 1024) + 4096, atol=1e-6)
    assert left.log_marginal_likelihood_ == pytest.approx(right.log_marginal_likelihood_, abs=1e-6)


@pytest.mark.parametrize(("kernel", "expansion", "n_frequencies"), [("ard", "exact", 8), ("ard", "fastfood", 300)])
def test_threads_inside_the_matrices_give_the_same_bits(kernel, expansion, n_frequencies):
    rng = np.random.default_rng(0)  # rows and columns beyond the sizes from which panels and inverses are shared
    X = rng.standard_normal((620, 3))
    y = np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(620)
    settings = {"expansion": expansion, "n_components": 1, "n_frequencies": n_frequencies, "max_iter": 0}
    found = []
    for n_jobs in (1, 2):
        model = GPRegressor(kernel, n_jobs=n_jobs, random_state=0, **settings).fit(X, y)
        found.append(model.log_marginal_likelihood(X, y, eval_gradient=True))
    assert found[0][0] == found[1][0]
    assert (found[0][1] == found[1][1]).all()


@pytest.mark.usefixtures("one_blas_thread")
@pytest.mark.parametrize("name", ["gm", "pwl", "fsgbard", "ssgpr"])
@pytest.mark.parametrize("n", [40, 300, 1030])  # one, two and four lanes
def test_the_row_space_has_the_same_bits_on_all_threads_and_agrees_with_the_weights(name, n):
    made, theta = problem(name, shape=(3, 2, 64 if n < 1000 else 300), n=n)
    value, gradient = nlml_gradient(replace(made, computation=Computation.ROWS), theta)
    for n_jobs in THREADS[1:]:
        again = nlml_gradient(replace(made, computation=Computation.ROWS, n_jobs=n_jobs), theta)
        assert again[0] == value
        assert (again[1] == gradient).all()
    other = nlml_gradient(replace(made, computation=Computation.WEIGHTS), theta)
    assert value == pytest.approx(other[0], rel=1e-9)
    assert np.allclose(gradient, other[1], rtol=1e-6, atol=1e-6 * np.abs(gradient).max())
