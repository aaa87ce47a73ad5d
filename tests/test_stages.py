"""Small laws of the small stages: records, parameters, scaling, factors, scores, threads."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from alakarte.data.arrays import Rows
from alakarte.data.read import merge_rows
from alakarte.data.standardise import standardise
from alakarte.errors import IllConditioned, InvalidInput
from alakarte.execution.threads import count, one_blas_thread
from alakarte.features.draws import draw
from alakarte.features.projection import prefers_transform
from alakarte.kernels.registry import kernels, resolve
from alakarte.linalg.blas import times_symmetric
from alakarte.linalg.factorise import cholesky, inverse, log_determinant, mirror, solve, solve_lower
from alakarte.metrics import coverage, log_density
from alakarte.parameters import Parameter, constrained
from alakarte.process.objective import model_at
from alakarte.process.sums import statistics
from alakarte.process.weight_space import noise_floor
from alakarte.records import Shape
from problems import problem

# --------------------------------------------------------------------------- records and draws


@pytest.mark.parametrize(("d", "p"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (8, 8), (9, 16), (90, 128)])
def test_padding_is_to_the_next_power_of_two(d, p):
    assert Shape(d, (1,)).n_padded == p


def test_shape_counts_stacks_by_component():
    shape = Shape(3, (8, 1, 5))
    assert shape.n_frequencies == 14
    assert shape.stack_component.tolist() == [0, 0, 1, 2, 2]
    assert shape.component.tolist() == [0] * 8 + [1] + [2] * 5


@pytest.mark.parametrize("shape", [Shape(3, (8, 1, 5)), Shape(90, (8,)), Shape(1, (3, 2))], ids=str)
def test_draws_are_what_they_say(shape):
    draws = draw(shape, "fastfood", np.random.default_rng(0))
    stacks, p = draws.stacks, shape.n_padded
    assert set(np.unique(stacks.signs)) <= {-1.0, 1.0}
    assert (np.sort(stacks.permutation, axis=1) == np.arange(p)).all()
    assert (np.diff(stacks.position) > 0).all()
    assert np.array_equal(shape.stack_component[stacks.position // p], shape.component)
    for q, m in enumerate(shape.counts):  # one point in every stratum
        points = np.sort(draws.points[shape.component == q])
        assert np.array_equal(np.floor(points * m), np.arange(m))
    dense = draw(shape, "dense", np.random.default_rng(0))
    assert np.allclose(np.linalg.norm(dense.directions, axis=0), 1)
    assert (dense.lengths == 1).all()


def test_statistics_add_and_subtract():
    made, theta = problem("gm", (3, 2, 4), n=30)
    features, rows = model_at(made, theta).features, made.rows
    whole, head, tail = (
        statistics(Rows(rows.x[part], rows.y[part], rows.weight[part]), features, 1)
        for part in (slice(None), slice(0, 11), slice(11, None))
    )
    for both in (head + tail, whole):
        assert np.allclose(both.gram, whole.gram, atol=1e-12)
        assert np.allclose((both - tail).moment, head.moment, atol=1e-12)
        assert np.allclose((both - tail).energy, head.energy, atol=1e-12)
    assert (whole - tail).total == pytest.approx(head.total)
    phi = features.phi(rows.x)
    assert np.allclose(whole.gram, np.tril((phi * rows.weight[:, None]).T @ phi), atol=1e-12)
    assert np.allclose(whole.moment[:, 0], phi.T @ (rows.weight * rows.y[:, 0]), atol=1e-12)
    assert whole.energy[0] == pytest.approx(rows.weight @ rows.y[:, 0] ** 2)


def test_the_transform_is_chosen_where_it_pays():
    assert not prefers_transform(Shape(3, (64,)))
    assert prefers_transform(Shape(1024, (4096,)))


def test_the_noise_floor_grows_with_size_and_amplitude():
    eps = np.finfo(float).eps
    assert noise_floor(10, 100.0, np.log([1.0, 2.0])) == pytest.approx(2 * 10 * eps * 100 * 5)


# --------------------------------------------------------------------------- parameters


def layout(**constraints):
    parameters = (
        Parameter("log_amplitude", (2,), "y", -5.0, 5.0),
        Parameter("log_lengthscale", (2, 3), "x", -5.0, 5.0),
        Parameter("centre", (2, 3), "1/x", -10.0, 10.0),
        Parameter("log_noise_std", (), "y", -10.0, 3.0),
    )
    return constrained(parameters, constraints.get("fixed"), constraints.get("bounds"), np.array([1.0, 10.0, 0.5]), 4.0)


def test_pack_and_unpack_are_inverse():
    made = layout()
    theta = np.arange(float(made.size))
    assert made.size == 2 + 6 + 6 + 1
    assert np.array_equal(made.pack(made.unpack(theta)), theta)
    assert {name: value.shape for name, value in made.unpack(theta).items()} == {
        "log_amplitude": (2,),
        "log_lengthscale": (2, 3),
        "centre": (2, 3),
        "log_noise_std": (),
    }
    assert made.labels()[:3] == ["log_amplitude[0]", "log_amplitude[1]", "log_lengthscale[0,0]"]
    assert made.labels()[-1] == "log_noise_std"


def test_units_of_the_user():
    made = layout()
    values = made.to_user(np.zeros(made.size) + 0.5, np.array([1.0, 10.0, 0.5]), 4.0)
    assert np.allclose(values["amplitude"], 4 * np.exp(0.5))
    assert np.allclose(values["lengthscale"], np.exp(0.5) * np.array([1.0, 10.0, 0.5]))
    assert np.allclose(values["centre"], 0.5 / np.array([1.0, 10.0, 0.5]))
    assert np.allclose(values["noise_std"], 4 * np.exp(0.5))


def test_fixed_values_take_no_place_and_bounds_are_converted():
    made = layout(fixed={"centre": 2.0, "noise_std": 8.0}, bounds={"amplitude": (4.0, 8.0)})
    assert made.size == 8
    values = made.unpack(np.zeros(8))
    assert np.allclose(values["centre"], 2 * np.array([1.0, 10.0, 0.5]))
    assert values["log_noise_std"] == pytest.approx(np.log(2))
    lower, upper = made.bounds()
    assert np.allclose(lower[:2], 0)
    assert np.allclose(upper[:2], np.log(2))
    assert np.allclose(made.clip(np.full(8, 100.0))[:2], np.log(2))


def test_every_kernel_starts_inside_its_bounds():
    for name in kernels():
        made, theta = problem(resolve(name))
        lower, upper = made.layout.bounds()
        assert (lower <= theta).all()
        assert (theta <= upper).all()
        assert (lower < upper).all()


def test_kernels_are_found_by_name():
    assert {"rbf", "ard", "fsard", "fsgbard", "gm", "pwl", "ssgpr", "matern"} <= set(kernels())
    assert (resolve("matern12").nu, resolve("matern32").nu, resolve("matern52").nu) == (0.5, 1.5, 2.5)
    for name, kind in kernels().items():
        assert kind().name == name
        assert resolve(kind()).get_params() == resolve(name).get_params()


# --------------------------------------------------------------------------- rows


def test_standardised_columns_have_mean_zero_and_deviation_one():
    rng = np.random.default_rng(0)
    x, y, weight = rng.gamma(2, 3, (40, 3)) + 1e6, rng.standard_normal(40) * 1e-9, rng.integers(1, 4, 40).astype(float)
    x[:, 2] = 7.0
    scaling = standardise(x, y, weight)
    z, target = scaling.inputs(x), scaling.target(y)
    assert np.allclose(np.average(z, axis=0, weights=weight), 0, atol=1e-8)
    assert np.allclose(np.average(z[:, :2] ** 2, axis=0, weights=weight), 1, rtol=1e-8)
    assert (z[:, 2] == 0).all()
    assert np.average(target, weights=weight) == pytest.approx(0, abs=1e-12)
    assert np.average(target**2, weights=weight) == pytest.approx(1, rel=1e-12)


def test_a_constant_target_keeps_its_scale():
    scaling = standardise(np.arange(5.0)[:, None], np.full(5, 3.0))
    assert (scaling.y_mean, scaling.y_scale) == (3.0, 1.0)


def test_merged_rows_are_sorted_distinct_and_carry_all_weight():
    X = np.array([[2.0, 1.0], [0.0, -0.0], [2.0, 1.0], [0.0, 0.0], [2.0, 1.0]])
    y, weight = np.array([1.0, 5.0, 1.0, 5.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0, 0.5])
    x, target, total = merge_rows(X, y, weight)
    assert np.array_equal(x, [[0, 0], [2, 1], [2, 1]])
    assert np.array_equal(target, [5, 1, 2])
    assert np.array_equal(total, [6, 4, 0.5])
    assert merge_rows(X, y, np.array([0.0, 1, 0, 0, 0]))[0].shape == (1, 2)


# --------------------------------------------------------------------------- factors


def random_spd(k, seed=0):
    a = np.random.default_rng(seed).standard_normal((k, k + 2))
    return a @ a.T


@pytest.mark.parametrize("k", [1, 5, 300, 513])  # more than one tile, and two halves
def test_factors_solve_and_invert(k):
    matrix, right = random_spd(k), np.random.default_rng(1).standard_normal((k, 2))
    factor = cholesky(matrix.copy())
    lower = np.tril(factor)
    assert np.allclose(lower @ lower.T, matrix, atol=1e-10 * matrix.max())
    assert np.allclose(matrix @ solve(factor, right), right, atol=1e-5)
    assert np.allclose(lower @ solve_lower(factor, right), right, atol=1e-8)
    assert np.allclose(lower.T @ solve_lower(factor, right, transposed=True), right, atol=1e-8)
    assert log_determinant(factor) == pytest.approx(np.linalg.slogdet(matrix)[1], rel=1e-9)
    whole = inverse(factor)
    rows = right.T.copy()
    assert np.allclose(times_symmetric(rows, whole) @ matrix, rows, atol=1e-5)  # reads the lower triangle alone
    mirror(whole)
    assert np.allclose(whole @ matrix, np.eye(k), atol=1e-5)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_singular_matrix_gets_the_least_jitter(order):
    matrix = np.array(np.ones((6, 6)), order=order)
    lower = np.tril(cholesky(matrix.copy(order=order)))
    assert np.abs(lower @ lower.T - np.ones((6, 6))).max() < 1e-12


@pytest.mark.parametrize("matrix", [np.diag([1.0, -1.0]), np.full((2, 2), np.nan), np.diag([1.0, np.inf])])
def test_a_hopeless_matrix_is_reported(matrix):
    with pytest.raises(IllConditioned):
        cholesky(matrix)


# --------------------------------------------------------------------------- scores and threads


def test_scores():
    y, mean, std = np.array([0.0, 1.0]), np.array([0.0, 0.0]), np.array([1.0, 2.0])
    expected = -0.5 * np.log(2 * np.pi) - np.log([1.0, 2.0]) - [0.0, 0.125]
    assert np.allclose(log_density(y, mean, std), expected)
    assert coverage([0.0, 1.0, 3.0], [0.0, 0, 0], [1.0, 1, 1], level=0.9) == pytest.approx(2 / 3)


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_is_limited_while_anyone_is_inside_and_restored_after():
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with one_blas_thread():
        thread.start()
        inside.wait(10)
        with one_blas_thread():
            assert blas_threads() == {1}
    assert blas_threads() == {1}  # the other is still inside
    leave.set()
    thread.join()
    assert blas_threads() == before
    later = []
    thread = threading.Thread(target=lambda: later.append(_inside()))
    thread.start()
    thread.join()
    assert later == [{1}]
    assert blas_threads() == before


def _inside():
    with one_blas_thread():
        return blas_threads()


def test_number_of_threads():
    assert count(1) == 1
    assert count(3) == 3
    assert count(None) >= 1
    assert count(-1) >= 1
    for bad in (0, 1.5, True, "2"):
        with pytest.raises(InvalidInput, match="n_jobs"):
            count(bad)
