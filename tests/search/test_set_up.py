"""The problem of a kernel on some rows: what the user fixed and bounded, and all its randomness from one generator."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels import ARD, GaussianMixture, PiecewiseLinear
from alakarte.likelihoods import Gaussian
from alakarte.process.computation import Computation
from alakarte.records import Shape
from alakarte.search.policy import LARGEST_AMPLITUDE
from alakarte.search.set_up import parameter_layout, set_up
from problems import MENU, expansions, naming, plan_of, rows_of, table

SIZES = {"n_components": 2, "n_frequencies": 4}


def made(kernel, seed=0, **settings):
    """The problem of a kernel on thirty rows, from a generator of this seed."""
    rows, scaling = rows_of(*table(3)[:2])
    return set_up(plan_of(kernel, rows, **settings), rows, scaling, np.random.default_rng(seed))


def test_fixed_values_and_bounds_are_in_the_users_units():
    X, y, _ = table(3)
    _, scaling = rows_of(X * [1.0, 10.0, 100.0], 5 * y)
    kernel = ARD(fixed={"amplitude": 2.0}, bounds={"lengthscale": (0.5, 30.0)})
    layout = parameter_layout(kernel, Gaussian(0.25), Shape(3, (4,)), scaling)
    assert layout.labels() == ["log_lengthscale[0]", "log_lengthscale[1]", "log_lengthscale[2]"]
    x_unit, y_unit = (X * [1.0, 10.0, 100.0]).std(axis=0), 5 * y.std()
    for bound, expected in zip(layout.bounds(), (0.5, 30.0), strict=True):
        assert np.allclose(np.exp(bound) * x_unit, expected, rtol=1e-12)
    values = layout.unpack(np.zeros(3))
    assert np.exp(values["log_amplitude"]) * y_unit == pytest.approx([2.0], rel=1e-12)
    assert np.exp(values["log_noise_std"]) * y_unit == pytest.approx(0.25, rel=1e-12)


def test_a_generator_gives_all_randomness_and_another_one_other():
    for name in MENU:
        with naming(name):
            one, again, other = (made(MENU[name], seed, **SIZES).draws for seed in (0, 0, 1))
            assert one.shape == again.shape == other.shape
            assert np.array_equal(one.chi, again.chi)
            assert not np.array_equal(one.chi, other.chi)


def test_the_expansion_is_the_one_that_was_asked_for():
    for name, kernel in MENU.items():
        for expansion in expansions(kernel):
            with naming(name, expansion):
                problem = made(kernel, expansion=expansion, **SIZES)
                assert problem.is_closed == (expansion == "exact")
                assert problem.computation in (None, Computation.CLOSED)
                assert (problem.draws.stacks is None) == (expansion == "dense")
                assert problem.rows.n_rows == 30


def largest_amplitude(kernel, **settings):
    """In standard deviations of y, as the bounds have it."""
    layout = made(kernel, **settings).layout
    return float(np.exp(layout.unpack(layout.bounds()[1])["log_amplitude"]).max())


def test_amplitudes_are_bounded_where_frequencies_are_drawn_afresh_and_the_user_gave_no_bounds():
    for kernel in ("ard", "gm", "pwl"):
        with naming(kernel):
            assert largest_amplitude(kernel) == pytest.approx(LARGEST_AMPLITUDE)
            assert largest_amplitude(kernel, **SIZES) == pytest.approx(1e3)
            assert largest_amplitude(kernel, n_posterior_frequencies=None) == pytest.approx(1e3)
    y = table(3)[1]
    given = GaussianMixture(bounds={"amplitude": (1.0, 1e4 * y.std())})
    assert largest_amplitude(given) == pytest.approx(1e4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
def test_amplitudes_stay_near_the_targets_where_frequencies_are_drawn_afresh():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.01 * rng.standard_normal(80)  # a plane: any large amplitude will do
    largest = {}
    for fresh in ("auto", None):
        model = GPRegressor("pwl", n_posterior_frequencies=fresh, n_restarts=2, max_iter=30, random_state=0).fit(X, y)
        largest[fresh] = model.kernel_.amplitude.max() / y.std()
    assert largest["auto"] < 10.001 < largest[None]
    free = PiecewiseLinear(bounds={"amplitude": (1.0, 1e4)})
    model = GPRegressor(free, n_restarts=2, max_iter=30, random_state=0).fit(X, y)
    assert model.kernel_.amplitude.max() / y.std() > 10.001
