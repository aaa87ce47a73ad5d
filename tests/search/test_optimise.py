"""The optimiser returns the best point it has seen, whatever happens on the way."""

import numpy as np
import pytest

from alakarte.search.coordinates import Coordinates
from alakarte.search.optimise import Limits, Task, minimise, short_runs
from problems import naming
from search.searches import Failing

pytestmark = pytest.mark.usefixtures("one_blas_thread")

FREE = (np.full(4, -np.inf), np.full(4, np.inf))
START = np.array([-1.2, 1.0, 0.5, 2.0])


def task(function, bounds=FREE, **how):
    """What is made small, theta itself moved."""
    return Task(function, bounds, Coordinates(np.full(bounds[0].size, np.inf)), **how)


def valley(theta):
    """Rosenbrock's, two of them."""
    a, b = theta[::2], theta[1::2]
    value = float((100 * (b - a**2) ** 2 + (1 - a) ** 2).sum())
    gradient = np.empty_like(theta)
    gradient[::2] = -400 * a * (b - a**2) - 2 * (1 - a)
    gradient[1::2] = 200 * (b - a**2)
    return value, gradient


def check_best(run, function):
    """The run ends at the best point that the function gave; at the start where it gave none."""
    assert run.n_failed == function.n_failed
    assert run.n_evaluations == function.n_calls
    value, theta = min(function.seen, key=lambda pair: pair[0], default=(np.inf, START))
    assert run.nlml == value
    assert np.array_equal(run.theta, theta)
    assert not function.seen or ("gave no finite value" in run.reason) == (function.n_failed > 0)


def test_failures_leave_the_best_point_so_far():
    for seed in range(100):
        function = Failing(valley, seed)
        with naming(seed):
            check_best(minimise(task(function), START, Limits(15, 1e-9)), function)


def test_failures_do_not_stop_the_search():
    """Most searches still go down a long way."""
    runs = [minimise(task(Failing(valley, seed, 0.1, first=False)), START, Limits(60, 1e-9)) for seed in range(20)]
    values = [run.nlml for run in runs]
    assert np.mean(np.array(values) < 0.1 * valley(START)[0]) > 0.8


@pytest.mark.parametrize("max_iter", [0, 7])
def test_no_iterations_give_the_start(max_iter):
    start = START if max_iter == 0 else np.zeros(0)
    run = minimise(task(valley, (FREE[0][: start.size], FREE[1][: start.size])), start, Limits(max_iter, 0.1))
    assert np.array_equal(run.theta, start)
    assert run.nlml == valley(start)[0]
    assert (run.n_iter, run.n_evaluations, run.ending.converged) == (0, 1, True)


def test_bounds_hold_at_every_evaluation():
    lower, upper = np.array([-1.5, -0.5, 0.0, 0.2]), np.array([0.3, 1.5, 0.7, 2.5])
    points = []
    seen = task(lambda theta: points.append(theta.copy()) or valley(theta), (lower, upper))
    run = minimise(seen, START, Limits(100, 1e-9))
    points = np.array(points)
    assert (points >= lower).all()
    assert (points <= upper).all()
    assert run.theta[0] == pytest.approx(0.3)  # the free optimum lies at 1


def test_a_start_may_be_held_within_narrower_bounds_at_first():
    points, first_upper = [], np.append(START[0], FREE[1][1:])  # the optimum lies at 1
    seen = task(lambda theta: points.append(theta.copy()) or valley(theta), first_upper=first_upper)
    [run] = short_runs([seen], [START], Limits(8, 0.0))
    held = [point[0] <= START[0] for point in points]
    assert all(held[:4])
    assert not all(held)
    assert run.n_iter == 8
    assert run.n_evaluations == len(points)
    assert run.nlml == min(valley(point)[0] for point in points)
    held, free = short_runs([task(valley, first_upper=first_upper), task(valley)], [START, START], Limits(8, 0.0))
    assert held.nlml == run.nlml
    assert free.nlml == minimise(task(valley), START, Limits(8, 0.0)).nlml  # a start that is not held beside one


def test_trace_has_every_evaluation_and_time_goes_on():
    calls = []
    run = minimise(task(lambda theta: calls.append(valley(theta)) or calls[-1]), START, Limits(30, 1e-9))
    value, norm, seconds = (np.array(column) for column in zip(*run.trace, strict=True))
    assert np.array_equal(value, [call[0] for call in calls])
    assert np.allclose(norm, [np.linalg.norm(call[1]) for call in calls], rtol=1e-14)
    assert (np.diff(seconds) >= 0).all()
    assert run.nlml == value.min()


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_screening_keeps_the_order_of_the_starts(n_jobs):
    starts = [START + shift for shift in (0.0, 0.5, -0.3, 1.0)]
    told = []
    runs = short_runs([task(valley)] * 4, starts, Limits(5, 0.0), n_jobs, lambda index, run: told.append(index))
    alone = [minimise(task(valley), start, Limits(5, 0.0)) for start in starts]
    assert [run.nlml for run in runs] == [run.nlml for run in alone]
    assert [run.start for run in runs] == [0, 1, 2, 3]
    assert sorted(told) == [1, 2, 3, 4]


def test_runs_are_chosen_with_a_prior_and_report_the_evidence_without():
    def bowl(theta):
        return float((theta[0] - 1) ** 2), 2 * (theta - 1)

    def penalty(theta):
        return float(3 * theta[0] ** 2), 6 * theta

    free = np.array([-9.0]), np.array([9.0])
    run = minimise(task(bowl, free, prior=penalty), np.array([2.0]), Limits(50, 1e-12))
    assert run.theta[0] == pytest.approx(0.25, abs=1e-6)
    assert run.nlml == pytest.approx(0.5625, abs=1e-5)
    assert run.penalty == pytest.approx(0.1875, abs=1e-5)
    assert run.trace[0][0] == pytest.approx(1.0)  # at 2, without the penalty of 12
    held = task(bowl, free, prior=penalty, first_upper=free[1])
    [screened] = short_runs([held], [np.array([2.0])], Limits(20, 1e-12))
    assert screened.objective == pytest.approx(run.objective, abs=1e-6)
