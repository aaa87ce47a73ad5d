"""The paper's initialisations (its section 5.1) for every kernel of the menu, and starts from simpler kernels."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data.summary import summarise
from alakarte.execution.randomness import Streams
from alakarte.features.draws import draw
from alakarte.kernels.mixture import SHIFTS
from alakarte.kernels.registry import kernels, resolve
from alakarte.records import Shape
from alakarte.search.starts import Start, make_starts, nested_starts
from problems import ALONE as MENU
from problems import naming, problem, table, values_at


def every_start(name, shape=(3, 2, 8), n_starts=10, seed=0):
    made, _ = problem(name, shape, n=200, weighted=False)
    summary = summarise(made.rows.x, made.rows.weight, np.random.default_rng(seed))
    points = make_starts(made, summary, n_starts, Streams(seed))
    return made, summary, [values_at(made, start.theta) for start in points]


def test_noise_starts_at_a_tenth_of_the_targets_deviation():
    for name in MENU:
        with naming(name):
            for values in every_start(name)[2]:
                assert np.exp(values["log_noise_std"]) == pytest.approx(0.1, rel=1e-12)
            X, y, _ = table(3)
            y = 40 * y + 7
            model = GPRegressor(MENU[name], n_components=2, n_frequencies=4, max_iter=0, random_state=0).fit(X, y)
            assert model.noise_std_ == pytest.approx(y.std() / 10, rel=1e-12)


def test_amplitudes_start_with_the_targets_variance_in_all():
    for name in [name for name in MENU if name != "trend"]:  # that has nothing to learn
        with naming(name):
            made, _, found = every_start(name, (3, 3, 4))
            n = made.draws.shape.n_components
            assert n == (3 if MENU[name].has_components else 1)
            for values in found:
                assert np.allclose(np.exp(values["log_amplitude"]), 1 / np.sqrt(n), rtol=1e-12)


def test_rbf_starts_at_five_quantiles_of_the_distances():
    _, summary, found = every_start("rbf", n_starts=5)
    distances = np.linalg.norm(summary.differences, axis=1)
    expected = np.quantile(distances[distances > 0], [0.1, 0.3, 0.5, 0.7, 0.9])
    assert np.allclose([np.exp(values["log_lengthscale"]) for values in found], expected, rtol=1e-12)


def test_lengthscales_start_at_random_shares_of_the_ranges():
    for name in [name for name in MENU if name not in ("rbf", "ssgpr", "trend")]:
        with naming(name):
            _, summary, found = every_start(name)
            shares = np.array([np.exp(values["log_lengthscale"]) for values in found]) / (summary.ranges * np.sqrt(3))
            assert (shares >= 0.4).all()
            assert (shares <= 0.8).all()
            assert shares.std(axis=0).min() > 0.05  # every start, every input its own


@pytest.mark.parametrize("name", ["pwl", "pwl4"])
def test_pwl_starts_around_a_distance_of_pairs(name):
    for d in (1, 3, 9):
        with naming(d):
            _, summary, found = every_start(name, (d, 2, 8))
            for values in found:
                for q in range(2):
                    scaled = np.linalg.norm(summary.differences / np.exp(values["log_lengthscale"][q]), axis=1)
                    low, high = np.quantile(scaled[scaled > 0], [0.2, 0.8])
                    if name == "pwl4":  # the knots span the hat, from the origin
                        reach = np.exp(values["log_knot_gaps"][q]).sum()
                        width = reach / (2 + max(np.sqrt(d - 1) - 2, 0.01) / 2)
                    else:
                        width = np.exp(values["log_hat_width"][q])
                        edge = max(np.sqrt(d - 1) - 2, 0.01) * width / 2
                        assert values["hat_edge"][q] == pytest.approx(edge, rel=1e-12)
                    assert low * (1 - 1e-12) <= 2 / width <= high * (1 + 1e-12)


def test_gm_starts_with_centres_that_are_small_but_not_zero():
    """μ = 0 is a stationary point; μ ~ N(0, (c/ℓ)²) with c = 0.01 [E22]."""
    _, _, found = every_start("gm", (3, 3, 4), n_starts=40)
    ratio = np.array([values["centre"] * np.exp(values["log_lengthscale"]) for values in found])
    assert (ratio != 0).all()
    assert 0.009 < np.sqrt(np.mean(ratio**2)) < 0.011
    assert abs(np.mean(ratio)) < 5 * ratio.std() / np.sqrt(ratio.size)


def test_ssgpr_starts_at_normal_frequencies_over_lengthscales():
    _, summary, found = every_start("ssgpr", n_starts=40)
    omega = np.array([values["frequencies"] for values in found]) * summary.ranges * np.sqrt(3)
    spread = np.sqrt(np.mean(omega**2, axis=(0, 1)))  # 1/u with u in [0.4, 0.8]
    assert (spread > 1 / 0.8).all()
    assert (spread < 1 / 0.4).all()


def test_fsgbard_starts_at_its_draws():
    made, _, found = every_start("fsgbard")
    for values in found:
        assert np.array_equal(values["gaussians"], made.draws.stacks.gaussians)
        assert np.array_equal(np.abs(values["signs"]), np.ones_like(values["signs"]))


def test_more_starts_never_change_the_earlier_ones():
    few, many = every_start("gm", n_starts=2)[2], every_start("gm", n_starts=6)[2]
    for left, right in zip(few, many[:2], strict=True):
        assert all(np.array_equal(left[name], right[name]) for name in left)


def test_every_other_start_holds_noise_down():
    made, _ = problem("gm", n=200)
    summary = summarise(made.rows.x, made.rows.weight, np.random.default_rng(0))
    starts = make_starts(made, summary, 6, Streams(0))
    assert [start.hold_noise_down for start in starts] == [True, False] * 3


def learned_before(name, d=3):
    """Values of a simpler kernel, with noise of its own."""
    made, theta = problem(name, (d, 1, 8), seed=5)
    return values_at(made, theta) | {"log_noise_std": np.asarray(np.log(0.037))}


def nested(name, shape=(3, 4, 8)):
    """Values of the nested starts of a kernel, those of its random one, and those that it is made from."""
    made, theta = problem(name, shape)
    simpler = learned_before("matern1.5" if name == "mm" else MENU[name].nests, shape[0])
    starts = nested_starts(made, Start(theta, hold_noise_down=True), simpler)
    return [values_at(made, start.theta) for start in starts], values_at(made, theta), simpler, starts


NESTING = sorted(name for name, kernel in MENU.items() if kernel.nests is not None)


def test_ard_and_matern_start_where_a_simpler_kernel_ended():
    for name in ("ard", "matern0.5", "matern1.5", "matern2.5"):
        with naming(name):
            [values], _, simpler, _ = nested(name)
            assert np.array_equal(values["log_amplitude"], simpler["log_amplitude"])
            expected = np.broadcast_to(simpler["log_lengthscale"], 3)  # that of rbf for every input
            assert np.array_equal(values["log_lengthscale"], expected)


@pytest.mark.parametrize("n_components", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("name", ["gm", "mm"])
def test_a_simpler_kernel_is_cut_into_components_of_several_lengths_and_keeps_its_variance(name, n_components):
    [whole, *others], random, simpler, _ = nested(name, (3, n_components, 8))
    assert len(others) == (1 if n_components > 1 else 0)
    variance = np.exp(2 * whole["log_amplitude"])
    assert variance.sum() == pytest.approx(np.exp(2 * simpler["log_amplitude"][0]), rel=1e-12)
    assert np.allclose(variance, variance[0], rtol=1e-12)
    shift = whole["log_lengthscale"] - simpler["log_lengthscale"]
    assert np.allclose(shift, shift[:, :1], rtol=0, atol=1e-12)  # a component is stretched along all inputs alike
    assert shift[0, 0] == 0  # one of them is the simpler kernel itself
    assert len(set(shift[:, 0].round(9))) == min(n_components, len(SHIFTS))
    assert np.array_equal(whole["centre"], random["centre"])  # zero would be a stationary point


@pytest.mark.parametrize("n_components", [2, 3, 4])
@pytest.mark.parametrize("name", ["gm", "mm"])
def test_half_of_the_components_may_stay_random(name, n_components):
    [whole, half], random, _, _ = nested(name, (3, n_components, 8))
    cut = n_components // 2
    for key in ("log_amplitude", "log_lengthscale"):
        assert np.array_equal(half[key][:cut], whole[key][:cut])
        assert np.array_equal(half[key][cut:], random[key][cut:])
    assert np.array_equal(half["centre"], random["centre"])


def test_nested_starts_have_the_noise_of_the_simpler_kernel_and_do_not_hold_it_down():
    for name in NESTING:
        with naming(name):
            values, _, simpler, starts = nested(name)
            for each in values:
                assert each["log_noise_std"] == pytest.approx(simpler["log_noise_std"], rel=1e-12)
            assert not any(start.hold_noise_down for start in starts)


def test_nested_starts_lie_within_the_bounds():
    made, theta = problem("gm", (3, 4, 8))
    far = learned_before("ard") | {"log_lengthscale": np.array([-50.0, 0.0, 50.0]), "log_noise_std": np.asarray(-99.0)}
    lower, upper = made.layout.bounds()
    for start in nested_starts(made, Start(theta), far):
        assert (lower <= start.theta).all()
        assert (start.theta <= upper).all()


def test_a_constant_table_still_has_starts():
    summary = summarise(np.zeros((5, 2)), np.ones(5), np.random.default_rng(0))
    assert summary.distance(0.5) == 1
    for name, kernel in MENU.items():
        shape = Shape(2, (4,))
        draws = draw(shape, "fastfood", np.random.default_rng(0))
        values = kernel.start(shape, summary, draws, np.random.default_rng(0), 0.5)
        assert all(np.isfinite(value).all() for value in values.values()), name


def test_every_kernel_starts_inside_its_bounds():
    for name in kernels():
        made, theta = problem(resolve(name))
        lower, upper = made.layout.bounds()
        assert (lower <= theta).all()
        assert (theta <= upper).all()
        assert (lower < upper).all()
