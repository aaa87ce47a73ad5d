"""The optimiser returns the best point it has seen, whatever happens on the way."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import alakarte.search.learn
from alakarte import GPRegressor
from alakarte.errors import IllConditioned
from alakarte.kernels import ARD, RBF
from alakarte.process.objective import nlml_gradient
from alakarte.search.coordinates import Coordinates
from alakarte.search.optimise import WINDOW, minimise, screen
from problems import problem, table, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")
FREE = (np.full(4, -np.inf), np.full(4, np.inf))
START = np.array([-1.2, 1.0, 0.5, 2.0])
FAILURES = [np.nan, np.inf, "gradient", IllConditioned, np.linalg.LinAlgError, FloatingPointError]


def valley(theta):
    """Rosenbrock's, two of them."""
    a, b = theta[::2], theta[1::2]
    value = float((100 * (b - a**2) ** 2 + (1 - a) ** 2).sum())
    gradient = np.empty_like(theta)
    gradient[::2] = -400 * a * (b - a**2) - 2 * (1 - a)
    gradient[1::2] = 200 * (b - a**2)
    return value, gradient


class Failing:
    """A function that now and then fails; remembers its good values."""

    def __init__(self, function, seed, share=0.25, first=True):
        self.function, self.rng, self.share, self.first = function, np.random.default_rng(seed), share, first
        self.seen, self.n_failed, self.n_calls = [], 0, 0

    def __call__(self, *arguments):
        self.n_calls += 1
        value, gradient = self.function(*arguments)
        if self.rng.uniform() < self.share and (self.first or self.n_calls > 1):
            self.n_failed += 1
            failure = FAILURES[self.rng.integers(len(FAILURES))]
            if isinstance(failure, type):
                raise failure("injected")
            if failure == "gradient":
                return value, np.where(np.arange(gradient.size) == 0, np.nan, gradient)
            return failure, gradient
        self.seen.append((value, arguments[-1].copy()))
        return value, gradient


@pytest.mark.parametrize("seed", range(100))
def test_failures_leave_the_best_point_so_far(seed):
    function = Failing(valley, seed)
    run = minimise(function, START, FREE, 15, 1e-9)
    assert run.n_failed == function.n_failed
    assert run.n_evaluations == function.n_calls
    if not function.seen:
        assert run.value == np.inf
        assert np.array_equal(run.theta, START)
        return
    value, theta = min(function.seen, key=lambda pair: pair[0])
    assert run.value == value
    assert np.array_equal(run.theta, theta)
    assert ("gave no finite value" in run.reason) == (function.n_failed > 0)


def test_failures_do_not_stop_the_search():
    """Most searches still go down a long way."""
    values = [minimise(Failing(valley, seed, 0.1, first=False), START, FREE, 60, 1e-9).value for seed in range(20)]
    assert np.mean(np.array(values) < 0.1 * valley(START)[0]) > 0.8


@pytest.mark.parametrize("seed", range(100))
def test_failures_inside_a_fit_give_the_best_point_and_one_warning(seed, monkeypatch):
    X, y, _ = table(2, n=12)
    function = Failing(nlml_gradient, seed)
    monkeypatch.setattr(alakarte.search.learn, "nlml_gradient", function)
    settings = {"n_components": 1, "n_frequencies": 4, "n_restarts": 2, "max_iter": 6, "max_iter_restart": 2}
    settings["lengthscale_spread"] = None  # the best evidence is sought, nothing else
    model = GPRegressor("ard", **settings, n_jobs=1, random_state=seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert function.n_failed > 0 or not caught
    assert len(caught) <= 1
    assert all(warning.category is ConvergenceWarning for warning in caught)
    assert ("gave no finite value" in model.stop_reason_) <= (len(caught) == 1)
    assert model.converged_ == (not caught)
    best = max(-value for value, _ in function.seen) - 12 * np.log(y.std())
    assert model.log_marginal_likelihood_ == pytest.approx(best, rel=1e-12)
    assert all(np.isfinite(part).all() for part in model.predict(X, return_std=True))


def test_a_fit_that_never_gets_a_number_ends_with_a_warning(monkeypatch):
    X, y, _ = table(2, n=12)
    monkeypatch.setattr(alakarte.search.learn, "nlml_gradient", lambda problem, theta: (np.nan, theta))
    model = GPRegressor("ard", n_components=1, n_frequencies=4, n_restarts=2, n_jobs=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="no finite value") as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert not model.converged_
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("max_iter", [0, 7])
def test_no_iterations_give_the_start(max_iter):
    start = START if max_iter == 0 else np.zeros(0)
    run = minimise(valley, start, (FREE[0][: start.size], FREE[1][: start.size]), max_iter, 0.1)
    assert np.array_equal(run.theta, start)
    assert run.value == valley(start)[0]
    assert (run.n_iter, run.n_evaluations, run.converged) == (0, 1, True)


def test_bounds_hold_at_every_evaluation():
    lower, upper = np.array([-1.5, -0.5, 0.0, 0.2]), np.array([0.3, 1.5, 0.7, 2.5])
    points = []
    run = minimise(lambda theta: points.append(theta.copy()) or valley(theta), START, (lower, upper), 100, 1e-9)
    points = np.array(points)
    assert (points >= lower).all()
    assert (points <= upper).all()
    assert run.theta[0] == pytest.approx(0.3)  # the free optimum lies at 1


def test_it_converges_when_ten_iterations_gain_less_than_the_tolerance():
    run = minimise(valley, START, FREE, 1000, 1.0)
    assert run.converged
    assert f"the last {WINDOW} iterations gained less than 1 nats" in run.reason
    assert run.n_iter < 1000
    tighter = minimise(valley, START, FREE, 1000, 1e-12)
    assert tighter.value <= run.value
    assert tighter.n_iter >= run.n_iter


def test_it_stops_when_evaluations_gain_less_than_they_cost():
    dear, cheap = (minimise(valley, START, FREE, 1000, 1e-12, price=price) for price in (1.0, 1e-6))
    free = minimise(valley, START, FREE, 1000, 1e-12)
    assert dear.converged
    assert dear.n_evaluations < cheap.n_evaluations <= free.n_evaluations
    evaluations = dear.trace[-1 - WINDOW :]
    assert evaluations[0][0] - dear.value < 3 * WINDOW  # ten iterations, an evaluation or two each, at one nat


def test_a_start_may_be_held_within_narrower_bounds_at_first():
    points, first = [], (FREE[0], np.append(START[0], FREE[1][1:]))  # the optimum lies at 1
    [run] = screen(lambda theta: points.append(theta.copy()) or valley(theta), [START], FREE, 8, 0.0, first=first)
    held = [point[0] <= START[0] for point in points]
    assert all(held[:4])
    assert not all(held)
    assert run.n_iter == 8
    assert run.n_evaluations == len(points)
    assert run.value == min(valley(point)[0] for point in points)
    _, free = screen(valley, [START, START], FREE, 8, 0.0, first=first)
    assert free.value == minimise(valley, START, FREE, 8, 0.0).value  # every other start is not held


def test_it_says_when_iterations_ran_out():
    run = minimise(valley, START, FREE, 3, 0.0)
    assert not run.converged
    assert run.n_iter == 3
    assert "max_iter=3" in run.reason


def test_trace_has_every_evaluation_and_time_goes_on():
    calls = []
    run = minimise(lambda theta: calls.append(valley(theta)) or calls[-1], START, FREE, 30, 1e-9)
    value, norm, seconds = (np.array(column) for column in zip(*run.trace, strict=True))
    assert np.array_equal(value, [call[0] for call in calls])
    assert np.allclose(norm, [np.linalg.norm(call[1]) for call in calls], rtol=1e-14)
    assert (np.diff(seconds) >= 0).all()
    assert run.value == value.min()


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_screening_keeps_the_order_of_the_starts(n_jobs):
    starts = [START + shift for shift in (0.0, 0.5, -0.3, 1.0)]
    told = []
    runs = screen(valley, starts, FREE, 5, 0.0, n_jobs, lambda index, run: told.append(index))
    alone = [minimise(valley, start, FREE, 5, 0.0) for start in starts]
    assert [run.value for run in runs] == [run.value for run in alone]
    assert sorted(told) == [1, 2, 3, 4]


# --------------------------------------------------------------------------- the same, seen from the estimator


def fit(kernel="ard", **settings):
    X, y, _ = table(3)
    defaults = {"n_components": 1, "n_frequencies": 6, "n_restarts": 2, "random_state": 0, "n_jobs": 1}
    return GPRegressor(kernel, **(defaults | settings)).fit(X, y)


def test_a_short_fit_warns_once_and_says_what_to_raise():
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 reached.*raise max_iter \(now 2\)") as caught:
        model = fit(max_iter=2)
    assert len(caught) == 1
    assert not model.converged_
    assert "max_iter=2" in model.stop_reason_
    assert model.n_iter_ == 2


def test_a_long_fit_does_not_warn():
    model = fit(max_iter=300)
    assert model.converged_
    assert model.n_iter_ < 300


def test_without_iterations_the_fit_is_its_start():
    model = fit(max_iter=0)
    made, _ = problem("ard", (3, 1, 6))
    values = values_at(made, model.theta_)
    assert np.exp(values["log_amplitude"]) == pytest.approx([1.0])
    assert np.exp(values["log_noise_std"]) == pytest.approx(0.1)
    assert (model.n_iter_, model.n_evaluations_, len(model.starts_)) == (0, 1, 1)


def test_trace_of_a_fit_is_in_the_users_nats():
    model = fit(max_iter=300, lengthscale_spread=None)
    lengths = {len(column) for column in model.trace_.values()}
    assert set(model.trace_) == {"value", "gradient_norm", "seconds"}
    assert len(lengths) == 1
    assert model.trace_["value"].max() == pytest.approx(model.log_marginal_likelihood_, rel=1e-12)
    assert (np.diff(model.trace_["seconds"]) >= 0).all()
    assert model.n_iter_ < len(model.trace_["value"])
    screening = model.n_evaluations_ - len(model.trace_["value"])
    assert screening >= sum(start["n_iter"] + 1 for start in model.starts_)


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


def test_the_end_in_rounding_counts_as_converged():
    """Without noise the evidence is flat to its rounding long before its gradient vanishes."""

    def rough(theta):  # a gradient that the values do not follow any more
        return 1e-3 * float((theta != START).any()), np.ones(4)

    run = minimise(rough, START, FREE, 100, 0.1)
    assert "line search" in run.reason
    assert run.converged
    assert np.array_equal(run.theta, START)
    assert not minimise(rough, START, FREE, 100, 1e-4).converged


def test_a_fit_without_noise_does_not_warn():
    X = np.linspace(0, 6, 40)[:, None]
    model = GPRegressor("ard", n_components=2, n_frequencies=8, random_state=0, n_jobs=1).fit(X, np.sin(X[:, 0]))
    assert model.converged_
    assert np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 1e-3


def test_coordinates_lead_back_and_their_gradient_is_that_of_the_chain():
    slow = np.array([np.inf, 0.01, np.inf, np.inf, np.inf, np.inf, np.inf])
    made = Coordinates(slow, (np.arange(2, 6).reshape(2, 2),))
    theta = np.array([3.0, -2.0, 0.5, 0.0, -1.5, 0.0, 7.0])  # the second input has no frequency yet
    point = made.point(theta)
    assert point.size == 9
    assert point[1] == pytest.approx(np.arcsinh(-200.0))
    assert np.mean(point[[2, 4]] ** 2) == pytest.approx(1.0)
    assert np.allclose(made.theta(point), theta, rtol=1e-14)
    weight, step = np.arange(1.0, 8.0), 1e-6
    shifts = step * np.eye(9)
    numeric = [weight @ (made.theta(point + shift) - made.theta(point - shift)) / (2 * step) for shift in shifts]
    assert np.allclose(made.gradient(point, weight), numeric, rtol=1e-7, atol=1e-9)


def test_coordinates_change_the_path_and_not_the_optimum():
    def bowl(theta):
        return float(((theta - [1.0, -0.5]) ** 2).sum()), 2 * (theta - [1.0, -0.5])

    bounds, start = (np.full(2, -2.0), np.array([2.0, -0.25])), np.array([0.1, -0.25])
    slow = Coordinates(np.array([np.inf, 0.01]))
    shared = Coordinates(np.full(2, np.inf), (np.arange(2).reshape(1, 2),))
    for moved in (None, slow, shared):
        found = minimise(bowl, start, bounds, 100, 1e-12, moved=moved)
        assert np.allclose(found.theta, [1.0, -0.5], atol=1e-4)
        assert found.value == pytest.approx(bowl(found.theta)[0])
    early = [minimise(bowl, start, bounds, 1, 1e-12, moved=moved).theta[1] for moved in (None, slow)]
    assert abs(early[1] + 0.25) < abs(early[0] + 0.25)
    narrow = np.full(2, -0.3), np.full(2, 0.3)
    best = minimise(bowl, start, narrow, 100, 1e-12, moved=shared)
    assert np.allclose(best.theta, [0.3, -0.3])
    assert best.value == pytest.approx(bowl(best.theta)[0])
