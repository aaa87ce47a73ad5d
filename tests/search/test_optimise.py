"""The optimiser returns the best point it has seen, whatever happens on the way."""

import numpy as np
import pytest

from alakarte.errors import IllConditioned
from alakarte.search.optimise import minimise, screen
from problems import naming

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


def check_best(run, function):
    """The run ends at the best point that the function gave; at the start where it gave none."""
    assert run.n_failed == function.n_failed
    assert run.n_evaluations == function.n_calls
    value, theta = min(function.seen, key=lambda pair: pair[0], default=(np.inf, START))
    assert run.value == value
    assert np.array_equal(run.theta, theta)
    assert not function.seen or ("gave no finite value" in run.reason) == (function.n_failed > 0)


def test_failures_leave_the_best_point_so_far():
    for seed in range(100):
        function = Failing(valley, seed)
        with naming(seed):
            check_best(minimise(function, START, FREE, 15, 1e-9), function)


def test_failures_do_not_stop_the_search():
    """Most searches still go down a long way."""
    values = [minimise(Failing(valley, seed, 0.1, first=False), START, FREE, 60, 1e-9).value for seed in range(20)]
    assert np.mean(np.array(values) < 0.1 * valley(START)[0]) > 0.8


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


def test_runs_are_chosen_with_a_prior_and_report_the_evidence_without():
    def bowl(theta):
        return float((theta[0] - 1) ** 2), 2 * (theta - 1)

    def penalty(theta):
        return float(3 * theta[0] ** 2), 6 * theta

    free = np.array([-9.0]), np.array([9.0])
    run = minimise(bowl, np.array([2.0]), free, 50, 1e-12, prior=penalty)
    assert run.theta[0] == pytest.approx(0.25, abs=1e-6)
    assert run.value == pytest.approx(0.5625, abs=1e-5)
    assert run.penalty == pytest.approx(0.1875, abs=1e-5)
    assert run.trace[0][0] == pytest.approx(1.0)  # at 2, without the penalty of 12
    [screened] = screen(bowl, [np.array([2.0])], free, 20, 1e-12, first=free, prior=penalty)
    assert screened.objective == pytest.approx(run.objective, abs=1e-6)
