"""When the optimiser stops, and what it says then."""

import numpy as np
import pytest

from alakarte.search.coordinates import Coordinates
from alakarte.search.optimise import Limits, Task
from alakarte.search.optimise import minimise as minimise_task
from alakarte.search.policy import LINE_SEARCH, WINDOW
from alakarte.search.stopping import Stop

pytestmark = pytest.mark.usefixtures("one_blas_thread")
FREE = (np.full(4, -np.inf), np.full(4, np.inf))
START = np.array([-1.2, 1.0, 0.5, 2.0])


def minimise(function, max_iter, tol, price=0.0):
    """From START, without bounds."""
    return minimise_task(Task(function, FREE, Coordinates(np.full(4, np.inf))), START, Limits(max_iter, tol, price))


def valley(theta):
    """Rosenbrock's, two of them."""
    a, b = theta[::2], theta[1::2]
    value = float((100 * (b - a**2) ** 2 + (1 - a) ** 2).sum())
    gradient = np.empty_like(theta)
    gradient[::2] = -400 * a * (b - a**2) - 2 * (1 - a)
    gradient[1::2] = 200 * (b - a**2)
    return value, gradient


def test_it_converges_when_ten_iterations_gain_less_than_the_tolerance():
    run = minimise(valley, 1000, 1.0)
    assert run.ending.converged
    assert run.ending.stop is Stop.LITTLE_GAIN
    assert f"the last {WINDOW} iterations gained less than 1 nats" in run.reason
    assert run.n_iter < 1000
    tighter = minimise(valley, 1000, 1e-12)
    assert tighter.nlml <= run.nlml
    assert tighter.n_iter >= run.n_iter


def test_it_stops_when_evaluations_gain_less_than_they_cost():
    dear, cheap = (minimise(valley, 1000, 1e-12, price=price) for price in (1.0, 1e-6))
    free = minimise(valley, 1000, 1e-12)
    assert dear.ending.converged
    assert dear.ending.stop is Stop.LITTLE_GAIN
    assert dear.n_evaluations < cheap.n_evaluations <= free.n_evaluations
    evaluations = dear.trace[-1 - WINDOW :]
    assert evaluations[0][0] - dear.nlml < 3 * WINDOW  # ten iterations, an evaluation or two each, at one nat


def test_it_says_when_iterations_ran_out():
    run = minimise(valley, 3, 0.0)
    assert not run.ending.converged
    assert run.ending.stop is Stop.MAX_ITER
    assert run.n_iter == 3
    assert "max_iter=3" in run.reason


def test_the_end_in_rounding_counts_as_converged():
    """Without noise the evidence is flat to its rounding long before its gradient vanishes."""

    def rough(theta):  # a gradient that the values do not follow any more
        return 1e-3 * float((theta != START).any()), np.ones(4)

    run = minimise(rough, 100, 0.1)
    assert run.ending.stop is Stop.NO_BETTER_POINT
    assert "line search" in run.reason
    assert run.ending.converged
    assert np.array_equal(run.theta, START)
    assert not minimise(rough, 100, 1e-4).ending.converged


def test_a_line_without_a_better_point_is_given_up_soon():
    """Its start, and two lines at most: SciPy tries once more without what it remembers."""

    def wrong(theta):  # a gradient that points uphill
        return float(theta.sum()), -np.ones(4)

    run = minimise(wrong, 100, 0.1)
    assert run.ending.stop is Stop.NO_BETTER_POINT
    assert run.n_evaluations <= 1 + 2 * LINE_SEARCH
